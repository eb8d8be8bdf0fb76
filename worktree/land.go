package worktree

import (
	"context"
	"errors"
	"fmt"
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
	// Rebase puts one clean commit per turn that changed something onto the target, without a merge commit.
	Rebase Strategy = "rebase"
	// Patch leaves everything as uncommitted edits in the checkout of the target; no branch and no index moves.
	Patch Strategy = "patch"
	// Branch lands everything as one commit on a branch that may not exist yet, to be pushed from there.
	Branch Strategy = "branch"
)

// strategies are all of them, for a message that lists them.
var strategies = [...]Strategy{Squash, Merge, Rebase, Patch, Branch}

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
	// Turns are the checkpoints since the last landing, oldest first. Only Merge and Rebase make commits of them; the others use their subjects.
	Turns []TurnCommit
	// Paths are the files and folders of the session's diff that land, Hunks the ids of hunks that land; both empty means everything. Chosen parts land as one step, whatever the turns.
	Paths []string
	// Hunks are read with Paths.
	Hunks []string
	// Preview leaves commits unsigned, so that nobody is asked for a passphrase.
	Preview bool

	// base is where the landing counts from.
	base string
	// again is set when a landing was undone, so that its work lands once more.
	again bool
	// holder is where the target is checked out.
	holder listed
	// absent is set when the target branch is to be made.
	absent bool
	// author and committer are who the person is.
	author, committer string
	// signed is set when the commits are to be signed.
	signed bool
}

// Landing is a finished landing that only has to be applied. All its objects are in the repository; no ref leads to them.
type Landing struct {
	// Strategy is how it was made.
	Strategy Strategy
	// Into is the target branch.
	Into string
	// Previous is the target's commit that it was made for; empty when the branch is to be made.
	Previous string
	// Commit is what the target becomes. For a patch it is a commit of ours that only holds what is written, on one that holds what was there.
	Commit string
	// Base is where the next diff and landing of the session count from.
	Base string
	// Message is the message of Commit.
	Message string
	// Files is what it changes on the target, without hunks.
	Files []FileDiff
	// Checkout is the working tree that has the target checked out, whose files move with it; empty when none has.
	Checkout string
	// Manner is what the commits take from the person's git configuration.
	Manner Manner

	// session names the ref that keeps Base; empty keeps none.
	session string
}

// Prepare computes a landing and changes no ref, no index and no file. It returns a ConflictError when target and session changed the same places, and a RefusedError when there is nothing to land or something is missing for it.
func (r *Repository) Prepare(ctx context.Context, id Identity, spec LandSpec) (Landing, error) {
	if spec.Into == "" {
		spec.Into = id.Base
	}
	target, err := r.target(ctx, id, &spec)
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

// target checks everything that can be refused before the merge and returns its commit, which a branch that is to be made has none of.
func (r *Repository) target(ctx context.Context, id Identity, spec *LandSpec) (string, error) {
	if !slices.Contains(strategies[:], spec.Strategy) {
		return "", refuse(BadStrategy, "land: strategy %q is not known; use one of %q", spec.Strategy, strategies)
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
	commit, err := r.targetCommit(ctx, spec)
	if err != nil {
		return "", fmt.Errorf("land into %q: %w", spec.Into, err)
	}
	if spec.Strategy == Patch {
		return commit, nil // no commit of the person's is made
	}
	spec.author, spec.committer, err = r.identities(ctx)
	return commit, err
}

// targetCommit finds the target and where it is checked out.
func (r *Repository) targetCommit(ctx context.Context, spec *LandSpec) (string, error) {
	commit, err := r.branchCommit(ctx, spec.Into)
	if err != nil {
		return "", err
	}
	spec.absent = commit == ""
	if spec.absent && spec.Strategy != Branch {
		return "", refuse(NoTarget, "there is no such branch; name one that exists")
	}
	if spec.absent {
		return "", r.branchFor(ctx, spec.Into)
	}
	if spec.holder, err = r.holder(ctx, spec.Into); err != nil {
		return "", err
	}
	if spec.Strategy == Patch && spec.holder.path == "" {
		return "", notCheckedOut(spec.Into)
	}
	return commit, r.idle(ctx, spec.Into)
}

func (r *Repository) prepare(ctx context.Context, id Identity, spec LandSpec, target string) (Landing, error) {
	var err error
	if spec.base, spec.again, err = r.countsFrom(ctx, id, spec.Landings); err != nil {
		return Landing{}, err
	}
	if spec.chosen() {
		if spec, err = r.choose(ctx, spec); err != nil {
			return Landing{}, err
		}
	}
	landing := Landing{
		Strategy: spec.Strategy, Into: spec.Into, Previous: target, Base: spec.Tip, Message: messageOf(spec), Checkout: spec.holder.path, session: sessionOf(id),
	}
	if spec.absent {
		if target, err = r.branchStart(ctx, id, spec.base); err != nil {
			return Landing{}, err
		}
	}
	if landing.Manner, err = r.manner(ctx, spec); err != nil {
		return Landing{}, err
	}
	spec.signed = landing.Manner.Signing != "" && !spec.Preview
	changes, err := r.compose(ctx, spec, target, &landing)
	if err != nil {
		return Landing{}, err
	}
	if err := r.sound(ctx, id, spec, changes); err != nil {
		return Landing{}, err
	}
	for _, c := range changes {
		landing.Files = append(landing.Files, c.FileDiff)
	}
	return landing, nil
}

// compose makes the commits of a landing and returns what they change.
func (r *Repository) compose(ctx context.Context, spec LandSpec, target string, landing *Landing) ([]change, error) {
	switch spec.Strategy {
	case Patch:
		return r.preparePatch(ctx, spec, target, landing)
	case Rebase:
		return r.prepareRebase(ctx, spec, target, landing)
	}
	merged, err := r.mergeInto(ctx, spec, target)
	if err != nil {
		return nil, err
	}
	if spec.Strategy == Merge {
		landing.Commit, landing.Base, err = r.mergeCommit(ctx, spec, target, merged, landing.Message)
	} else {
		landing.Commit, err = r.personCommit(ctx, spec, merged, landing.Message, target)
	}
	if err != nil {
		return nil, err
	}
	return r.changes(ctx, target, merged, nil)
}

// prepareRebase replays the turns on the target.
func (r *Repository) prepareRebase(ctx context.Context, spec LandSpec, target string, landing *Landing) ([]change, error) {
	var err error
	if spec.base, err = r.ancestorFor(ctx, spec, target); err != nil {
		return nil, err
	}
	if landing.Commit, err = r.replay(ctx, spec, target); err != nil {
		return nil, err
	}
	if landing.Commit == target {
		return nil, r.nothing(ctx, spec)
	}
	if landing.Message, err = r.ask(ctx, r.mainPlace(), "log", "-1", "--no-show-signature", "--format=%B", landing.Commit); err != nil {
		return nil, err
	}
	landing.Message = strings.TrimSpace(landing.Message)
	return r.changes(ctx, target, landing.Commit, nil)
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
		return "", &ConflictError{Conflicts: r.meetings(ctx, conflicts, base, target, spec.Tip)}
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
