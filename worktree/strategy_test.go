package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRebaseOntoAMovedTarget(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 20\n", "a twenty\n", 1))
	moved := l.commit("by the person")
	landing := l.land(r, id, specOf(Rebase, turns...))
	check(t, "history", l.run(l.repo, "log", "--format=%s"), "add new\nchange a\nby the person\nfirst")
	check(t, "merge commits", l.run(l.repo, "rev-list", "--merges", "HEAD"), "")
	check(t, "previous", landing.Previous, moved)
	side := filepath.Join(l.dir, "side")
	l.run(l.repo, "worktree", "add", "-q", "-b", "by-git", side, id.BaseCommit)
	for _, step := range turns {
		l.run(side, "read-tree", "-u", "--reset", step.Commit)
		l.run(side, "commit", "-q", "-m", step.Subject)
	}
	l.run(side, "rebase", "-q", moved)
	check(t, "tree of git rebase", l.run(l.repo, "rev-parse", "main^{tree}"), l.run(l.repo, "rev-parse", "by-git^{tree}"))
}

func TestRebaseNamesTheTurnThatConflicts(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(id.Path, "b.txt", strings.Replace(lines("b", 20), "b 3\n", "b three\n", 1))
	three := l.checkpoint(r, id, 3, turns[1].Commit)
	l.write(l.repo, "b.txt", strings.Replace(lines("b", 20), "b 3\n", "b III\n", 1))
	l.commit("by the person")
	_, err := r.Prepare(t.Context(), id, specOf(Rebase, append(turns, TurnCommit{three.Commit, "change b"})...))
	checkConflicts(t, err, Conflict{Path: "b.txt", Kind: "contents"})
	if !strings.Contains(err.Error(), `turn "change b"`) || !strings.Contains(err.Error(), "squash") {
		t.Errorf("message: got %q, want the turn and what to do", err)
	}
}

func TestPatchLeavesUncommittedEdits(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(id.Path, "gone/x", "x\n")
	noError(t, os.Remove(filepath.Join(id.Path, "dir/c.txt")))
	three := l.checkpoint(r, id, 3, turns[1].Commit)
	turns = append(turns, TurnCommit{three.Commit, "more"})
	// The person has edits in the same file, staged and not, and others.
	l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 10\n", "a ten\n", 1))
	l.run(l.repo, "add", "a.txt")
	l.write(l.repo, "a.txt", strings.NewReplacer("a 10\n", "a ten\n", "a 20\n", "a twenty\n").Replace(lines("a", 20)))
	l.write(l.repo, "b.txt", "mine\n")
	l.write(l.repo, "mine", "mine\n")
	before := l.look(l.repo)
	landing := l.land(r, id, specOf(Patch, turns...))
	after := l.look(l.repo)
	check(t, "index", after.index == before.index, true)
	check(t, "head", after.head, before.head)
	check(t, "branches", after.branches, before.branches)
	want := strings.NewReplacer("a 1\n", "a one\n", "a 10\n", "a ten\n", "a 20\n", "a twenty\n").Replace(lines("a", 20))
	check(t, "a.txt", l.read(l.repo, "a.txt"), want)
	check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), "MM a.txt\n M b.txt\n D dir/c.txt\n?? gone/x\n?? mine\n?? new.txt")
	check(t, "files", landing.Files, []FileDiff{
		{Path: "a.txt", Status: "M", Insertions: 1, Deletions: 1}, {Path: "dir/c.txt", Status: "D", Deletions: 20},
		{Path: "gone/x", Status: "A", Insertions: 1}, {Path: "new.txt", Status: "A", Insertions: 1},
	})

	// Again, on the same lines and on a file that git does not know.
	l.write(id.Path, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "a uno\n", 1))
	l.write(id.Path, "new.txt", "newer\n")
	four := l.checkpoint(r, id, 4, three.Commit)
	spec := specOf(Patch, TurnCommit{four.Commit, "again"})
	spec.Landings = []Landing{landing}
	second := l.land(r, id, spec)
	check(t, "a.txt again", l.read(l.repo, "a.txt"), strings.Replace(want, "a one\n", "a uno\n", 1))
	check(t, "new.txt again", l.read(l.repo, "new.txt"), "newer\n")
	check(t, "index again", l.look(l.repo).index == before.index, true)
	spec.Landings = append(spec.Landings, second)
	_, err := r.Prepare(t.Context(), id, spec)
	checkRefused(t, err, NothingToLand)
	landed, err := r.Landed(t.Context(), id, four.Commit, spec.Landings)
	noError(t, err)
	check(t, "landed", landed, true)

	// What the person threw away counts as not landed.
	l.run(l.repo, "reset", "-q", "--hard")
	l.run(l.repo, "clean", "-qfd")
	base, err := r.CountsFrom(t.Context(), id, spec.Landings)
	noError(t, err)
	check(t, "counts from", base, id.BaseCommit)
}

