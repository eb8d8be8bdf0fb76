package protocol

// ErrorCode is the code of a JSON-RPC error that nodwyn adds to those of JSON-RPC and the Language Server Protocol.
type ErrorCode int32

// The codes of nodwyn.
const (
	// UnknownSession means that there is no such session.
	UnknownSession ErrorCode = -32001
	// AlreadyOpen means that the session is open in another process.
	AlreadyOpen ErrorCode = -32010
	// Busy means that a turn, a landing or a change of mode is under way.
	Busy ErrorCode = -32011
	// NothingToContinue means that there is no turn to continue or steer.
	NothingToContinue ErrorCode = -32012
	// Conflict means that a landing met conflicts, listed in the error's data.
	Conflict ErrorCode = -32013
	// Refused means that policy forbids it.
	Refused ErrorCode = -32014
	// BadConfiguration means that a configuration file is wrong; the error's data names the place.
	BadConfiguration ErrorCode = -32015
	// NotOpen means that the session has to be resumed first.
	NotOpen ErrorCode = -32016
	// BadRepository means that git or the repository cannot do it.
	BadRepository ErrorCode = -32017
)

// Reason is the one stable word of an error.
type Reason string

// The reasons of errors.
const (
	// ReasonParseError means that a message, its params or its header cannot be read.
	ReasonParseError Reason = "parse_error"
	// ReasonInvalidRequest means that a message is JSON, but neither a request nor an answer of JSON-RPC.
	ReasonInvalidRequest Reason = "invalid_request"
	// ReasonTooLarge means that a message is over the limit of 64 MiB.
	ReasonTooLarge Reason = "too_large"
	// ReasonIDInUse means that another request with that id waits for its answer.
	ReasonIDInUse Reason = "id_in_use"
	// ReasonUnknownMethod means that there is no such method.
	ReasonUnknownMethod Reason = "unknown_method"
	// ReasonInvalidParams means that the params are wrong; field names the place, where there is one.
	ReasonInvalidParams Reason = "invalid_params"
	// ReasonNotInitialized means that a request came before initialize.
	ReasonNotInitialized Reason = "not_initialized"
	// ReasonInitializedTwice means that the server was initialized before.
	ReasonInitializedTwice Reason = "initialized_twice"
	// ReasonShutDown means that after shutdown only exit is left.
	ReasonShutDown Reason = "shut_down"
	// ReasonTooMany means that too many requests wait for their answers.
	ReasonTooMany Reason = "too_many_requests"
	// ReasonCancelled means that the request was cancelled before its end.
	ReasonCancelled Reason = "cancelled"
	// ReasonExit means that the connection ended before the request did.
	ReasonExit Reason = "exit"
	// ReasonTimeout means that something took longer than it may.
	ReasonTimeout Reason = "timeout"
	// ReasonInternal means that something went wrong that the client cannot help.
	ReasonInternal Reason = "internal"
	// ReasonUnknownSession means that there is no such session.
	ReasonUnknownSession Reason = "unknown_session"
	// ReasonAlreadyOpen means that the session is open in another process.
	ReasonAlreadyOpen Reason = "already_open"
	// ReasonNotOpen means that the session has to be resumed first.
	ReasonNotOpen Reason = "not_open"
	// ReasonClosed means that the session was closed meanwhile.
	ReasonClosed Reason = "closed"
	// ReasonBusy means that a turn, a landing or a change of mode is under way.
	ReasonBusy Reason = "busy"
	// ReasonNothing means that there is no turn to continue or steer.
	ReasonNothing Reason = "nothing"
	// ReasonConflict means that a landing met what data.conflicts lists.
	ReasonConflict Reason = "conflict"
	// ReasonChecksFailed means that the project's own checks for a landing did not pass.
	ReasonChecksFailed Reason = "checks_failed"
	// ReasonDenied means that policy or a person denied it; rule says what decided.
	ReasonDenied Reason = "denied"
	// ReasonUnknownCredential means that no such credential is stored.
	ReasonUnknownCredential Reason = "unknown_credential"
	// ReasonConfiguration means that a configuration file is wrong; file, line and key name the place.
	ReasonConfiguration Reason = "configuration"
	// ReasonNoWorktree means that the session works in the folder itself, so that there is nothing to compare or land.
	ReasonNoWorktree Reason = "no_worktree"
	// ReasonGitMissing means that there is no git that runs.
	ReasonGitMissing Reason = "git_missing"
	// ReasonGitTooOld means that the git here is too old for it.
	ReasonGitTooOld Reason = "git_too_old"
	// ReasonNoFolder means that there is no such folder.
	ReasonNoFolder Reason = "no_folder"
	// ReasonNoRepository means that the folder is not in a git repository.
	ReasonNoRepository Reason = "no_repository"
	// ReasonRepositoryRefused means that git refuses to work in the repository, or finds it broken.
	ReasonRepositoryRefused Reason = "repository_refused"
	// ReasonNoCommit means that the repository has no commit yet.
	ReasonNoCommit Reason = "no_commit"
	// ReasonBadSession means that the session's id cannot name a worktree.
	ReasonBadSession Reason = "bad_session"
	// ReasonBadBranch means that the branch has a name that git does not take.
	ReasonBadBranch Reason = "bad_branch"
	// ReasonBranchTaken means that the branch is there already.
	ReasonBranchTaken Reason = "branch_taken"
	// ReasonPathTaken means that something stands where the worktree would.
	ReasonPathTaken Reason = "path_taken"
	// ReasonBadBase means that the base names no commit.
	ReasonBadBase Reason = "bad_base"
	// ReasonWorktreeMissing means that the worktree is gone.
	ReasonWorktreeMissing Reason = "worktree_missing"
	// ReasonWorktreeBroken means that the worktree is not what git has on record.
	ReasonWorktreeBroken Reason = "worktree_broken"
	// ReasonWorktreeUnfinished means that the worktree was never completed.
	ReasonWorktreeUnfinished Reason = "worktree_unfinished"
	// ReasonBadStrategy means that there is no such way to land.
	ReasonBadStrategy Reason = "bad_strategy"
	// ReasonNoTarget means that there is no branch to land on.
	ReasonNoTarget Reason = "no_target"
	// ReasonTargetBusy means that something else is under way on the target, such as a merge.
	ReasonTargetBusy Reason = "target_busy"
	// ReasonNoIdentity means that user.name and user.email of git are not set.
	ReasonNoIdentity Reason = "no_identity"
	// ReasonNothingToLand means that the target has everything already.
	ReasonNothingToLand Reason = "nothing_to_land"
	// ReasonNestedRepository means that the tree has a repository of its own in it, whose contents cannot land.
	ReasonNestedRepository Reason = "nested_repository"
	// ReasonFilterFailed means that a filter that the repository requires does not work.
	ReasonFilterFailed Reason = "filter_failed"
	// ReasonBadChoice means that chosen paths or hunks are not in what the session changed.
	ReasonBadChoice Reason = "bad_choice"
	// ReasonNotCheckedOut means that a branch has to be checked out for it, and is not.
	ReasonNotCheckedOut Reason = "not_checked_out"
	// ReasonSigningFailed means that git could not sign the commit as its configuration wants.
	ReasonSigningFailed Reason = "signing_failed"
	// ReasonNothingToUnland means that no landing is there to be taken back.
	ReasonNothingToUnland Reason = "nothing_to_unland"
	// ReasonNoRemote means that there is no remote to push to.
	ReasonNoRemote Reason = "no_remote"
	// ReasonCarryConflict means that the person's uncommitted work does not fit on the base that was asked for.
	ReasonCarryConflict Reason = "carry_conflict"
	// ReasonNothingToRevert means that there is nothing to take back.
	ReasonNothingToRevert Reason = "nothing_to_revert"
	// ReasonNothingToSync means that the worktree has everything of the target already.
	ReasonNothingToSync Reason = "nothing_to_sync"
	// ReasonSyncBuiltOn means that a sync cannot be undone, since something was committed or landed on it.
	ReasonSyncBuiltOn Reason = "sync_built_on"
)

