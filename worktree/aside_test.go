package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRestoreTakesNoStrangerForTheTree(t *testing.T) {
	skipOnWindows(t)
	for _, c := range []struct {
		name  string
		stand func(l *lab, id Identity)
		kept  string // what the stranger holds, below what was set aside
	}{
		{"a folder that a watcher made", func(l *lab, id Identity) { l.write(id.Path, ".cache/x", "x\n") }, ".cache/x"},
		{"a folder with a link to the repository", func(l *lab, id Identity) {
			l.write(id.Path, ".cache/x", "x\n")
			l.write(id.Path, ".git", "gitdir: "+l.repo+"/.git\n")
		}, ".cache/x"},
		{"another repository", func(l *lab, id Identity) {
			l.write(id.Path, ".cache/x", "x\n")
			l.run(id.Path, "init", "-q")
		}, ".cache/x"},
		{"a folder of a tree that git forgot", func(l *lab, id Identity) {
			l.write(id.Path, ".cache/x", "x\n")
			noError(l.t, os.RemoveAll(filepath.Join(l.repo, ".git/worktrees/s1")))
		}, ".cache/x"},
		{"a file", func(l *lab, id Identity) { l.write(filepath.Dir(id.Path), "s1", "x\n") }, "."},
		{"a link to the person's checkout", func(l *lab, id Identity) { noError(l.t, os.Symlink(l.repo, id.Path)) }, "a.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.spread(id)
			point := l.checkpoint(r, id, 1, id.BaseCommit)
			shown, files := l.shown(id), l.files(id.Path)
			noError(t, os.RemoveAll(id.Path))
			c.stand(l, id)
			person := l.look(l.repo)

			aside, err := r.Restore(t.Context(), id, "s1", point.Commit)
			noError(t, err)
			check(t, "status", l.shown(id), shown)
			check(t, "files", l.files(id.Path), files)
			check(t, "person's checkout", l.look(l.repo), person)
			if _, err := os.Lstat(filepath.Join(aside, c.kept)); err != nil || aside == "" {
				t.Errorf("set aside at %q: %v", aside, err)
			}
		})
	}
}

// A command that makes a repository of its own in the tree leaves the session's files where they are; only its .git goes.
func TestRestoreSetsAReplacedGitFolderAside(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.spread(id)
	shown, files := l.shown(id), l.files(id.Path)
	noError(t, os.Remove(filepath.Join(id.Path, ".git")))
	l.run(id.Path, "init", "-q")
	check(t, "present", r.Present(id), false)
	aside, err := r.Restore(t.Context(), id, "s1", "")
	noError(t, err)
	check(t, "status", l.shown(id), shown)
	check(t, "files", l.files(id.Path), files)
	check(t, "kept", l.read(aside, "HEAD"), "ref: refs/heads/main\n")
}

// The tree of one session is never linked by the restore of another.
func TestRestoreTouchesNoOtherTree(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	one, two := l.create(r, "s1"), l.create(r, "s2")
	noError(t, os.RemoveAll(two.Path))
	l.write(two.Path, ".cache/x", "x\n")
	noError(t, os.Remove(filepath.Join(one.Path, ".git")))
	l.restore(r, one, "")
	_, err := os.Lstat(filepath.Join(two.Path, ".git"))
	check(t, "link in the other folder", os.IsNotExist(err), true)
}

func TestRestoreKnowsASparseTree(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.run(id.Path, "sparse-checkout", "set", "--no-cone", "/b.txt")
	noError(t, os.Remove(filepath.Join(id.Path, ".git")))
	l.restore(r, id, "")
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "")
}

