package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// Strategy is the form in which a session's work enters the person's history.
type Strategy string

const (
	// Squash lands everything as one commit on the target.
	Squash Strategy = "squash"
	// Merge lands one clean commit per turn that changed something, joined to the target by a merge commit, also when the target has not moved: the landing stays one step of the target's first-parent history, and its message is never lost.
	Merge Strategy = "merge"
)

// TurnCommit is the snapshot of a turn that is to land.
type TurnCommit struct {
	// Commit is the turn's checkpoint.
	Commit string
	// Subject becomes the subject of the turn's clean commit.
	Subject string
}

// LandSpec says what is to land, and how.
type LandSpec struct {
	// Strategy is required.
	Strategy Strategy
	// Into is the target branch; empty means the base branch of the identity.
	Into string
	// Message is the commit message; empty means one made of the turns' subjects.
	Message string
	// Landings are the session's landings so far, oldest first; of each Into, Previous, Commit and Base count. What landed and is still there is not landed again.
	Landings []Landing
	// Tip is the newest snapshot, which is what lands.
	Tip string
	// Turns are the checkpoints since the last landing, oldest first. Squash only uses their subjects.
	Turns []TurnCommit

	// base is where the landing counts from.
	base string
	// again is set when a landing was undone, so that its work lands once more.
	again bool
}

// Landing is a finished landing that only has to be applied. All its objects are in the repository; no ref leads to them.
type Landing struct {
	// Strategy is how it was made.
	Strategy Strategy
	// Into is the target branch.
	Into string
	// Previous is the target's commit that it was made for.
	Previous string
	// Commit is what the target becomes.
	Commit string
	// Base is where the next diff and landing of the session count from.
	Base string
	// Message is the message of Commit.
	Message string
	// Files is what it changes on the target, without hunks.
	Files []FileDiff

	// session names the ref that keeps Base; empty keeps none.
	session string
}

// Prepare computes a landing and changes no ref, no index and no file. It returns a ConflictError when target and session changed the same places, and a RefusedError when there is nothing to land or something is missing for it.
func (r *Repository) Prepare(ctx context.Context, id Identity, spec LandSpec) (Landing, error) {
	if spec.Into == "" {
		spec.Into = id.Base
	}
	target, err := r.target(ctx, id, spec)
	if err != nil {
		return Landing{}, err
	}
	landing, err := r.prepare(ctx, id, spec, target)
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		conflict.Branch = id.Branch
	}
	if err != nil {
		return Landing{}, fmt.Errorf("land into %q: %w", spec.Into, err)
	}
	return landing, nil
}

// target checks everything that can be refused before the merge and returns the target's commit.
func (r *Repository) target(ctx context.Context, id Identity, spec LandSpec) (string, error) {
	if spec.Strategy != Squash && spec.Strategy != Merge {
		return "", refuse(BadStrategy, "land: strategy %q is not known; use %q or %q", spec.Strategy, Squash, Merge)
	}
	if r.version.Before(forLanding) {
		return "", refuse(GitTooOld, "land: it needs git %s or newer, this is %s; install a newer git, or take the work over by hand from branch %q", forLanding, r.version, id.Branch)
	}
	if spec.Into == "" {
		return "", refuse(NoTarget, "land: the session started from a detached HEAD, so it has no branch to go back to; name the branch that is to have its work")
	}
	if spec.Into == id.Branch {
		return "", refuse(NoTarget, "land: %q is the session's own branch; name the branch that is to have its work", spec.Into)
	}
	commit, err := r.branchCommit(ctx, spec.Into)
	if err != nil {
		return "", fmt.Errorf("land into %q: %w", spec.Into, err)
	}
	if commit == "" {
		return "", refuse(NoTarget, "land into %q: there is no such branch; name one that exists", spec.Into)
	}
	if err := r.idle(ctx, spec.Into); err != nil {
		return "", fmt.Errorf("land into %q: %w", spec.Into, err)
	}
	return commit, r.requireIdentity(ctx)
}

// requireIdentity asks git who commits here, as git itself would, but for guessing: a guessed name in history cannot be taken back.
func (r *Repository) requireIdentity(ctx context.Context) error {
	for _, who := range [...]string{"GIT_AUTHOR_IDENT", "GIT_COMMITTER_IDENT"} {
		_, err := r.ask(ctx, r.mainPlace(), "var", who)
		if exitCode(err) >= 1 {
			return refuse(NoIdentity, "land: git does not know your name and email; set them with: git config --global user.name NAME, and: git config --global user.email ADDRESS")
		}
		if err != nil {
			return fmt.Errorf("land: ask git for %s: %w", who, err)
		}
	}
	return nil
}

