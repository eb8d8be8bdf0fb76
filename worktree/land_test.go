package worktree

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// work is a session whose two turns are ready to land.
func (l *lab) work(r *Repository) (Identity, []TurnCommit) {
	l.t.Helper()
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "a one\n", 1))
	one := l.checkpoint(r, id, 1, id.BaseCommit)
	l.write(id.Path, "new.txt", "new\n")
	two := l.checkpoint(r, id, 2, one.Commit)
	return id, []TurnCommit{{one.Commit, "change a"}, {two.Commit, "add new"}}
}

func specOf(strategy Strategy, turns ...TurnCommit) LandSpec {
	return LandSpec{Strategy: strategy, Turns: turns, Tip: turns[len(turns)-1].Commit}
}

func (l *lab) land(r *Repository, id Identity, spec LandSpec) Landing {
	l.t.Helper()
	landing, err := r.Prepare(l.t.Context(), id, spec)
	noError(l.t, err)
	noError(l.t, r.Apply(l.t.Context(), landing))
	return landing
}

func TestPrepareChangesNothing(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "b.txt", "uncommitted\n")
	person, session, refs := l.look(l.repo), l.look(id.Path), l.run(l.repo, "for-each-ref")
	for _, strategy := range strategies {
		landing, err := r.Prepare(t.Context(), id, specOf(strategy, turns...))
		noError(t, err)
		check(t, "files", landing.Files, []FileDiff{
			{Path: "a.txt", Status: "M", Insertions: 1, Deletions: 1}, {Path: "new.txt", Status: "A", Insertions: 1},
		})
		check(t, "target", [2]string{landing.Into, landing.Previous}, [2]string{"main", id.BaseCommit})
	}
	check(t, "person's checkout", l.look(l.repo), person)
	check(t, "session's tree", l.look(id.Path), session)
	check(t, "refs", l.run(l.repo, "for-each-ref"), refs)
}

func TestLandShapesHistory(t *testing.T) {
	const person = "Pat Person <pat@example.invalid>"
	for _, c := range []struct {
		name    string
		spec    func([]TurnCommit) LandSpec
		message string
		subject string
		graph   string
	}{
		{"squash", func(turns []TurnCommit) LandSpec { return specOf(Squash, turns...) }, "change a\n\n- change a\n- add new", "change a", "change a|first"},
		{"squash with a message", func(turns []TurnCommit) LandSpec {
			spec := specOf(Squash, turns...)
			spec.Message = "Do it\n\nBecause.\n"
			return spec
		}, "Do it\n\nBecause.", "Do it", "Do it|first"},
		{"merge", func(turns []TurnCommit) LandSpec {
			spec := specOf(Merge, turns...)
			spec.Message = "Bring it"
			return spec
		}, "Bring it", "Bring it", "Bring it|add new|change a|first"},
		{"rebase", func(turns []TurnCommit) LandSpec { return specOf(Rebase, turns...) }, "add new", "add new", "add new|change a|first"},
		{"rebase of one turn, with a message", func(turns []TurnCommit) LandSpec {
			return LandSpec{Strategy: Rebase, Tip: turns[1].Commit, Message: "Do it\n\nBecause."}
		}, "Do it\n\nBecause.", "Do it", "Do it|first"},
		{"rebase with a turn that changed nothing", func(turns []TurnCommit) LandSpec {
			return specOf(Rebase, turns[0], TurnCommit{turns[0].Commit, "nothing"}, turns[1])
		}, "add new", "add new", "add new|change a|first"},
		{"merge of a tip that no turn ended with", func(turns []TurnCommit) LandSpec {
			return LandSpec{Strategy: Merge, Tip: turns[1].Commit, Turns: turns[:1], Message: "Bring it"}
		}, "Bring it", "Bring it", "Bring it|Bring it|change a|first"},
		{"merge with a turn that changed nothing", func(turns []TurnCommit) LandSpec {
			return specOf(Merge, turns[0], TurnCommit{turns[0].Commit, "nothing"}, turns[1])
		}, "change a\n\n- change a\n- nothing\n- add new", "change a", "change a|add new|change a|first"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			landing := l.land(r, id, c.spec(turns))
			check(t, "message", landing.Message, c.message)
			check(t, "recorded message", l.run(l.repo, "log", "-1", "--format=%B"), c.message+"\n")
			check(t, "subject", l.run(l.repo, "log", "-1", "--format=%s"), c.subject)
			check(t, "history", strings.ReplaceAll(l.run(l.repo, "log", "--topo-order", "--format=%s"), "\n", "|"), c.graph)
			check(t, "on top of the target", l.run(l.repo, "merge-base", landing.Previous, "HEAD"), landing.Previous)
			check(t, "head", l.run(l.repo, "rev-parse", "HEAD"), landing.Commit)
			for line := range strings.SplitSeq(l.run(l.repo, "log", "--format=%an <%ae>|%cn <%ce>"), "\n") {
				check(t, "identity", line, person+"|"+person)
			}
			check(t, "files", l.files(l.repo), l.files(id.Path))
			check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), "")
			check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
			has, err := r.Contains(t.Context(), "main", landing.Commit)
			noError(t, err)
			check(t, "contains", has, true)
		})
	}
}

