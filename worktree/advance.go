package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// move takes a ref from one commit to another, and the checkout that shows it along.
type move struct {
	session string
	// ref is the full name of what decides: the target branch, or for a patch the ref that keeps the session's patches.
	ref string
	// into is the branch that the checkout has to be on, and on which commit, all the way.
	into, at string
	// from and to are the commits of ref; empty for none.
	from, to string
	// undo says that a landing is taken back.
	undo bool
}

func (m move) conflict(c ...Conflict) error {
	return &ConflictError{Conflicts: c, Undo: m.undo}
}

func (m move) movedAway() error { return m.conflict(Conflict{Path: m.into, Kind: moved}) }

// advance moves a checkout and its branch. The steps, and what a process that dies behind each leaves:
//
//  1. index.lock, with our name in it: the old state; Recover removes the lock.
//  2. Objects, a hidden ref that keeps the person's files as they were, and the journal: the old state.
//  3. Files, one by one, by git: the old branch with some new files. Recover puts the old ones back, but for a file that somebody edited since.
//  4. The ref, by compare-and-set, which is the moment of the landing: the new state but for the index. Recover writes the index.
//  5. The index, renamed into place: the new state. Recover removes what is left of the journal and the lock.
//
// Nothing of the person's can change under it: their git waits for the lock, and a file that they save meanwhile makes git refuse step 3 as a whole, or is left as it is by step 3's undoing.
func (r *Repository) advance(ctx context.Context, at place, m move, survey func(context.Context) (*shift, error)) (err error) {
	if err := r.noJournal(at); err != nil {
		return err
	}
	hold, err := r.holdIndex(ctx, at, m.session)
	if err != nil {
		return err
	}
	err = r.advanceHeld(ctx, at, m, survey)
	return errors.Join(err, hold.release())
}

// noJournal refuses a checkout in which a landing was cut off: what lies there is neither the old nor the new state.
func (r *Repository) noJournal(at place) error {
	j, found, err := readJournal(at.gitDir)
	if err != nil || !found {
		return err
	}
	return refuse(TargetBusy, "a landing of session %q is under way in %q, or was cut off there; try again in a moment, and if it stays, resume that session, which finishes it or takes it back", j.Session, at.dir)
}

func (r *Repository) advanceHeld(ctx context.Context, at place, m move, survey func(context.Context) (*shift, error)) error {
	if err := r.stillOn(ctx, at, m); err != nil {
		return err
	}
	s, err := survey(ctx)
	if err != nil {
		return err
	}
	defer s.discard()
	if err := r.keepSafe(ctx, s, m); err != nil {
		return err
	}
	// From here on a cancellation would leave the person's tree half way.
	ctx, cancel := finishing(ctx)
	defer cancel()
	note := journal{
		Session: m.session, Ref: m.ref, From: m.from, To: m.to, Undo: m.undo,
		Before: s.before, After: s.after, Staged: s.staged, StagedAfter: s.stagedAfter,
	}
	if err := note.write(at.gitDir); err != nil {
		return err
	}
	if err := r.carryOut(ctx, s, m); err != nil {
		return errors.Join(err, r.takeBack(ctx, at, note))
	}
	return dropJournal(at.gitDir)
}

// keepSafe keeps the files of the person's that are written anew under a ref until the next landing, whatever becomes of this one.
func (r *Repository) keepSafe(ctx context.Context, s *shift, m move) error {
	if len(s.parted) == 0 {
		return nil
	}
	parents := []string{m.at}
	if s.staged != "" {
		index, err := r.standIn(ctx, s.staged)
		if err != nil {
			return err
		}
		parents = append(parents, index)
	}
	commit, err := r.commitTree(ctx, r.mainPlace().with(ours...), s.before, "before a landing", parents...)
	if err != nil {
		return err
	}
	return r.keepLocked(ctx, "refs/nodwyn/"+m.session+"/before-landing", commit)
}