func (r *Repository) prepare(ctx context.Context, id Identity, spec LandSpec, target string) (Landing, error) {
	var err error
	if spec.base, spec.again, err = r.countsFrom(ctx, id, spec.Landings); err != nil {
		return Landing{}, err
	}
	merged, err := r.mergeInto(ctx, spec, target)
	if err != nil {
		return Landing{}, err
	}
	changes, err := r.changes(ctx, target, merged, nil)
	if err != nil {
		return Landing{}, err
	}
	if err := r.sound(ctx, id, spec, changes); err != nil {
		return Landing{}, err
	}
	landing := Landing{
		Strategy: spec.Strategy, Into: spec.Into, Previous: target, Base: spec.Tip, Message: messageOf(spec), session: filepath.Base(id.Path),
	}
	for _, c := range changes {
		landing.Files = append(landing.Files, c.FileDiff)
	}
	if spec.Strategy == Merge {
		landing.Commit, landing.Base, err = r.mergeCommit(ctx, spec, target, merged, landing.Message)
	} else {
		landing.Commit, err = r.commitTree(ctx, r.mainPlace(), merged, landing.Message, target)
	}
	if err != nil {
		return Landing{}, err
	}
	return landing, nil
}

// mergeInto returns the tree that the target will have.
func (r *Repository) mergeInto(ctx context.Context, spec LandSpec, target string) (string, error) {
	base, err := r.ancestorFor(ctx, spec, target)
	if err != nil {
		return "", err
	}
	merged, conflicts, err := r.merge3(ctx, base, target, spec.Tip)
	if err != nil {
		return "", err
	}
	if len(conflicts) > 0 {
		return "", &ConflictError{Conflicts: conflicts}
	}
	has, err := r.treeOf(ctx, target)
	if err == nil && has == merged {
		return "", r.nothing(ctx, spec)
	}
	return merged, err
}

// nothing tells a session without work from one whose work the target has.
func (r *Repository) nothing(ctx context.Context, spec LandSpec) error {
	base, err := r.treeOf(ctx, spec.base)
	if err != nil {
		return err
	}
	tip, err := r.treeOf(ctx, spec.Tip)
	if err != nil {
		return err
	}
	if base == tip {
		return refuse(NothingToLand, "nothing to land: the session changed no file since it began or last landed")
	}
	return refuse(NothingToLand, "nothing to land: the branch has everything that the session changed")
}

// ancestorFor chooses what a merge counts from: normally the base, but the fork point that git finds when the session itself merged newer commits of the target, so that what it resolved then is not asked again.
func (r *Repository) ancestorFor(ctx context.Context, spec LandSpec, target string) (string, error) {
	fork, err := r.ask(ctx, r.mainPlace(), "merge-base", target, spec.Tip)
	// A tip in the target's own history whose content is to land again was taken back there; counted from it, nothing would be new.
	if exitCode(err) >= 1 || err == nil && spec.again && fork == spec.Tip {
		return spec.base, nil
	}
	if err != nil {
		return "", err
	}
	newer, err := r.ancestor(ctx, spec.base, fork)
	if newer {
		return fork, err
	}
	return spec.base, err
}

// messageOf returns the message of a landing: the given one, the only turn's subject, or a summary of several.
func messageOf(spec LandSpec) string {
	if message := strings.TrimSpace(spec.Message); message != "" {
		return message
	}
	var subjects []string
	for _, turn := range spec.Turns {
		if subject := subjectOf(turn); !slices.Contains(subjects, subject) {
			subjects = append(subjects, subject)
		}
	}
	switch len(subjects) {
	case 0:
		return "Land the work of a session"
	case 1:
		return subjects[0]
	default:
		return subjects[0] + "\n\n- " + strings.Join(subjects, "\n- ")
	}
}

// subjectOf returns one line, whatever the turn was given as.
func subjectOf(turn TurnCommit) string {
	line, _, _ := strings.Cut(strings.TrimSpace(turn.Subject), "\n")
	if line == "" {
		return "Work of a session"
	}
	return strings.TrimSpace(line)
}
