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
	BadChoice          Reason = "bad_choice"
	NotCheckedOut      Reason = "not_checked_out"
	SigningFailed      Reason = "signing_failed"
	NothingToUnland    Reason = "nothing_to_unland"
	NoRemote           Reason = "no_remote"
	CarryConflict      Reason = "carry_conflict"
	NothingToRevert    Reason = "nothing_to_revert"
	NothingToSync      Reason = "nothing_to_sync"
	SyncBuiltOn        Reason = "sync_built_on"
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
	// Kind is git's own word for a content conflict ("contents", "modify/delete", …), or "uncommitted", "untracked", "ignored" for a file of the person's checkout, or "moved" for a target that has other commits than when the landing was prepared, or "edited" for a file of the session's tree that somebody edited since what was to be taken back.
	Kind string
	// Hunks are the hunks of what lands that meet a change of the same lines, by the ids of Diff; none when the file as a whole is in the way.
	Hunks []string
	// Lines are the places that they meet, in the file as the target's commit or checkout has it.
	Lines []ConflictLines
}

// ConflictLines is a run of lines in a file.
type ConflictLines struct {
	// First is the first line, counted from 1.
	First int
	// Count is how many lines they are; 0 when lines were removed behind First.
	Count int
}

// ConflictError says that a landing, or taking one back, cannot happen as things are. Nothing was changed.
type ConflictError struct {
	// Conflicts names every path in the way; it is never empty, and all of them are of one sort: changed on the target, there in the checkout, or a target that moved.
	Conflicts []Conflict
	// Branch is the session's branch, for a message that says what to do by hand; empty when it is not known.
	Branch string
	// Turn is the turn whose commit does not apply, for the strategies that make one for each; else zero.
	Turn TurnCommit
	// Undo is set when a landing was to be taken back.
	Undo bool
	// Own is set when it is the session's own tree that was to change, by a revert or a sync.
	Own bool
	// Checkout is the folder that the conflicts lie in when the target is checked out in a linked worktree; empty for the main checkout, or when they lie in commits.
	Checkout string
}

// Error names the paths, the first few in full, and says what to do.
func (e *ConflictError) Error() string {
	var names []string
	for _, c := range e.Conflicts {
		names = append(names, fmt.Sprintf("%q (%s)%s", c.Path, c.Kind, linesIn(c.Lines)))
	}
	return fmt.Sprintf("%s: in the way: %s; %s", e.what(), firstFew(names), e.remedy())
}

// linesIn says which lines meet, the first few of them.
func linesIn(lines []ConflictLines) string {
	const shown = 3
	var places []string
	for _, l := range lines[:min(len(lines), shown)] {
		if l.Count < 2 {
			places = append(places, strconv.Itoa(l.First))
			continue
		}
		places = append(places, fmt.Sprintf("%d-%d", l.First, l.First+l.Count-1))
	}
	if len(places) == 0 {
		return ""
	}
	if len(lines) > shown {
		places = append(places, "…")
	}
	return " at line " + strings.Join(places, ", ")
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
	if e.Own {
		return "the session's tree has edits in the same places, or ignored files"
	}
	switch e.Conflicts[0].Kind {
	case moved:
		if e.Undo {
			return "others built on the landing"
		}
		return "the branch moved meanwhile"
	case uncommitted, untracked, ignored:
		if e.Checkout != "" {
			return fmt.Sprintf("the branch is checked out at %q, which has files that nobody committed", e.Checkout)
		}
		return "the checkout has files that nobody committed"
	}
	if e.Turn.Subject != "" {
		return fmt.Sprintf("the branch and turn %q changed the same places", e.Turn.Subject)
	}
	return "the branch and the session changed the same places"
}

func (e *ConflictError) remedy() string {
	if e.Own {
		return "take those edits back, move those files away, or ask the session to do it, then try again"
	}
	again := "land again"
	if e.Undo {
		again = "take it back again"
	}
	switch e.Conflicts[0].Kind {
	case moved:
		if e.Undo {
			return "undo it by a commit (git revert)"
		}
		return again
	case uncommitted, untracked, ignored:
		return "commit them, stash them or move them away, then " + again
	}
	if e.Turn.Subject != "" {
		return "land everything as one commit (squash), or land into another branch"
	}
	if e.Branch == "" {
		return "merge the session's branch by hand, or land into another branch"
	}
	return fmt.Sprintf("sync the session in an editor and land again, merge branch %q by hand, or land into another branch", e.Branch)
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
