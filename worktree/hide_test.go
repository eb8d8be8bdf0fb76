package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

func TestRootInsideTheCheckoutIsHidden(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, "trees/tracked", "of the person's\n")
	l.commit("trees")
	exclude := filepath.Join(l.repo, ".git", "info", "exclude")
	noError(t, os.MkdirAll(filepath.Dir(exclude), 0o755))
	noError(t, os.WriteFile(exclude, []byte("*.log"), 0o644))
	r := l.open(l.repo)
	for _, root := range []string{"trees/[a] b", "trees/[a] b", "trees"} {
		noError(t, r.hideRoot(filepath.Join(r.root, filepath.FromSlash(root), "hash", "s1")))
	}
	noError(t, r.hideRoot(filepath.Join(l.dir, "elsewhere", "hash", "s1")))
	l.write(l.repo, "trees/[a] b/hash/s1/file", "x\n")
	l.write(l.repo, "a.log", "x\n")
	check(t, "lines", l.read(l.repo, ".git/info/exclude"), "*.log\n/trees/\\[a] b/\n/trees/\n")
	check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), "")
}
