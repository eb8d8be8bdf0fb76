package worktree

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestListFolders(t *testing.T) {
	l := newLab(t)
	id := l.create(l.open(l.repo), "s1")
	repository := filepath.Dir(id.Path)
	l.write(repository, ".spare/file", "x\n")
	l.write(repository, "s2/file", "x\n")
	l.write(repository, "s3", "a file\n")
	l.write(l.root, "other/s4/file", "x\n")
	list, err := ListFolders(l.root)
	noError(t, err)
	for i, f := range list {
		check(t, "time is known", f.Changed.IsZero(), false)
		list[i].Changed = time.Time{}
	}
	check(t, "folders", list, []Folder{
		{Path: id.Path, Session: "s1", Common: filepath.Join(l.repo, ".git")},
		{Path: filepath.Join(repository, "s2"), Session: "s2"},
	})
	rest, err := SizeOfRest(t.Context(), l.root)
	noError(t, err)
	spare, err := Size(t.Context(), filepath.Join(repository, ".spare"))
	noError(t, err)
	check(t, "rest", rest, spare+diskBlock)
}

func TestLinked(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	one, two := l.create(r, "s1"), l.create(r, "s2")
	l.run(l.repo, "worktree", "add", "-q", filepath.Join(l.dir, "mine"))
	l.run(two.Path, "checkout", "-q", "--detach")
	noError(t, os.RemoveAll(one.Path))
	list, err := r.Linked(t.Context(), l.root)
	noError(t, err)
	check(t, "linked", list, []Linked{{Path: one.Path, Branch: one.Branch}, {Path: two.Path}})
}

// TestOrphan has trees without a log judged and removed as far as there is no work in them.
func TestOrphan(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(l *lab, id Identity)
		want []string
	}{
		{"untouched", func(*lab, Identity) {}, nil},
		{"main moved on", func(l *lab, _ Identity) {
			l.write(l.repo, "a.txt", "by the person\n")
			l.commit("second")
		}, nil},
		{"untracked file", func(l *lab, id Identity) { l.write(id.Path, "new", "x\n") }, []string{"new"}},
		{"the same on main", func(l *lab, id Identity) {
			l.write(id.Path, "new", "x\n")
			l.write(l.repo, "new", "x\n")
			l.commit("by hand")
		}, nil},
		{"committed, and the folder is gone", func(l *lab, id Identity) {
			l.write(id.Path, "new", "x\n")
			l.run(id.Path, "add", "-A")
			l.run(id.Path, "commit", "-q", "-m", "by the agent")
			noError(l.t, os.RemoveAll(id.Path))
		}, []string{"new"}},
		{"committed on no branch, and the folder is gone", func(l *lab, id Identity) {
			l.run(id.Path, "checkout", "-q", "--detach")
			l.write(id.Path, "new", "x\n")
			l.run(id.Path, "add", "-A")
			l.run(id.Path, "commit", "-q", "-m", "by the agent")
			noError(l.t, os.RemoveAll(id.Path))
		}, []string{"new"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			c.do(l, id)
			o, err := r.Orphan(t.Context(), id.Path)
			noError(t, err)
			removed, unlanded, err := r.Remove(t.Context(), o.Identity, RemoveSpec{Session: "s1", Tip: o.Tip})
			noError(t, err)
			check(t, "unlanded", unlanded, c.want)
			check(t, "removed", removed, c.want == nil)
		})
	}
}

func TestOrphanLeavesThePersonsBranch(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.run(id.Path, "checkout", "-q", "-b", "feature")
	o, err := r.Orphan(t.Context(), id.Path)
	noError(t, err)
	check(t, "branch", o.Branch, "")
	removed, _, err := r.Remove(t.Context(), o.Identity, RemoveSpec{Session: "s1", Tip: o.Tip})
	noError(t, err)
	check(t, "removed", removed, true)
	check(t, "the person's branch", l.run(l.repo, "rev-parse", "feature"), id.BaseCommit)
}

func TestOrphanThatCannotBeCompared(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.run(l.repo, "checkout", "-q", "--orphan", "other")
	l.commit("another history")
	if _, err := r.Orphan(t.Context(), id.Path); err == nil {
		t.Error("another history: no error")
	}
	l.run(l.repo, "checkout", "-q", "--detach", "main")
	if _, err := r.Orphan(t.Context(), id.Path); err == nil {
		t.Error("no branch: no error")
	}
}

// TestOrphanUse has a look of ours not count as use.
func TestOrphanUse(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	admin, err := r.adminOf(id.Path)
	noError(t, err)
	old := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, name := range []string{id.Path, filepath.Join(admin, "HEAD"), filepath.Join(admin, "index"), filepath.Join(admin, "logs", "HEAD")} {
		noError(t, os.Chtimes(name, old, old))
	}
	for range 2 {
		o, err := r.Orphan(t.Context(), id.Path)
		noError(t, err)
		check(t, "used", o.Used.UTC(), old)
		_, err = r.Unlanded(t.Context(), o.Identity, o.Tip, nil)
		noError(t, err)
	}
	l.run(id.Path, "checkout", "-q", "--detach")
	o, err := r.Orphan(t.Context(), id.Path)
	noError(t, err)
	check(t, "used after a checkout", o.Used.After(old), true)
}
