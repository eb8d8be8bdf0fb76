package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Recover ends what a process that died in Apply or Unland of this landing left half done, and reports whether the landing is there now: it is when its commit had become the target's (for a patch: when all its files were written), and then the rest follows; else the checkout gets back what it had. It may be repeated, also after it was cut off itself, and does nothing where nothing was cut off.
func (r *Repository) Recover(ctx context.Context, id Identity, l Landing) (landed bool, err error) {
	release, err := r.lock(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	session := sessionOf(id)
	folders, err := r.gitFolders()
	if err != nil {
		return false, err
	}
	for folder, path := range folders {
		if err := r.recover(ctx, folder, path, session); err != nil {
			return false, fmt.Errorf("end the landing that was cut off in %q: %w", path, err)
		}
	}
	return r.hasLanded(ctx, session, l)
}

// hasLanded asks the ref that decides.
func (r *Repository) hasLanded(ctx context.Context, session string, l Landing) (bool, error) {
	tip, err := r.refCommit(ctx, deciding(session, l))
	if err != nil {
		return false, fmt.Errorf("see whether %s landed on %q: %w", l.Commit, l.Into, err)
	}
	return r.ancestor(ctx, l.Commit, tip)
}

// deciding returns the ref that says whether a landing is there.
func deciding(session string, l Landing) string {
	if l.Strategy == Patch {
		return "refs/nodwyn/" + session + "/patch"
	}
	return "refs/heads/" + l.Into
}

func (r *Repository) recover(ctx context.Context, folder, path, session string) error {
	j, found, err := readJournal(folder)
	if err != nil {
		return err
	}
	name := filepath.Join(folder, "index.lock")
	held := holdOf(name) == session
	if found = found && j.Session == session; !found && !held {
		return nil
	}
	hold := &indexHold{name: name}
	at := r.placeIn(folder, path)
	if !held { // somebody removed the lock, as git's own message proposes
		if hold, err = r.holdIndex(ctx, at, session); err != nil {
			return err
		}
	}
	if found {
		ctx, cancel := finishing(ctx)
		defer cancel()
		err = r.settleJournal(ctx, at, j)
	}
	if err != nil && held {
		return err // the lock goes on keeping others away from a tree that is half way
	}
	return errors.Join(err, hold.release())
}

func (r *Repository) placeIn(folder, path string) place {
	if folder == r.common {
		return r.mainPlace()
	}
	return r.linkedPlace(path, folder)
}

// settleJournal goes forward when the ref moved, and back when it did not.
func (r *Repository) settleJournal(ctx context.Context, at place, j journal) error {
	now, err := r.refCommit(ctx, j.Ref)
	if err != nil {
		return err
	}
	newer := j.To
	if j.Undo {
		newer = j.From
	}
	has, err := r.ancestor(ctx, newer, now)
	if err != nil {
		return err
	}
	if has == j.Undo {
		return r.takeBack(ctx, at, j)
	}
	if err := r.finishIndex(ctx, at, j); err != nil {
		return err
	}
	return dropJournal(at.gitDir)
}

// finishIndex moves the entries of an index that are still what they were. One that is neither that nor what it becomes was staged since and stays.
func (r *Repository) finishIndex(ctx context.Context, at place, j journal) error {
	moving, err := r.between(ctx, j.Staged, j.StagedAfter)
	if err != nil || len(moving) == 0 {
		return err
	}
	there, err := r.deltas(ctx, at, "diff-index", "--cached", j.StagedAfter, "--")
	if err != nil {
		return err
	}
	current := make(map[string]delta)
	for _, d := range there {
		current[d.path] = d
	}
	var since []entry
	for _, d := range moving {
		is, differs := current[d.path]
		if differs && (is.newMode != d.oldMode || is.newID != d.oldID) {
			since = append(since, entry{d.oldMode, d.oldID, d.path})
		}
	}
	// Where both trees are the same, the index may have anything.
	to, err := r.treeWith(ctx, j.StagedAfter, since)
	if err != nil {
		return err
	}
	index, err := r.indexFrom(ctx, at, j.Staged, to)
	if err != nil {
		return err
	}
	return os.Rename(index, filepath.Join(at.gitDir, "index"))
}
