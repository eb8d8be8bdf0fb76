package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// bin makes a trash with something in it and returns its root.
func bin(t *testing.T, names ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range names {
		noError(t, os.MkdirAll(filepath.Join(root, trashFolder, name), 0o700))
	}
	return root
}

func TestListTrash(t *testing.T) {
	const tree = "s1-20260102T030405.000000006"
	root := bin(t, "s-2-20250102T030405.000000000", tree, "s1-20260102T030405", "S1-20260102T030405.000000000", "-20260102T030405.000000000", "notes")
	link := filepath.Join(root, trashFolder, tree, ".git")
	noError(t, os.WriteFile(link, []byte("gitdir: /repo/.git/worktrees/s1\n"), 0o600))
	list, err := ListTrash(root)
	noError(t, err)
	check(t, "trash", list, []Trashed{
		{Path: filepath.Join(root, trashFolder, "s-2-20250102T030405.000000000"), Session: "s-2", Since: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)},
		{Path: filepath.Dir(link), Session: "s1", Common: filepath.FromSlash("/repo/.git"), Since: time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)},
	})
	for _, other := range []string{"gitdir: /repo/.git/worktrees/s2\n", "gitdir: /repo/.git/modules/s1\n", "text"} {
		noError(t, os.WriteFile(link, []byte(other), 0o600))
		list, err := ListTrash(root)
		noError(t, err)
		check(t, "common folder with .git "+other, list[1].Common, "")
	}
}

func TestListTrashFollowsNoLink(t *testing.T) {
	elsewhere, root := bin(t, "s1-20260102T030405.000000000"), t.TempDir()
	noError(t, os.Symlink(filepath.Join(elsewhere, trashFolder), filepath.Join(root, trashFolder)))
	list, err := ListTrash(root)
	noError(t, err)
	check(t, "trash", list, nil)
}

func TestDropKeepsToTheFolder(t *testing.T) {
	root := bin(t, "s1-20260102T030405.000000000/shut/deep")
	dir := filepath.Join(root, trashFolder, "s1-20260102T030405.000000000")
	outside := filepath.Join(root, "outside")
	noError(t, os.WriteFile(outside, nil, 0o400))
	noError(t, os.WriteFile(filepath.Join(dir, "shut", "deep", "file"), nil, 0o400))
	noError(t, os.Symlink(root, filepath.Join(dir, "link")))
	noError(t, os.Chmod(filepath.Join(dir, "shut", "deep"), 0o000))
	noError(t, os.Chmod(filepath.Join(dir, "shut"), 0o500))
	noError(t, Trashed{Path: dir}.Drop(t.Context()))
	if _, err := os.Lstat(dir); !os.IsNotExist(err) {
		t.Errorf("the folder is there after the drop: %v", err)
	}
	if _, err := os.Lstat(outside); err != nil {
		t.Error("what a link led to is gone")
	}
	noError(t, Trashed{Path: dir}.Drop(t.Context())) // somebody else was faster
}

// cutOff is a context that ends after it was asked a number of times.
type cutOff struct {
	context.Context
	left int
}

var errCut = errors.New("cut off")

func (c *cutOff) Err() error {
	c.left--
	if c.left < 0 {
		return errCut
	}
	return nil
}

func TestDropThatIsCutOffGoesOn(t *testing.T) {
	for at := 0; ; at++ {
		l := newLab(t)
		r := l.open(l.repo)
		id := l.create(r, "s1")
		l.remove(r, id, RemoveSpec{})
		list, err := ListTrash(l.root)
		noError(t, err)
		check(t, "things in the trash", len(list), 1)
		cut := list[0].Drop(&cutOff{t.Context(), at})
		if cut == nil {
			if at < 5 {
				t.Fatalf("it was never cut off: it asked %d times only", at)
			}
			return
		}
		rest, err := ListTrash(l.root)
		noError(t, err)
		check(t, "what is left", rest, list)
		noError(t, rest[0].Drop(t.Context()))
	}
}

func TestSweepDue(t *testing.T) {
	root, now := bin(t, "."), time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, c := range []struct {
		name string
		at   time.Duration
		want bool
	}{
		{"first", 0, true},
		{"again at once", time.Minute, false},
		{"after an hour", time.Hour, true},
		{"once more", time.Hour + time.Minute, false},
		{"with a clock that was set back", -time.Hour, true},
	} {
		check(t, c.name, SweepDue(root, now.Add(c.at)), c.want)
	}
}

func TestSizeCountsBlocks(t *testing.T) {
	dir := t.TempDir()
	noError(t, os.WriteFile(filepath.Join(dir, "small"), []byte("x"), 0o600))
	noError(t, os.WriteFile(filepath.Join(dir, "large"), make([]byte, 2*diskBlock+1), 0o600))
	without, err := Size(t.Context(), t.TempDir())
	noError(t, err)
	got, err := Size(t.Context(), dir)
	noError(t, err)
	check(t, "size beyond that of an empty folder", got-without, int64(4*diskBlock))
	gone, err := Size(t.Context(), filepath.Join(dir, "gone"))
	noError(t, err)
	check(t, "size of nothing", gone, int64(0))
}
