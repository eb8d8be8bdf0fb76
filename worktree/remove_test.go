package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func (l *lab) remove(r *Repository, id Identity, spec RemoveSpec) (bool, []string) {
	l.t.Helper()
	spec.Session = filepath.Base(id.Path)
	removed, unlanded, err := r.Remove(l.t.Context(), id, spec)
	noError(l.t, err)
	return removed, unlanded
}

func (l *lab) checkGone(id Identity) {
	l.t.Helper()
	if _, err := os.Lstat(id.Path); err == nil {
		l.t.Error("the folder is still there")
	}
	if list := l.run(l.repo, "worktree", "list"); strings.Contains(list, id.Path) {
		l.t.Errorf("git still lists it: %s", list)
	}
	check(l.t, "branch", l.run(l.repo, "for-each-ref", "refs/heads/"+id.Branch), "")
	check(l.t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
}

func TestRemoveAfterLanding(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Merge} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		l.write(id.Path, "noise.log", "ignored\n")
		landing := l.land(r, id, specOf(strategy, turns...))
		// What the person does to landed lines later is no work of the session's.
		l.write(l.repo, "a.txt", "rewritten\n")
		l.commit("by the person")
		tree, err := r.Tree(t.Context(), id)
		noError(t, err)
		person, files := l.look(l.repo), l.files(id.Path)
		removed, unlanded := l.remove(r, id, RemoveSpec{Landings: []Landing{landing}, Tip: turns[1].Commit})
		check(t, "removed", removed, true)
		check(t, "unlanded", unlanded, nil)
		l.checkGone(id)
		check(t, "recovery", l.run(l.repo, "rev-parse", "refs/nodwyn/s1/recovery^{tree}"), tree)
		check(t, "checkpoint", l.run(l.repo, "rev-parse", "refs/nodwyn/s1/0002"), turns[1].Commit)
		trashed, err := filepath.Glob(filepath.Join(l.root, ".trash", "s1-*"))
		noError(t, err)
		if len(trashed) != 1 {
			t.Fatalf("trash: got %v, want one folder", trashed)
		}
		check(t, "trash", l.files(trashed[0]), files)
		after := l.look(l.repo)
		after.branches = person.branches
		check(t, "person's checkout", after, person)
	}
}

func TestRemoveOfAnUntouchedTree(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	removed, _ := l.remove(r, id, RemoveSpec{})
	check(t, "removed", removed, true)
	l.checkGone(id)
}

func TestRemoveRefusesUnlandedWork(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(l *lab, id Identity)
		want []string
	}{
		{"edited", func(l *lab, id Identity) { l.write(id.Path, "a.txt", "x\n") }, []string{"a.txt"}},
		{"untracked", func(l *lab, id Identity) { l.write(id.Path, "new/file", "x\n") }, []string{"new/file"}},
		{"deleted", func(l *lab, id Identity) { noError(l.t, os.Remove(filepath.Join(id.Path, "b.txt"))) }, []string{"b.txt"}},
		{"renamed", func(l *lab, id Identity) { l.run(id.Path, "mv", "a.txt", "z.txt") }, []string{"a.txt", "z.txt"}},
		{"committed", func(l *lab, id Identity) {
			l.write(id.Path, "a.txt", "x\n")
			l.run(id.Path, "commit", "-q", "-am", "by the agent")
		}, []string{"a.txt"}},
		{"committed, then left behind", func(l *lab, id Identity) {
			l.write(id.Path, "a.txt", "x\n")
			l.run(id.Path, "commit", "-q", "-am", "by the agent")
			l.run(id.Path, "checkout", "-q", "--detach", id.BaseCommit)
		}, []string{"a.txt"}},
		{"in conflict with the target", func(l *lab, id Identity) {
			l.write(id.Path, "a.txt", "x\n")
			l.write(l.repo, "a.txt", "y\n")
			l.commit("by the person")
		}, []string{"a.txt"}},
		{"partly landed by hand", func(l *lab, id Identity) {
			l.write(id.Path, "a.txt", "x\n")
			l.write(id.Path, "b.txt", "x\n")
			l.write(l.repo, "a.txt", "x\n")
			l.commit("by the person")
		}, []string{"b.txt"}},
		{"target gone", func(l *lab, id Identity) {
			l.write(id.Path, "a.txt", "x\n")
			l.run(l.repo, "branch", "-m", "main", "trunk")
		}, []string{"a.txt"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			c.do(l, id)
			person, session := l.look(l.repo), l.look(id.Path)
			removed, unlanded := l.remove(r, id, RemoveSpec{})
			check(t, "removed", removed, false)
			check(t, "unlanded", unlanded, c.want)
			asked, err := r.Unlanded(t.Context(), id, "", nil)
			noError(t, err)
			check(t, "unlanded when asked", asked, c.want)
			check(t, "person's checkout", l.look(l.repo), person)
			check(t, "session's tree", l.look(id.Path), session)

			removed, unlanded = l.remove(r, id, RemoveSpec{Discard: true})
			check(t, "removed on discard", removed, true)
			check(t, "unlanded on discard", unlanded, nil)
			l.checkGone(id)
		})
	}
}

