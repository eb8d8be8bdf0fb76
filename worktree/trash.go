package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// trashFolder is where a root keeps what was removed.
const trashFolder = ".trash"

// trashStamp ends the names in the trash; the time in the name is when something came there, since a rename does not touch the times of a folder.
const trashStamp = "20060102T150405.000000000"

// Trashed is something in the trash of a root.
type Trashed struct {
	// Path is where it is now.
	Path string
	// Session is the session whose tree it was, or in whose place it stood.
	Session string
	// Common is the git folder of the repository that the tree belonged to; empty when it is no tree of that session's but something that stood in its place.
	Common string
	// Since is when it came there.
	Since time.Time
}

// ListTrash lists what lies in the trash of a root, the oldest first. What has no name of ours is passed over: somebody else put it there.
func ListTrash(root string) ([]Trashed, error) {
	bin := filepath.Join(root, trashFolder)
	// A link would lead out of the root, to folders that are not ours to delete.
	if stat, err := os.Lstat(bin); err != nil || !stat.IsDir() {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		return nil, fmt.Errorf("list trash: %w", err)
	}
	entries, err := os.ReadDir(bin)
	if err != nil {
		return nil, fmt.Errorf("list trash: %w", err)
	}
	var list []Trashed
	for _, entry := range entries {
		if t, ours := trashed(filepath.Join(bin, entry.Name())); ours {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b Trashed) int { return a.Since.Compare(b.Since) })
	return list, nil
}

func trashed(path string) (t Trashed, ours bool) {
	name := filepath.Base(path)
	cut := len(name) - len(trashStamp) - 1
	if cut < 1 || name[cut] != '-' || !sessionForm.MatchString(name[:cut]) {
		return Trashed{}, false
	}
	since, err := time.Parse(trashStamp, name[cut+1:])
	if err != nil {
		return Trashed{}, false
	}
	t = Trashed{Path: path, Session: name[:cut], Since: since}
	if admin, err := readLink(path); err == nil && filepath.Base(admin) == t.Session {
		t.Common = commonOf(admin)
	}
	return t, true
}

// commonOf returns the common folder of an administrative one, empty when it does not look like one.
func commonOf(admin string) string {
	if folder := filepath.Dir(admin); filepath.Base(folder) == "worktrees" {
		return filepath.Dir(folder)
	}
	return ""
}

// Drop deletes something in the trash for good. It ends early with ctx; what is left then keeps its name and is found again.
func (t Trashed) Drop(ctx context.Context) error {
	// The .git file goes last, so that a rest is still known for a tree.
	link := filepath.Join(t.Path, ".git")
	err := dropBelow(ctx, t.Path, link)
	if err == nil {
		err = removed(os.Remove(link))
	}
	if err == nil {
		err = removed(os.Remove(t.Path))
	}
	if err != nil {
		return fmt.Errorf("delete %q from the trash: %w", t.Path, err)
	}
	return nil
}

// removed takes it for done when somebody else was faster.
func removed(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// dropBelow deletes everything in a folder but one file. It follows no link, and opens folders that are closed to their owner, as tools make them.
func dropBelow(ctx context.Context, dir, keep string) error {
	var folders []string
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case errors.Is(err, fs.ErrNotExist) || path == keep && !entry.IsDir():
			return nil
		case err != nil:
			return err
		case !entry.IsDir():
			return removed(os.Remove(path))
		}
		folders = append(folders, path)
		return open(path, entry)
	})
	if err != nil {
		return err
	}
	for _, folder := range slices.Backward(folders) {
		if folder == dir {
			continue
		}
		if err := removed(os.Remove(folder)); err != nil {
			return err
		}
	}
	return nil
}

// open lets the owner into a folder and take names out of it.
func open(path string, entry fs.DirEntry) error {
	const all = 0o700
	stat, err := entry.Info()
	if err != nil || stat.Mode().Perm()&all == all {
		return removed(err)
	}
	return removed(os.Chmod(path, stat.Mode().Perm()|all))
}

// sweepEvery is how often it is worth while to look at everything for the trash's sake.
const sweepEvery = time.Hour

// SweepDue reports whether nobody swept the trash of a root lately, and notes that it is done now. Several servers start at once when several editors do.
func SweepDue(root string, now time.Time) bool {
	note := filepath.Join(root, trashFolder, ".swept")
	if stat, err := os.Stat(note); err == nil && now.Sub(stat.ModTime()).Abs() < sweepEvery {
		return false
	}
	return os.WriteFile(note, nil, 0o600) == nil && os.Chtimes(note, now, now) == nil
}

// diskBlock is what the smallest file takes on most disks.
const diskBlock = 4096

// Size returns about how many bytes a folder takes on disk: what its files and folders hold, each in whole blocks. What cannot be read counts as nothing.
func Size(ctx context.Context, path string) (int64, error) {
	var total int64
	err := filepath.WalkDir(path, func(_ string, entry fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			return nil
		}
		stat, err := entry.Info()
		if err != nil {
			return nil
		}
		total += (max(stat.Size(), 1) + diskBlock - 1) / diskBlock * diskBlock
		return nil
	})
	return total, err
}
