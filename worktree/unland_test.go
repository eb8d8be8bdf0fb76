package worktree

import (
	"strings"
	"testing"
)

func TestUnlandGoesBack(t *testing.T) {
	for _, strategy := range strategies {
		t.Run(string(strategy), func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 20\n", "a twenty\n", 1))
			l.run(l.repo, "add", "a.txt")
			l.write(l.repo, "a.txt", strings.NewReplacer("a 20\n", "a twenty\n", "a 10\n", "a ten\n").Replace(lines("a", 20)))
			l.write(l.repo, "mine", "mine\n")
			before, listed := l.look(l.repo), l.run(l.repo, "ls-files", "-s")
			spec := specOf(strategy, turns...)
			if strategy == Branch {
				spec.Into = "topic"
			}
			landing := l.land(r, id, spec)
			// As the log has it: without what only Prepare knows.
			landing = Landing{Strategy: landing.Strategy, Into: landing.Into, Previous: landing.Previous, Commit: landing.Commit, Base: landing.Base}
			noError(t, r.Unland(t.Context(), id, landing))
			after := l.look(l.repo)
			check(t, "index", l.run(l.repo, "ls-files", "-s"), listed)
			after.index = before.index // git writes other stat data into it
			check(t, "checkout", after, before)
			base, err := r.CountsFrom(t.Context(), id, []Landing{landing})
			noError(t, err)
			check(t, "counts from", base, id.BaseCommit)
			landed, err := r.Recover(t.Context(), id, landing)
			noError(t, err)
			check(t, "landed", landed, false)
			if err := r.Unland(t.Context(), id, landing); err == nil {
				t.Error("taken back twice: got no error")
			}
			l.land(r, id, spec)
		})
	}
}

func TestUnlandKeepsEditsSince(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Patch} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		landing := l.land(r, id, specOf(strategy, turns...))
		l.write(l.repo, "a.txt", strings.NewReplacer("a 1\n", "a one\n", "a 20\n", "a twenty\n").Replace(lines("a", 20)))
		noError(t, r.Unland(t.Context(), id, landing))
		check(t, "a.txt", l.read(l.repo, "a.txt"), strings.Replace(lines("a", 20), "a 20\n", "a twenty\n", 1))
		check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), " M a.txt")
	}
}

func TestUnlandRefuses(t *testing.T) {
	for _, c := range []struct {
		name     string
		strategy Strategy
		do       func(l *lab)
		want     Conflict
	}{
		{"built on", Squash, func(l *lab) { l.write(l.repo, "b.txt", "x\n"); l.commit("later") }, Conflict{Path: "main", Kind: "moved"}},
		{"edited since", Squash, func(l *lab) { l.write(l.repo, "new.txt", "edited\n") }, Conflict{Path: "new.txt", Kind: "uncommitted"}},
		{"patch edited since", Patch, func(l *lab) { l.write(l.repo, "new.txt", "edited\n") }, Conflict{Path: "new.txt", Kind: "untracked"}},
		{"patch committed since", Patch, func(l *lab) { l.commit("by the person") }, Conflict{Path: "main", Kind: "moved"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			landing := l.land(r, id, specOf(c.strategy, turns...))
			c.do(l)
			before := l.look(l.repo)
			err := r.Unland(t.Context(), id, landing)
			checkConflicts(t, err, c.want)
			if text := err.Error(); strings.Contains(text, "land again") {
				t.Errorf("message: got %q, which is about landing", text)
			}
			check(t, "checkout", l.look(l.repo), before)
		})
	}
	t.Run("thrown away", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		landing := l.land(r, id, specOf(Patch, turns...))
		l.run(l.repo, "reset", "-q", "--hard")
		l.run(l.repo, "clean", "-qfd")
		checkRefused(t, r.Unland(t.Context(), id, landing), NothingToUnland)
	})
	t.Run("a branch that is checked out", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		spec := specOf(Branch, turns...)
		spec.Into = "topic"
		landing := l.land(r, id, spec)
		l.run(l.repo, "checkout", "-q", "topic")
		checkRefused(t, r.Unland(t.Context(), id, landing), TargetBusy)
	})
}

// A landing that the session itself took back later is not one that the person undid.
func TestLandingThatALaterOneTookBack(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Patch} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		first := l.land(r, id, specOf(strategy, turns...))
		l.write(id.Path, "a.txt", lines("a", 20))
		l.write(id.Path, "b.txt", "instead\n")
		l.run(id.Path, "clean", "-qfd")
		three := l.checkpoint(r, id, 3, turns[1].Commit)
		spec := specOf(strategy, TurnCommit{three.Commit, "instead"})
		spec.Landings = []Landing{first}
		second := l.land(r, id, spec)
		base, err := r.CountsFrom(t.Context(), id, []Landing{first, second})
		noError(t, err)
		check(t, "counts from", base, second.Base)
	}
}
