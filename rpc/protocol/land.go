package protocol

// Strategy says what a landing leaves on the target branch.
type Strategy string

// The strategies of a landing.
const (
	// Squash makes one commit of the session's work.
	Squash Strategy = "squash"
	// Merge makes one commit of each turn, and merges them.
	Merge Strategy = "merge"
	// Rebase puts one commit of each turn onto the target, without a merge.
	Rebase Strategy = "rebase"
	// Patch leaves the work as uncommitted edits in the checkout of the target.
	Patch Strategy = "patch"
	// Branch makes one commit on a branch, which may be new, and pushes it after a permission.
	Branch Strategy = "branch"
)

// LandParams are the params of session/land.
type LandParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Strategy is "squash" (the default), "merge", "rebase", "patch" or "branch".
	Strategy Strategy `json:"strategy,omitzero"`
	// Into is the target branch; absent for the branch the session started from, and required for the strategy "branch".
	Into string `json:"into,omitzero"`
	// Message is the commit message; absent for one that the side model proposes or that is made from the requests. A client sends the one of the preview, so that it is asked for once.
	Message string `json:"message,omitzero"`
	// Paths are the files and folders that land, Hunks the ids of the hunks that land; both absent for everything.
	Paths []string `json:"paths,omitempty"`
	// Hunks are ids from session/diff.
	Hunks []string `json:"hunks,omitempty"`
	// Preview says what would land and moves nothing.
	Preview bool `json:"preview,omitzero"`
}

// Validate names the first wrong field.
func (p LandParams) Validate() error {
	return first(
		required("session", p.Session), oneOf("strategy", p.Strategy, Squash, Merge, Rebase, Patch, Branch),
		name("into", p.Into), noNUL("message", p.Message), list("paths", p.Paths), list("hunks", p.Hunks), p.target(),
	)
}

func (p LandParams) target() error {
	if p.Strategy == Branch && p.Into == "" {
		return &FieldError{Field: "into", Reason: "is required for the strategy \"branch\": the name of the branch"}
	}
	return nil
}

// LandResult is the result of session/land.
type LandResult struct {
	// Commit is the commit that landed; absent for a preview and for a patch.
	Commit string `json:"commit,omitzero"`
	// Into is the target branch.
	Into string `json:"into"`
	// Files are the files that it changes there, without hunks.
	Files []FileDiff `json:"files"`
	// Message is the commit message; empty for a patch.
	Message string `json:"message"`
	// Strategy is how it lands.
	Strategy Strategy `json:"strategy"`
	// Checkout is the folder that has the target checked out, whose files move with it; absent when none has.
	Checkout string `json:"checkout,omitzero"`
	// Author is "Name <address>" of the commits, by the person's git configuration; absent for a patch.
	Author string `json:"author,omitzero"`
	// Committer is the same of who commits.
	Committer string `json:"committer,omitzero"`
	// Signing is how the commits are signed: "openpgp", "ssh" or "x509"; absent when they are not.
	Signing string `json:"signing,omitzero"`
	// Hooks are the hooks of the person's that a commit, merge or push by hand would run. A landing runs none of them.
	Hooks []string `json:"hooks,omitempty"`
	// Push says what became of the push of the strategy "branch"; for a preview what would be asked for. Absent for other strategies.
	Push *PushResult `json:"push,omitzero"`
}

// PushResult says what became of a push.
type PushResult struct {
	// Remote is the name of the remote; absent when the repository has none.
	Remote string `json:"remote,omitzero"`
	// URL is where it pushes to.
	URL string `json:"url,omitzero"`
	// Pushed says that the remote has the branch now.
	Pushed bool `json:"pushed"`
	// Reason says why it was not pushed.
	Reason string `json:"reason,omitzero"`
}

// UnlandResult is the result of session/unland.
type UnlandResult struct {
	// Into is the branch that went back.
	Into string `json:"into"`
	// Commit is what it is at now; absent when the landing had made it, so that it is gone, and for a patch.
	Commit string `json:"commit,omitzero"`
	// Strategy is how the landing was made.
	Strategy Strategy `json:"strategy"`
	// Files are the files that it had changed there, without hunks.
	Files []FileDiff `json:"files"`
}
