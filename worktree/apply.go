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

// Contains reports whether a branch has a commit in its history; a resume asks it about a landing whose outcome is not on record.
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
		return &ConflictError{Conflicts: []Conflict{{Path: l.Into, Kind: "moved"}}}
	}
	return nil
}

func (r *Repository) moveBranch(ctx context.Context, l Landing) error {
	err := r.setRef(ctx, "refs/heads/"+l.Into, l.Commit, l.Previous)
	if err == nil {
		return nil
	}
	if moved := r.unmoved(ctx, l); moved != nil {
		return moved
	}
	return err
}

// advance fast-forwards a checkout. Each flag beside --ff-only takes back what a person's configuration could make of a merge; without --no-overwrite-ignore git would overwrite ignored files.
func (r *Repository) advance(ctx context.Context, at place, l Landing) error {
	_, err := r.change(ctx, at, nil, "merge", "--ff-only", "--no-overwrite-ignore", "--no-squash", "--no-autostash",
		"--no-verify-signatures", "--no-stat", "--quiet", l.Commit)
	if err == nil {
		return nil
	}
	if moved := r.unmoved(ctx, l); moved != nil {
		return moved
	}
	if lockHeld(err) {
		r.takeBack(ctx, at, l)
		return refuse(TargetBusy, "another git command holds a lock in %q (%s); let it end, then land again", at.dir, firstLine(err))
	}
	conflicts, asked := r.inTheWay(ctx, at, l)
	if asked != nil {
		return asked
	}
	if len(conflicts) > 0 {
		return &ConflictError{Conflicts: conflicts}
	}
	return refuse(TargetBusy, "git refuses it in %q (%s); finish what is under way there, then land again", at.dir, firstLine(err))
}

// takeBack undoes the one failure that git leaves half done: files and index moved, then the branch was locked. It does nothing when they did not move, because then no file differs between what is there and where it goes back to.
func (r *Repository) takeBack(ctx context.Context, at place, l Landing) {
	_, _ = r.change(ctx, at, nil, "read-tree", "-m", "-u", l.Commit, l.Previous)
}