// cuts are the states that a kill leaves behind while a worktree is made.
var cuts = map[string]func(l *lab, id Identity){
	"nothing":    func(*lab, Identity) {},
	"the branch": func(l *lab, id Identity) { l.run(l.repo, "branch", id.Branch, id.BaseCommit) },
	"an empty registration": func(l *lab, id Identity) {
		l.run(l.repo, "branch", id.Branch, id.BaseCommit)
		noError(l.t, os.MkdirAll(filepath.Join(l.repo, ".git/worktrees/s1"), 0o755))
	},
	"a locked registration": func(l *lab, id Identity) {
		l.run(l.repo, "branch", id.Branch, id.BaseCommit)
		l.write(l.repo, ".git/worktrees/s1/locked", "nodwyn session s1\n")
		noError(l.t, os.MkdirAll(id.Path, 0o755))
	},
	"a registration with an empty path": func(l *lab, id Identity) {
		l.write(l.repo, ".git/worktrees/s1/locked", "nodwyn session s1\n")
		l.write(l.repo, ".git/worktrees/s1/gitdir", "")
	},
	"a registration with a path": func(l *lab, id Identity) {
		l.run(l.repo, "branch", id.Branch, id.BaseCommit)
		l.write(l.repo, ".git/worktrees/s1/locked", "nodwyn session s1\n")
		l.write(l.repo, ".git/worktrees/s1/gitdir", id.Path+"/.git\n")
		noError(l.t, os.MkdirAll(id.Path, 0o755))
	},
	"a registration without HEAD": func(l *lab, id Identity) {
		l.run(l.repo, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", id.Branch, id.Path)
		noError(l.t, os.Remove(filepath.Join(l.repo, ".git/worktrees/s1/HEAD")))
	},
	"no files": func(l *lab, id Identity) {
		l.run(l.repo, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", id.Branch, id.Path)
	},
	"some files": func(l *lab, id Identity) {
		l.run(l.repo, "worktree", "add", "-q", "--no-checkout", "--lock", "-b", id.Branch, id.Path)
		l.write(id.Path, "a.txt", "half")
		l.write(l.repo, ".git/worktrees/s1/index.lock", "")
	},
	"everything": func(l *lab, id Identity) { noError(l.t, l.open(l.repo).Create(l.t.Context(), id, "s1")) },
}

func TestFinishAfterACutAtAnyStep(t *testing.T) {
	for name, cut := range cuts {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.plan(r, "s1")
			cut(l, id)
			for range 2 { // being cut off again is no worse
				_, err := r.Finish(t.Context(), id, "s1")
				noError(t, err)
			}
			check(t, "files", l.files(id.Path), l.files(l.repo))
			check(t, "status", l.run(id.Path, "status", "--porcelain=v2", "--branch"), "# branch.oid "+id.BaseCommit+"\n# branch.head "+id.Branch)
			check(t, "registrations", l.run(l.repo, "worktree", "list", "--porcelain"), ""+
				"worktree "+l.repo+"\nHEAD "+id.BaseCommit+"\nbranch refs/heads/main\n\n"+
				"worktree "+id.Path+"\nHEAD "+id.BaseCommit+"\nbranch refs/heads/"+id.Branch+"\nlocked "+l.read(l.repo, ".git/worktrees/s1/locked"))
			names, err := os.ReadDir(filepath.Join(l.repo, ".git/worktrees"))
			noError(t, err)
			check(t, "administrative folders", len(names), 1)
		})
	}
}

func TestFinishRefusesABranchOfSomebodyElse(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.plan(r, "s1")
	l.write(l.repo, "a.txt", "later\n")
	later := l.commit("later")
	l.run(l.repo, "branch", id.Branch)
	_, err := r.Finish(t.Context(), id, "s1")
	checkRefused(t, err, BranchTaken)
	check(t, "branch", l.run(l.repo, "rev-parse", id.Branch), later)
}

func TestRestoreSaysWhenItsSnapshotIsGone(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	noError(t, os.RemoveAll(id.Path))
	l.write(id.Path, "x", "x\n")
	_, err := r.Restore(t.Context(), id, "s1", strings.Repeat("1", len(id.BaseCommit)))
	checkRefused(t, err, WorktreeMissing)
	check(t, "folder", l.read(id.Path, "x"), "x\n")
}