func TestRemoveKeepsDiscardedWorkRecoverable(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", "committed\n")
	l.run(id.Path, "commit", "-q", "-am", "by the agent")
	commit := l.run(id.Path, "rev-parse", "HEAD")
	l.run(id.Path, "checkout", "-q", "--detach", id.BaseCommit)
	l.write(id.Path, "new", "untracked\n")
	l.remove(r, id, RemoveSpec{Discard: true})
	check(t, "untracked file", l.run(l.repo, "show", "refs/nodwyn/s1/recovery:new"), "untracked")
	l.run(l.repo, "merge-base", "--is-ancestor", commit, "refs/nodwyn/s1/recovery")
}

func TestRemoveOfAMissingTree(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	noError(t, os.RemoveAll(id.Path))
	removed, unlanded := l.remove(r, id, RemoveSpec{Tip: turns[1].Commit})
	check(t, "removed", removed, false)
	check(t, "unlanded", unlanded, []string{"a.txt", "new.txt"})
	removed, _ = l.remove(r, id, RemoveSpec{Tip: turns[1].Commit, Discard: true})
	check(t, "removed on discard", removed, true)
	l.checkGone(id)
	removed, _ = l.remove(r, id, RemoveSpec{Tip: turns[1].Commit, Discard: true})
	check(t, "removed again", removed, true)
}

func TestRemoveKeepsABranchThatThePersonUses(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.run(id.Path, "checkout", "-q", "--detach")
	l.run(l.repo, "checkout", "-q", id.Branch)
	removed, _ := l.remove(r, id, RemoveSpec{})
	check(t, "removed", removed, true)
	check(t, "branch", l.run(l.repo, "rev-parse", id.Branch), id.BaseCommit)
}

func TestLandedByContent(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(l *lab, tip string)
		want bool
	}{
		{"nothing done", func(*lab, string) {}, false},
		{"cherry-picked", func(l *lab, tip string) { l.run(l.repo, "cherry-pick", tip) }, true},
		{"merged by hand", func(l *lab, tip string) { l.run(l.repo, "merge", "-q", tip) }, true},
		{"merged, then changed", func(l *lab, tip string) {
			l.run(l.repo, "merge", "-q", tip)
			l.write(l.repo, "a.txt", "later\n")
			l.commit("later")
		}, true},
		{"half copied", func(l *lab, _ string) {
			l.write(l.repo, "new.txt", "new\n")
			l.commit("half")
		}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.write(id.Path, "a.txt", "x\n")
			l.write(id.Path, "new.txt", "new\n")
			point := l.checkpoint(r, id, 1, id.BaseCommit)
			c.do(l, point.Commit)
			got, err := r.Landed(t.Context(), id, point.Commit, nil)
			noError(t, err)
			check(t, "landed", got, c.want)
		})
	}
}

func TestSettleMovesTheBranchToTheWork(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.spread(id)
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	files, person := l.files(id.Path), l.look(l.repo)
	noError(t, r.Settle(t.Context(), id, point.Commit))
	check(t, "branch", l.run(l.repo, "rev-parse", id.Branch), point.Commit)
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
	check(t, "files", l.files(id.Path), files)
	after := l.look(l.repo)
	after.branches = person.branches
	check(t, "person's checkout", after, person)

	// A settled session goes on: restored, checkpointed and landed as before.
	noError(t, os.RemoveAll(id.Path))
	l.restore(r, id, point.Commit)
	check(t, "restored status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
	l.write(id.Path, "more", "more\n")
	again := l.checkpoint(r, id, 2, point.Commit)
	check(t, "files of the next turn", again.Files, 1)
	landing := l.land(r, id, specOf(Merge, TurnCommit{point.Commit, "one"}, TurnCommit{again.Commit, "two"}))
	check(t, "landed files", l.files(l.repo), l.files(id.Path))
	check(t, "snapshots in history", strings.Contains(l.run(l.repo, "log", "--format=%an"), "nodwyn"), false)
	removed, unlanded := l.remove(r, id, RemoveSpec{Landings: []Landing{landing}, Tip: again.Commit})
	check(t, "removed", removed, true)
	check(t, "unlanded", unlanded, nil)
}

func TestSettleLosesNoCommit(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", "x\n")
	l.run(id.Path, "commit", "-q", "-am", "by the agent")
	commit := l.run(id.Path, "rev-parse", "HEAD")
	l.run(id.Path, "checkout", "-q", "--detach", id.BaseCommit)
	l.write(id.Path, "b.txt", "staged\n")
	l.run(id.Path, "add", "b.txt")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	before := l.look(id.Path)
	noError(t, r.Settle(t.Context(), id, point.Commit))
	l.run(l.repo, "merge-base", "--is-ancestor", commit, id.Branch)
	l.run(l.repo, "merge-base", "--is-ancestor", point.Commit, id.Branch)
	check(t, "content", l.run(l.repo, "rev-parse", id.Branch+"^{tree}"), point.Tree)
	after := l.look(id.Path)
	after.branches = before.branches
	check(t, "session's tree", after, before)

	branch := l.run(l.repo, "rev-parse", id.Branch)
	noError(t, r.Settle(t.Context(), id, ""))
	check(t, "branch without a snapshot", l.run(l.repo, "rev-parse", id.Branch), branch)
}