// ErrorDetail stands in the data of every error.
type ErrorDetail struct {
	// Reason is one stable word for programs.
	Reason Reason `json:"reason"`
	// Field is the wrong field of the params.
	Field string `json:"field,omitzero"`
	// Rule is what denied an effect, in the words of guard.decision.
	Rule string `json:"rule,omitzero"`
	// Conflicts are the files in the way of a landing.
	Conflicts []FileConflict `json:"conflicts,omitempty"`
	// File is the configuration file that is wrong.
	File string `json:"file,omitzero"`
	// Line is the line in that file, from 1.
	Line int `json:"line,omitzero"`
	// Key is the key in that file.
	Key string `json:"key,omitzero"`
}

// FileConflict is one file in the way of a landing, a revert or a sync.
type FileConflict struct {
	// Path is relative to the repository; for the kind "moved" it is the target branch.
	Path string `json:"path"`
	// Kind is "uncommitted", "untracked" or "ignored" for a file of the checkout, "moved" for a target that went on meanwhile, "edited" for a file of the session's tree that somebody edited since, "unresolved" for one with conflict markers of a sync, and git's own word for a conflict of contents, such as "contents" or "modify/delete".
	Kind string `json:"kind"`
	// Hunks are the ids of the session's hunks that meet something; absent when the file as a whole is in the way.
	Hunks []string `json:"hunks,omitempty"`
	// Lines are the places that they meet, in the target's file.
	Lines []LineRun `json:"lines,omitempty"`
}

// LineRun is a run of lines of a file.
type LineRun struct {
	// First is the first line, from 1.
	First int `json:"first"`
	// Count is how many lines they are; 0 for a place behind First.
	Count int `json:"count"`
}
