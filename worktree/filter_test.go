package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAFilterThatDoesNotWorkIsNamed(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.q filter=q\n")
	l.commit("attributes")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.run(l.repo, "config", "filter.q.clean", "false")
	l.run(l.repo, "config", "filter.q.required", "true")
	l.write(id.Path, "big file.q", "x\n")
	before := l.look(id.Path)
	_, err := r.Checkpoint(t.Context(), id, CheckpointSpec{Session: "s1", Turn: 1, Previous: id.BaseCommit, Subject: "x"})
	checkRefused(t, err, FilterFailed)
	for _, word := range []string{`"big file.q"`, `clean filter "q"`, "filter.q"} {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("the message lacks %s: %v", word, err)
		}
	}
	_, _, err = r.Remove(t.Context(), id, RemoveSpec{Session: "s1"})
	checkRefused(t, err, FilterFailed)
	check(t, "session's tree", l.look(id.Path), before)
	check(t, "administration", l.leftovers(id), nil)

	l.run(l.repo, "config", "filter.q.clean", "cat")
	l.checkpoint(r, id, 1, id.BaseCommit)
}

func TestCreateNamesAFilterThatDoesNotWork(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.q filter=q\n")
	l.write(l.repo, "x.q", "x\n")
	l.commit("attributes")
	l.run(l.repo, "config", "filter.q.smudge", "false")
	l.run(l.repo, "config", "filter.q.required", "true")
	r := l.open(l.repo)
	id := l.plan(r, "s1")
	checkRefused(t, r.Create(t.Context(), id, "s1"), FilterFailed)
	l.checkGone(id)
	_, err := os.Lstat(filepath.Join(l.repo, ".git/worktrees/s1"))
	check(t, "registration is gone", os.IsNotExist(err), true)
}

// A file that cannot be read is in no snapshot, so that a removal would take it from the person.
func TestWhatNoSnapshotHoldsIsUnlanded(t *testing.T) {
	skipOnWindows(t)
	if os.Geteuid() == 0 {
		t.Skip("root reads everything")
	}
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "locked", "x\n")
	l.write(id.Path, "a.txt", "changed\n")
	noError(t, os.Chmod(filepath.Join(id.Path, "locked"), 0))
	noError(t, os.Chmod(filepath.Join(id.Path, "a.txt"), 0))
	unlanded, err := r.Unlanded(t.Context(), id, "", nil)
	noError(t, err)
	check(t, "unlanded", unlanded, []string{"a.txt", "locked"})
}