func TestLandTwiceCarriesOnlyWhatIsNew(t *testing.T) {
	for _, order := range [][2]Strategy{{Squash, Squash}, {Squash, Merge}, {Merge, Squash}, {Merge, Merge}, {Rebase, Rebase}, {Rebase, Merge}, {Squash, Rebase}} {
		t.Run(string(order[0]+" then "+order[1]), func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			first := l.land(r, id, specOf(order[0], turns...))
			// The target moves on, and the session edits the very lines that it landed.
			l.write(l.repo, "dir/c.txt", "of the person\n")
			moved := l.commit("by the person")
			l.write(id.Path, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "a uno\n", 1))
			three := l.checkpoint(r, id, 3, turns[1].Commit)
			spec := specOf(order[1], TurnCommit{three.Commit, "change a again"})
			spec.Landings = []Landing{first}
			second := l.land(r, id, spec)
			check(t, "files", second.Files, []FileDiff{{Path: "a.txt", Status: "M", Insertions: 1, Deletions: 1}})
			check(t, "previous", second.Previous, moved)
			check(t, "a.txt", l.read(l.repo, "a.txt"), l.read(id.Path, "a.txt"))
			check(t, "c.txt", l.read(l.repo, "dir/c.txt"), "of the person\n")
			check(t, "snapshots in history", strings.Contains(l.run(l.repo, "log", "--format=%an"), "nodwyn"), false)

			spec.Landings = append(spec.Landings, second)
			_, err := r.Prepare(t.Context(), id, spec)
			checkRefused(t, err, NothingToLand)
			diff, err := r.Diff(t.Context(), second.Base, three.Commit, "")
			noError(t, err)
			check(t, "what is left", diff, nil)
		})
	}
}

func TestLandIntoAMovedTarget(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Merge} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 20\n", "a twenty\n", 1))
		l.commit("by the person")
		l.land(r, id, specOf(strategy, turns...))
		want := strings.NewReplacer("a 1\n", "a one\n", "a 20\n", "a twenty\n").Replace(lines("a", 20))
		check(t, "a.txt", l.read(l.repo, "a.txt"), want)
	}
}

func TestLandAfterTheSessionMergedTheTarget(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "a first\n", 1))
	l.write(l.repo, "b.txt", "of the person\n")
	l.commit("by the person")
	l.run(id.Path, "commit", "-q", "-a", "-m", "by the agent")
	l.run(id.Path, "merge", "-q", "-X", "ours", "main")
	three := l.checkpoint(r, id, 3, turns[1].Commit)
	l.land(r, id, specOf(Squash, append(turns, TurnCommit{three.Commit, "merge"})...))
	check(t, "a.txt", l.read(l.repo, "a.txt"), l.read(id.Path, "a.txt"))
}

func TestPrepareNamesConflicts(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, _ := l.work(r)
	l.write(id.Path, "b.txt", "of the session\n")
	three := l.checkpoint(r, id, 3, id.BaseCommit)
	l.write(l.repo, "a.txt", "of the person\n")
	l.run(l.repo, "rm", "-q", "b.txt")
	l.write(l.repo, "new.txt", "also new\n")
	l.commit("by the person")
	before := l.look(l.repo)
	for _, strategy := range []Strategy{Squash, Merge} {
		_, err := r.Prepare(t.Context(), id, specOf(strategy, TurnCommit{three.Commit, "x"}))
		checkConflicts(t, err, Conflict{Path: "a.txt", Kind: "contents"}, Conflict{Path: "b.txt", Kind: "modify/delete"}, Conflict{Path: "new.txt", Kind: "contents"})
		conflict, _ := errors.AsType[*ConflictError](err)
		check(t, "branch to merge by hand", conflict.Branch, id.Branch)
	}
	check(t, "checkout", l.look(l.repo), before)
}

func TestPrepareRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(l *lab, r *Repository, id *Identity, spec *LandSpec)
		want Reason
	}{
		{"unknown strategy", func(_ *lab, _ *Repository, _ *Identity, s *LandSpec) { s.Strategy = "octopus" }, BadStrategy},
		{"no target", func(_ *lab, _ *Repository, id *Identity, _ *LandSpec) { id.Base = "" }, NoTarget},
		{"unknown target", func(_ *lab, _ *Repository, _ *Identity, s *LandSpec) { s.Into = "nowhere" }, NoTarget},
		{"own branch", func(_ *lab, _ *Repository, id *Identity, s *LandSpec) { s.Into = id.Branch }, NoTarget},
		{"no identity", func(l *lab, _ *Repository, _ *Identity, _ *LandSpec) { l.write(l.dir, "gitconfig", "") }, NoIdentity},
		{"nothing new", func(_ *lab, _ *Repository, id *Identity, s *LandSpec) { s.Tip = id.BaseCommit }, NothingToLand},
		{"everything there", func(l *lab, _ *Repository, _ *Identity, s *LandSpec) {
			l.run(l.repo, "cherry-pick", s.Turns[0].Commit, s.Turns[1].Commit)
		}, NothingToLand},
		{"old git", func(_ *lab, r *Repository, _ *Identity, _ *LandSpec) { r.version = Version{2, 37} }, GitTooOld},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			spec := specOf(Squash, turns...)
			c.set(l, r, &id, &spec)
			before := l.look(l.repo)
			_, err := r.Prepare(t.Context(), id, spec)
			checkRefused(t, err, c.want)
			check(t, "checkout", l.look(l.repo), before)
		})
	}
}

func TestPrepareStopsWithItsContext(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Prepare(ctx, id, specOf(Squash, turns...)); err == nil {
		t.Error("got no error")
	}
}
