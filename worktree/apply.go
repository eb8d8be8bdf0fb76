package worktree

import (
	"context"
	"fmt"
)

// Apply moves the target to a prepared landing. Where the target is checked out, the files move with it: edits of other files stay byte for byte, staged ones stay staged, and when a changed, untracked or ignored file is in the way nothing moves and a ConflictError names it. A target that moved since Prepare is a ConflictError of kind "moved"; prepare again then.
func (r *Repository) Apply(ctx context.Context, l Landing) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := r.apply(ctx, l); err != nil {
		return fmt.Errorf("land into %q: %w", l.Into, err)
	}
	return nil
}

func (r *Repository) apply(ctx context.Context, l Landing) error {
	if err := r.unmoved(ctx, l); err != nil {
		return err
	}
	if err := r.idle(ctx, l.Into); err != nil {
		return err
	}
	if err := r.keepBase(ctx, l); err != nil {
		return err
	}
	holder, err := r.holder(ctx, l.Into)
	if err != nil {
		return err
	}
	// From here on a cancellation would leave the person's tree half way.
	ctx, cancel := finishing(ctx)
	defer cancel()
	if holder.path == "" {
		return r.moveBranch(ctx, l)
	}
	at, err := r.placeOf(holder)
	if err != nil {
		return err
	}
	return r.advance(ctx, at, l)
}

// keepBase keeps what the session counts from after a landing: when the target is set back later, nothing else may lead to it.
func (r *Repository) keepBase(ctx context.Context, l Landing) error {
	if l.session == "" {
		return nil
	}
	return r.keepLocked(ctx, "refs/nodwyn/"+l.session+"/landed", l.Base)
}

// Contains reports whether a branch has a commit in its history; a resume asks it about a landing whose outcome is not on record. A branch or a commit that does not exist (a landing that was cut off leaves a commit that git prunes some day) is no error.
func (r *Repository) Contains(ctx context.Context, branch, commit string) (bool, error) {
	tip, err := r.branchCommit(ctx, branch)
	if err != nil {
		return false, fmt.Errorf("read branch %q: %w", branch, err)
	}
	return r.ancestor(ctx, commit, tip)
}

func (r *Repository) unmoved(ctx context.Context, l Landing) error {
	now, err := r.branchCommit(ctx, l.Into)
	if err != nil {
		return err
	}
	if now != l.Previous {
		return &ConflictError{Conflicts: []Conflict{{Path: l.Into, Kind: moved}}}
	}
	return nil
}

func (r *Repository) moveBranch(ctx context.Context, l Landing) error {
	err := r.setRef(ctx, "refs/heads/"+l.Into, l.Commit, l.Previous)
	if err == nil {
		return nil
	}
	if changed := r.unmoved(ctx, l); changed != nil {
		return changed
	}
	return err
}

// advance fast-forwards a checkout. Each flag beside --ff-only takes back what a person's configuration could make of a merge; without --no-overwrite-ignore git would overwrite ignored files.
func (r *Repository) advance(ctx context.Context, at place, l Landing) error {
	deleted, err := r.deletedThere(ctx, at, l)
	if err != nil {
		return err
	}
	if len(deleted) > 0 {
		return &ConflictError{Conflicts: deleted}
	}
	if err := r.stillOn(ctx, at, l); err != nil {
		return err
	}
	_, err = r.change(ctx, at, nil, "merge", "--ff-only", "--no-overwrite-ignore", "--no-squash", "--no-autostash",
		"--no-verify-signatures", "--no-stat", "--quiet", l.Commit)
	if err == nil {
		return r.confirm(ctx, at, l)
	}
	return r.whyNot(ctx, at, l, err)
}

// whyNot turns git's refusal to advance a checkout into what the person can do about it.
func (r *Repository) whyNot(ctx context.Context, at place, l Landing, refusal error) error {
	if changed := r.unmoved(ctx, l); changed != nil {
		return changed
	}
	if lockHeld(refusal) {
		r.takeBack(ctx, at, l)
		return refuse(TargetBusy, "another git command holds a lock in %q (%s); let it end, then land again", at.dir, firstLine(refusal))
	}
	conflicts, err := r.inTheWay(ctx, at, l)
	if err != nil {
		return err
	}
	if len(conflicts) == 0 {
		conflicts = namedBy(refusal, l)
	}
	if len(conflicts) > 0 {
		return &ConflictError{Conflicts: conflicts}
	}
	return refuse(TargetBusy, "git refuses it in %q (%s); finish what is under way there, then land again", at.dir, firstLine(refusal))
}

// stillOn makes sure that the checkout has the target checked out, because a merge moves whatever is.
func (r *Repository) stillOn(ctx context.Context, at place, l Landing) error {
	on, commit, err := r.head(ctx, at)
	if err != nil {
		return err
	}
	if on != l.Into || commit != l.Previous {
		return &ConflictError{Conflicts: []Conflict{{Path: l.Into, Kind: moved}}}
	}
	return nil
}

// confirm looks whether the target is what moved. A person who checks out another branch between our last look and git's makes the merge move that one; then it goes back to where it was.
func (r *Repository) confirm(ctx context.Context, at place, l Landing) error {
	landed, err := r.Contains(ctx, l.Into, l.Commit)
	if err != nil || landed {
		return err
	}
	on, commit, err := r.head(ctx, at)
	if err != nil {
		return err
	}
	if commit == l.Commit {
		ref := "HEAD" // detached
		if on != "" {
			ref = "refs/heads/" + on
		}
		if _, err := r.change(ctx, at, nil, "update-ref", "--no-deref", "-m", "nodwyn: not the branch to land on", ref, l.Previous, l.Commit); err != nil {
			return fmt.Errorf("take back the move of %q: %w", on, err)
		}
		r.takeBack(ctx, at, l)
	}
	return &ConflictError{Conflicts: []Conflict{{Path: l.Into, Kind: moved}}}
}

// takeBack undoes what git left half done: files and index moved, but not the branch. It does nothing when they did not move, because then no file differs between what is there and where it goes back to.
func (r *Repository) takeBack(ctx context.Context, at place, l Landing) {
	_, _ = r.change(ctx, at, nil, "read-tree", "-m", "-u", l.Commit, l.Previous)
}
