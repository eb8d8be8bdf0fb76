package worktree

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
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
	RepositoryRefused  Reason = "repository_refused"
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
	NestedRepository   Reason = "nested_repository"
	FilterFailed       Reason = "filter_failed"
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
	// Conflicts names every path in the way; it is never empty, and all of them are of one sort: changed on the target, there in the checkout, or a target that moved.
	Conflicts []Conflict
	// Branch is the session's branch, for a message that says what to do by hand; empty when it is not known.
	Branch string
}

// Error names the paths, the first few in full, and says what to do.
func (e *ConflictError) Error() string {
	var names []string
	for _, c := range e.Conflicts {
		names = append(names, fmt.Sprintf("%q (%s)", c.Path, c.Kind))
	}
	return fmt.Sprintf("%s: in the way: %s; %s", e.what(), firstFew(names), e.remedy())
}

// firstFew joins names for a message and counts those that it has no room for.
func firstFew(names []string) string {
	const shown = 5
	if more := len(names) - shown; more > 0 {
		names = append(slices.Clone(names[:shown]), fmt.Sprintf("and %d more", more))
	}
	return strings.Join(names, ", ")
}

func quoted(paths []string) string {
	var names []string
	for _, path := range paths {
		names = append(names, strconv.Quote(path))
	}
	return firstFew(names)
}

func (e *ConflictError) what() string {
	switch e.Conflicts[0].Kind {
	case moved:
		return "the branch moved meanwhile"
	case uncommitted, untracked, ignored:
		return "the checkout has files that nobody committed"
	}
	return "the branch and the session changed the same places"
}

func (e *ConflictError) remedy() string {
	switch e.Conflicts[0].Kind {
	case moved:
		return "land again"
	case uncommitted, untracked, ignored:
		return "commit them, stash them or move them away, then land again"
	}
	if e.Branch == "" {
		return "merge the session's branch by hand, or land into another branch"
	}
	return fmt.Sprintf("merge branch %q by hand, or land into another branch", e.Branch)
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
