package worktree

import (
	"errors"
	"fmt"
	"strings"
)

// Reason is one stable word for why something was refused; programs branch on it, people read the message.
type Reason string

// The reasons of a RefusedError.
const (
	GitMissing         Reason = "git_missing"
	GitTooOld          Reason = "git_too_old"
	NoFolder           Reason = "no_folder"
	NoRepository       Reason = "no_repository"
	NoCommit           Reason = "no_commit"
	BadSession         Reason = "bad_session"
	BadBranch          Reason = "bad_branch"
	BranchTaken        Reason = "branch_taken"
	PathTaken          Reason = "path_taken"
	BadBase            Reason = "bad_base"
	WorktreeMissing    Reason = "worktree_missing"
	WorktreeBroken     Reason = "worktree_broken"
	WorktreeUnfinished Reason = "worktree_unfinished"
	BadStrategy        Reason = "bad_strategy"
	NoTarget           Reason = "no_target"
	TargetBusy         Reason = "target_busy"
	NoIdentity         Reason = "no_identity"
	NothingToLand      Reason = "nothing_to_land"
)

// RefusedError says that an operation was not begun, and what a person can do about it. Nothing was changed.
type RefusedError struct {
	// Reason is the stable word.
	Reason Reason
	// Message is the whole sentence for people.
	Message string
}

// Error returns the message.
func (e *RefusedError) Error() string { return e.Message }

func refuse(reason Reason, format string, args ...any) error {
	return &RefusedError{Reason: reason, Message: fmt.Sprintf(format, args...)}
}

func refusedFor(err error, reason Reason) bool {
	refused, ok := errors.AsType[*RefusedError](err)
	return ok && refused.Reason == reason
}

// Conflict is one path that stands in the way of a landing.
type Conflict struct {
	// Path is relative to the tree; for the kind "moved" it is the target branch.
	Path string
	// Kind is git's own word for a content conflict ("contents", "modify/delete", …), or "uncommitted", "untracked", "ignored" for a file of the person's checkout, or "moved" for a target that has other commits than when the landing was prepared.
	Kind string
}

// ConflictError says that a landing cannot happen as things are. Nothing was changed.
type ConflictError struct {
	// Conflicts names every path in the way; it is never empty.
	Conflicts []Conflict
}

// Error names the paths, the first few in full.
func (e *ConflictError) Error() string {
	const shown = 5
	var names []string
	for _, c := range e.Conflicts[:min(shown, len(e.Conflicts))] {
		names = append(names, fmt.Sprintf("%q (%s)", c.Path, c.Kind))
	}
	if more := len(e.Conflicts) - shown; more > 0 {
		names = append(names, fmt.Sprintf("and %d more", more))
	}
	return fmt.Sprintf("in the way: %s", strings.Join(names, ", "))
}

// gitFailure is what an error of the Git offers when git itself ran and said no.
type gitFailure interface {
	error
	ExitCode() int
	Stderr() string
}

// exitCode returns git's exit code, or -1 when err is not an answer of git.
func exitCode(err error) int {
	if failure, ok := errors.AsType[gitFailure](err); ok {
		return failure.ExitCode()
	}
	return -1
}

func stderrOf(err error) string {
	if failure, ok := errors.AsType[gitFailure](err); ok {
		return failure.Stderr()
	}
	return ""
}

// firstLine returns git's first word on a failure, for a message that has little room.
func firstLine(err error) string {
	text := strings.TrimSpace(stderrOf(err))
	if text == "" {
		return err.Error()
	}
	line, _, _ := strings.Cut(text, "\n")
	return line
}
