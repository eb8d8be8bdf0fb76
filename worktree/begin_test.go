package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBeginLeavesATreeInWhichNothingWorks(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, "a.txt", "carried\n")
	r := l.open(l.repo)
	id := l.plan(r, "s1")
	spec := StartSpec{Session: "s1", Carry: everything}
	begun, err := r.Begin(t.Context(), id, spec)
	noError(t, err)
	check(t, "carried", begun.Carry.Files, 1)
	check(t, "files", l.files(id.Path), map[string]string{})
	for _, state := range []string{"empty", "with an index and files"} {
		check(t, "present, "+state, r.Present(id), false)
		_, err = r.Tree(t.Context(), id)
		checkRefused(t, err, WorktreeUnfinished)
		_, err = r.Checkpoint(t.Context(), id, CheckpointSpec{Session: "s1", Turn: 1, Previous: id.BaseCommit})
		checkRefused(t, err, WorktreeUnfinished)
		_, err = r.Equip(t.Context(), id, EquipSpec{})
		checkRefused(t, err, WorktreeUnfinished)
		l.run(id.Path, "read-tree", "HEAD") // as git leaves it behind the last file
	}
	l.run(id.Path, "read-tree", "--empty")
	started, err := r.Complete(t.Context(), id, spec, begun)
	noError(t, err)
	check(t, "started", started, Started{Carry: begun.Carry})
	check(t, "present", r.Present(id), true)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), " M a.txt")
}

func TestCompleteTakesBackWhatBeginMade(t *testing.T) {
	for _, spare := range []bool{false, true} {
		l := newLab(t)
		l.write(l.repo, "a.txt", "carried\n")
		r := l.open(l.repo)
		if spare {
			noError(t, r.EnsureSpare(t.Context(), l.root, ""))
		}
		id := l.plan(r, "s1")
		before, refs := l.look(l.repo), l.run(l.repo, "for-each-ref")
		spec := StartSpec{Session: "s1", Carry: everything}
		begun, err := r.Begin(t.Context(), id, spec)
		noError(t, err)
		check(t, "spare", begun.Spare, spare)
		bad := l.again(r)
		bad.git = failingGit{l.git, "read-tree"}
		if _, err := bad.Complete(t.Context(), id, spec, begun); err == nil {
			t.Fatal("got no error")
		}
		check(t, "repository", l.look(l.repo), before)
		check(t, "refs", l.run(l.repo, "for-each-ref"), refs)
		check(t, "folder", exists(filepath.Dir(id.Path), "s1"), false)
		check(t, "worktrees", strings.Count(l.run(l.repo, "worktree", "list"), "\n"), 0)
		noError(t, r.Create(t.Context(), id, "s1"))
	}
}

// A server that ends while files are written leaves the start for the next one: what the person had not committed may have changed since.
func TestCompleteThatIsStoppedIsMadeGood(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, "a.txt", "carried\n")
	r := l.open(l.repo)
	id := l.plan(r, "s1")
	spec := StartSpec{Session: "s1", Carry: everything}
	begun, err := r.Begin(t.Context(), id, spec)
	noError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	stopped := l.again(r)
	stopped.git = stoppingGit{l.git, stop}
	if _, err := stopped.Complete(ctx, id, spec, begun); !errors.Is(err, context.Canceled) {
		t.Fatalf("got error %v, want that of the context", err)
	}
	l.write(l.repo, "a.txt", "edited since\n")
	check(t, "present", r.Present(id), false)
	spec.Again = true
	begun, err = r.Begin(t.Context(), id, spec)
	noError(t, err)
	started, err := r.Complete(t.Context(), id, spec, begun)
	noError(t, err)
	check(t, "a.txt", l.read(id.Path, "a.txt"), "carried\n")
	check(t, "set aside", started.Aside, "")
	check(t, "status", l.run(id.Path, "status", "--porcelain"), " M a.txt")
	begun, err = r.Begin(t.Context(), id, spec)
	noError(t, err)
	_, err = r.Complete(t.Context(), id, spec, begun)
	noError(t, err)
	check(t, "present", r.Present(id), true)
}

func TestRestoreMakesAnUnfinishedTreeAgain(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	noError(t, os.RemoveAll(id.Path))
	tree := checkout{admin: filepath.Join(r.common, "worktrees", "s1")}
	noError(t, tree.mark())
	aside, err := r.Restore(t.Context(), id, "s1", "")
	noError(t, err)
	check(t, "aside", aside, "")
	check(t, "present", r.Present(id), true)
	// With files in it, everything is kept: somebody may have put one there.
	noError(t, tree.mark())
	l.write(id.Path, "mine.txt", "mine\n")
	aside, err = r.Restore(t.Context(), id, "s1", "")
	noError(t, err)
	check(t, "mine.txt", l.read(aside, "mine.txt"), "mine\n")
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
}