// carryOut writes the files, then moves the ref, then the index.
func (r *Repository) carryOut(ctx context.Context, s *shift, m move) error {
	if _, err := r.change(ctx, s.tmp(), nil, "read-tree", "-m", "-u", s.before, s.after); err != nil {
		return r.whyNot(ctx, s, m, err)
	}
	index, err := r.nextIndex(ctx, s)
	if err != nil {
		return err
	}
	defer os.Remove(index)
	if err := r.stillOn(ctx, s.at, m); err != nil {
		return err
	}
	if err := r.moveRef(ctx, m); err != nil {
		return err
	}
	if index == "" {
		return nil
	}
	if err := os.Rename(index, filepath.Join(s.at.gitDir, "index")); err != nil {
		back := move{ref: m.ref, into: m.into, from: m.to, to: m.from}
		return errors.Join(fmt.Errorf("write the index: %w", err), r.moveRef(ctx, back))
	}
	return nil
}

// nextIndex makes the index that the checkout is to have, beside it; empty when it keeps the one that it has. Where nothing of the person's is in the way, the scratch index is it already.
func (r *Repository) nextIndex(ctx context.Context, s *shift) (string, error) {
	switch {
	case s.staged == s.stagedAfter:
		return "", nil
	case s.staged == s.before:
		return s.scratch, nil
	}
	return r.indexFrom(ctx, s.at, s.staged, s.stagedAfter)
}

// indexFrom copies the index of a checkout and moves the copy's entries from one tree to another, leaving its flags and what the trees have in common.
func (r *Repository) indexFrom(ctx context.Context, at place, from, to string) (string, error) {
	scratch, err := copyIndex(at.gitDir)
	if err != nil {
		return "", fmt.Errorf("copy the index of %q: %w", at.dir, err)
	}
	tmp := at.with("GIT_INDEX_FILE=" + scratch)
	// The files are not looked at: they are where they go already.
	_, err = r.change(ctx, tmp, nil, "read-tree", "-i", "-m", from, to)
	if err == nil {
		_, err = r.change(ctx, tmp, nil, "update-index", "-q", "--refresh")
		if exitCode(err) == 1 {
			err = nil // files differ from the index, which are the person's edits
		}
	}
	if err != nil {
		os.Remove(scratch)
		return "", fmt.Errorf("make the new index of %q: %w", at.dir, err)
	}
	return scratch, nil
}

// stillOn makes sure that the checkout shows what is to move.
func (r *Repository) stillOn(ctx context.Context, at place, m move) error {
	on, commit, err := r.head(ctx, at)
	if err != nil {
		return err
	}
	if on != m.into || commit != m.at {
		return m.movedAway()
	}
	return nil
}

// moveRef moves the ref if it is where it should be.
func (r *Repository) moveRef(ctx context.Context, m move) error {
	var err error
	if m.to == "" {
		err = r.deleteRef(ctx, m.ref, m.from)
	} else {
		err = r.setRef(ctx, m.ref, m.to, m.from)
	}
	if err == nil {
		return nil
	}
	if now, asked := r.refCommit(ctx, m.ref); asked == nil && now != m.from {
		return m.movedAway()
	}
	if lockHeld(err) {
		return refuse(TargetBusy, "another git command holds a lock on branch %q (%s); let it end, then try again", m.into, firstLine(err))
	}
	return err
}

// whyNot turns git's refusal to write the files into what the person can do about it.
func (r *Repository) whyNot(ctx context.Context, s *shift, m move, refusal error) error {
	if err := filterRefusal(refusal); err != refusal {
		return err
	}
	moving, err := r.between(ctx, s.before, s.after)
	if err != nil {
		return err
	}
	if conflicts := namedBy(refusal); len(conflicts) > 0 {
		more, err := r.inTheWay(ctx, s.at, namesOf(moving))
		if err != nil {
			return err
		}
		return r.elsewhere(s.at, m.conflict(unparted(s, conflicts, more)...))
	}
	return fmt.Errorf("write the files in %q: %w", s.at.dir, refusal)
}

// unparted adds to the file that git names those that a status names, but for the ones that the move knew of.
func unparted(s *shift, named, more []Conflict) []Conflict {
	for _, c := range more {
		if !s.parted[c.Path] && c.Path != named[0].Path {
			named = append(named, c)
		}
	}
	return named
}
