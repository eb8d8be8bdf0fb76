package worktree

import (
	"context"
	"fmt"
	"path/filepath"
)

// Apply moves the target to a prepared landing. Where the target is checked out, the files move with it: what is uncommitted there stays byte for byte where the landing does not touch the file, and in the files that both touch the landing's lines go in between, with what is staged still staged. Where lines meet, or an untracked or ignored file is in the way, nothing moves and a ConflictError names it. A target that moved since Prepare is a ConflictError of kind "moved"; prepare again then.
//
// A process that dies in it leaves the old state or the new one after Recover.
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
	if l.Strategy == Patch {
		return r.applyPatch(ctx, l)
	}
	m := moveOf(l)
	if err := r.movable(ctx, m); err != nil {
		return err
	}
	if err := r.keepBase(ctx, l); err != nil {
		return err
	}
	return r.moveTo(ctx, m)
}

func moveOf(l Landing) move {
	return move{session: l.session, ref: "refs/heads/" + l.Into, into: l.Into, at: l.Previous, from: l.Previous, to: l.Commit}
}

// movable refuses a target that is not where it was, or that something under way works on.
func (r *Repository) movable(ctx context.Context, m move) error {
	now, err := r.refCommit(ctx, m.ref)
	if err != nil {
		return err
	}
	if now != m.from {
		return m.movedAway()
	}
	return r.idle(ctx, m.into)
}

// moveTo moves the target where it is: in a checkout, or as a branch alone.
func (r *Repository) moveTo(ctx context.Context, m move) error {
	holder, err := r.holder(ctx, m.into)
	if err != nil {
		return err
	}
	if holder.path == "" {
		return r.moveRef(ctx, m)
	}
	at, err := r.placeOf(holder)
	if err != nil {
		return err
	}
	return r.advance(ctx, at, m, func(ctx context.Context) (*shift, error) { return r.survey(ctx, at, m.from, m.to) })
}

// Check says what Apply would refuse now, and changes nothing but objects. A nil error is no promise: the person goes on working.
func (r *Repository) Check(ctx context.Context, l Landing) error {
	if err := r.check(ctx, l); err != nil {
		return fmt.Errorf("land into %q: %w", l.Into, err)
	}
	return nil
}

func (r *Repository) check(ctx context.Context, l Landing) error {
	if l.Strategy == Patch {
		return nil // it was made for the checkout as it is
	}
	m := moveOf(l)
	if err := r.movable(ctx, m); err != nil {
		return err
	}
	holder, err := r.holder(ctx, l.Into)
	if err != nil || holder.path == "" {
		return err
	}
	at, err := r.placeOf(holder)
	if err != nil {
		return err
	}
	if err := r.noJournal(at); err != nil {
		return err
	}
	s, err := r.survey(ctx, at, m.from, m.to)
	if err != nil {
		return err
	}
	defer s.discard()
	if _, err := r.change(ctx, s.tmp(), nil, "read-tree", "-m", "-u", "-n", s.before, s.after); err != nil {
		return r.whyNot(ctx, s, m, err)
	}
	return nil
}

// keepBase keeps what the session counts from after a landing: when the target is set back later, nothing else may lead to it.
func (r *Repository) keepBase(ctx context.Context, l Landing) error {
	if l.session == "" {
		return nil
	}
	return r.keepLocked(ctx, "refs/nodwyn/"+l.session+"/landed", l.Base)
}

// Contains reports whether a branch has a commit in its history. A branch or a commit that does not exist (a landing that was cut off leaves a commit that git prunes some day) is no error.
func (r *Repository) Contains(ctx context.Context, branch, commit string) (bool, error) {
	tip, err := r.branchCommit(ctx, branch)
	if err != nil {
		return false, fmt.Errorf("read branch %q: %w", branch, err)
	}
	return r.ancestor(ctx, commit, tip)
}

// sessionOf returns the session's id, which the last part of its tree's path is.
func sessionOf(id Identity) string { return filepath.Base(id.Path) }
