package worktree

import (
	"context"
	"errors"
	"fmt"
)

// Unland takes a landing back: the target goes to where it was before, if it is still exactly the landing's commit, and the checkout with it, as in Apply; a branch that the landing made goes. Of a patch, the files lose what they got, where nobody changed those lines since. Otherwise nothing moves and a ConflictError says what is in the way: of kind "moved" when others built on the landing.
//
// A process that dies in it leaves the old state or the new one after Recover. Afterwards CountsFrom counts from before the landing.
func (r *Repository) Unland(ctx context.Context, id Identity, l Landing) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	l.session = sessionOf(id)
	if l.Strategy == Patch {
		err = r.unlandPatch(ctx, l)
	} else {
		err = r.unland(ctx, l)
	}
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		conflict.Undo = true
	}
	if err != nil {
		return fmt.Errorf("take the landing back from %q: %w", l.Into, err)
	}
	return nil
}

func (r *Repository) unland(ctx context.Context, l Landing) error {
	m := moveOf(l)
	m.at, m.from, m.to, m.undo = l.Commit, l.Commit, l.Previous, true
	if err := r.movable(ctx, m); err != nil {
		return err
	}
	if m.to != "" {
		return r.moveTo(ctx, m)
	}
	holder, err := r.holder(ctx, l.Into)
	if err != nil {
		return err
	}
	if holder.path != "" {
		return refuse(TargetBusy, "the landing made the branch, which is checked out at %q now; check out another branch there, then take it back again", holder.path)
	}
	return r.moveRef(ctx, m)
}

func (r *Repository) unlandPatch(ctx context.Context, l Landing) error {
	earlier, err := r.resolve(ctx, r.mainPlace(), l.Commit+"^2")
	if err != nil {
		return err
	}
	target, err := r.branchCommit(ctx, l.Into)
	if err != nil {
		return err
	}
	m := move{session: l.session, ref: deciding(l.session, l), into: l.Into, at: target, from: l.Commit, to: earlier, undo: true}
	now, err := r.refCommit(ctx, m.ref)
	if err == nil && now != m.from {
		err = refuse(NothingToUnland, "it is not the session's last patch any more")
	}
	if err != nil {
		return err
	}
	// Once the person committed the patch, it is history of theirs.
	if target != l.Previous {
		if committed, err := r.holdsPatch(ctx, l, target); err != nil {
			return err
		} else if committed {
			return m.movedAway()
		}
	}
	at, err := r.patched(ctx, l)
	if err != nil {
		return err
	}
	return r.advance(ctx, at, m, func(ctx context.Context) (*shift, error) { return r.surveyUnpatch(ctx, at, l) })
}

func (r *Repository) surveyUnpatch(ctx context.Context, at place, l Landing) (*shift, error) {
	s, err := r.surveyPatch(ctx, at, l.Commit, l.Commit+"^1")
	if err != nil {
		return nil, err
	}
	if s.before == s.after {
		s.discard()
		return nil, refuse(NothingToUnland, "nothing of the patch is in %q any more", at.dir)
	}
	return s, nil
}

// holdsPatch reports whether a commit has all of a patch: making it again would change nothing.
func (r *Repository) holdsPatch(ctx context.Context, l Landing, commit string) (bool, error) {
	has, err := r.treeOf(ctx, commit)
	if err != nil {
		return false, err
	}
	with, conflicts, err := r.merge3(ctx, l.Commit+"^1", has, l.Commit)
	return len(conflicts) == 0 && with == has, err
}

// still reports whether content has something of a landing: taking it back from there would change it.
func (r *Repository) still(ctx context.Context, l Landing, content string) (bool, error) {
	has, err := r.treeOf(ctx, content)
	if err != nil {
		return false, err
	}
	from := l.Previous
	if from == "" || l.Strategy == Patch {
		from = l.Commit + "^1"
	}
	without, conflicts, err := r.merge3(ctx, l.Commit, has, from)
	return len(conflicts) > 0 || without != has, err
}

// patchStands reports whether something of a patch is where it went: in the files of the checkout, or committed since.
func (r *Repository) patchStands(ctx context.Context, l Landing) (bool, error) {
	known, err := r.resolve(ctx, r.mainPlace(), l.Commit+"^1")
	if err != nil || known == "" {
		return false, err
	}
	target, err := r.branchCommit(ctx, l.Into)
	if err != nil || target == "" {
		return false, err
	}
	holder, err := r.holder(ctx, l.Into)
	if err != nil {
		return false, err
	}
	if holder.path == "" {
		return r.holdsPatch(ctx, l, target)
	}
	at, err := r.placeOf(holder)
	if err != nil {
		return r.holdsPatch(ctx, l, target)
	}
	s, err := r.prepared(ctx, at, l.Commit, l.Commit+"^1")
	if err != nil {
		return false, err
	}
	defer s.discard()
	now, err := r.ask(ctx, s.tmp(), "write-tree")
	if err != nil {
		return false, err
	}
	return r.still(ctx, l, now)
}