func TestPatchThatWasCommittedStands(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing := l.land(r, id, specOf(Patch, turns...))
	l.commit("the patch, by the person")
	l.write(l.repo, "a.txt", "later\n")
	l.commit("later")
	base, err := r.CountsFrom(t.Context(), id, []Landing{landing})
	noError(t, err)
	check(t, "counts from", base, landing.Base)
}

func TestPatchRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(l *lab)
		want []Conflict
	}{
		{"the same line", func(l *lab) { l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "mine\n", 1)) },
			[]Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"an untracked file", func(l *lab) { l.write(l.repo, "new.txt", "mine\n") }, []Conflict{{Path: "new.txt", Kind: "untracked"}}},
		{"an ignored file", func(l *lab) {
			l.write(l.repo, ".git/info/exclude", "new.txt\n")
			l.write(l.repo, "new.txt", "mine\n")
		}, []Conflict{{Path: "new.txt", Kind: "ignored"}}},
		{"a folder", func(l *lab) { l.write(l.repo, "new.txt/x", "mine\n") }, []Conflict{{Path: "new.txt/x", Kind: "untracked"}}},
		{"the target's commit", func(l *lab) {
			l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "theirs\n", 1))
			l.commit("by the person")
		}, []Conflict{{Path: "a.txt", Kind: "contents"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			c.do(l)
			before := l.look(l.repo)
			_, err := r.Prepare(t.Context(), id, specOf(Patch, turns...))
			checkConflicts(t, err, c.want...)
			check(t, "checkout", l.look(l.repo), before)
		})
	}
	t.Run("a file where a folder goes", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id := l.create(r, "s1")
		l.write(id.Path, "deep/er/x", "x\n")
		tip := l.checkpoint(r, id, 1, id.BaseCommit).Commit
		l.write(l.repo, "deep", "mine\n")
		_, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Patch, Tip: tip})
		checkConflicts(t, err, Conflict{Path: "deep", Kind: "untracked"})
	})
	t.Run("checked out nowhere", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		l.run(l.repo, "checkout", "-q", "-b", "elsewhere")
		_, err := r.Prepare(t.Context(), id, specOf(Patch, turns...))
		checkRefused(t, err, NotCheckedOut)
	})
	t.Run("saved since it was prepared", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		landing, err := r.Prepare(t.Context(), id, specOf(Patch, turns...))
		noError(t, err)
		l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 9\n", "a nine\n", 1))
		before := l.look(l.repo)
		checkConflicts(t, r.Apply(t.Context(), landing), Conflict{Path: "a.txt", Kind: "uncommitted"})
		check(t, "checkout", l.look(l.repo), before)
	})
}

func TestPatchNeedsNoIdentity(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.dir, "gitconfig", "")
	landing := l.land(r, id, specOf(Patch, turns...))
	check(t, "manner", landing.Manner, Manner{})
}
