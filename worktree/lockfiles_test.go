package worktree

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// TestLockedFollowsLockFiles: the digest changes with what a tree needs, and with nothing else.
func TestLockedFollowsLockFiles(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	digest := func() string {
		t.Helper()
		sum, err := r.Locked(id)
		noError(t, err)
		return sum
	}
	none := digest()
	for _, name := range lockFiles {
		l.write(id.Path, name, "one\n")
		one := digest()
		l.write(id.Path, name, "two\n")
		two := digest()
		noError(t, os.Remove(filepath.Join(id.Path, name)))
		check(t, name+": three states differ", one != none && two != none && one != two, true)
		check(t, name+": taken away again", digest(), none)
	}
	l.write(id.Path, "go.sum", "same\n")
	some := digest()
	noError(t, os.Rename(filepath.Join(id.Path, "go.sum"), filepath.Join(id.Path, "Cargo.lock")))
	check(t, "the same under another name differs", digest() != some, true)
	noError(t, os.Remove(filepath.Join(id.Path, "Cargo.lock")))

	l.write(id.Path, "a.txt", "changed\n")
	l.write(id.Path, "dir/go.sum", "of another folder\n")
	noError(t, os.Mkdir(filepath.Join(id.Path, "yarn.lock"), 0o755))
	noError(t, os.Symlink(filepath.Join(l.dir, "gitconfig"), filepath.Join(id.Path, "uv.lock")))
	check(t, "other files, a folder and a link out", digest(), none)

	noError(t, os.RemoveAll(id.Path))
	_, err := r.Locked(id)
	var refused *RefusedError
	check(t, "a tree that is gone is refused", errors.As(err, &refused) && refused.Reason == WorktreeMissing, true)
}
