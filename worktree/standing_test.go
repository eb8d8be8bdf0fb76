package worktree

import (
	"strings"
	"testing"
)

func TestLandingThatWasUndoneLandsAgain(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Merge} {
		for name, undo := range map[string]func(l *lab, landing Landing){
			"branch set back": func(l *lab, landing Landing) { l.run(l.repo, "reset", "-q", "--hard", landing.Previous) },
			"branch set back and pruned": func(l *lab, landing Landing) {
				l.run(l.repo, "reset", "-q", "--hard", landing.Previous)
				l.run(l.repo, "reflog", "expire", "--expire=now", "--all")
				l.run(l.repo, "gc", "-q", "--prune=now")
			},
			"reverted": func(l *lab, _ Landing) {
				if strategy == Merge {
					l.run(l.repo, "revert", "--no-edit", "-m", "1", "HEAD")
					return
				}
				l.run(l.repo, "revert", "--no-edit", "HEAD")
			},
			"reverted, and more since": func(l *lab, landing Landing) {
				l.run(l.repo, "checkout", "-q", landing.Previous, ".")
				l.run(l.repo, "rm", "-q", "new.txt")
				l.commit("undo")
				l.write(l.repo, "b.txt", "later\n")
				l.commit("later")
			},
		} {
			t.Run(string(strategy)+" "+name, func(t *testing.T) {
				l := newLab(t)
				r := l.open(l.repo)
				id, turns := l.work(r)
				landing := l.land(r, id, specOf(strategy, turns...))
				landings := []Landing{landing}
				landed, err := r.Landed(t.Context(), id, landing.Base, landings)
				noError(t, err)
				check(t, "landed at first", landed, true)

				undo(l, landing)
				landed, err = r.Landed(t.Context(), id, landing.Base, landings)
				noError(t, err)
				check(t, "landed after that", landed, false)
				base, err := r.CountsFrom(t.Context(), id, landings)
				noError(t, err)
				check(t, "counts from", base, id.BaseCommit)
				removed, unlanded := l.remove(r, id, RemoveSpec{Landings: landings, Tip: landing.Base})
				check(t, "removed", removed, false)
				check(t, "unlanded", unlanded, []string{"a.txt", "new.txt"})

				again := l.land(r, id, LandSpec{Strategy: strategy, Tip: landing.Base, Landings: landings, Message: "again"})
				check(t, "a.txt", l.read(l.repo, "a.txt"), l.read(id.Path, "a.txt"))
				check(t, "new.txt", l.read(l.repo, "new.txt"), "new\n")
				check(t, "snapshots in history", strings.Contains(l.run(l.repo, "log", "--format=%an"), "nodwyn"), false)
				landings = append(landings, again)
				_, err = r.Prepare(t.Context(), id, LandSpec{Strategy: strategy, Tip: landing.Base, Landings: landings})
				checkRefused(t, err, NothingToLand)
				removed, unlanded = l.remove(r, id, RemoveSpec{Landings: landings, Tip: landing.Base})
				check(t, "removed at last", removed, true)
				check(t, "unlanded at last", unlanded, nil)
			})
		}
	}
}

// History may be rewritten around a landing; its content is what counts, and the session goes on from there.
func TestLandingThatWasRewrittenStands(t *testing.T) {
	for name, rewrite := range map[string]func(l *lab){
		"amended": func(l *lab) { l.run(l.repo, "commit", "-q", "--amend", "-m", "other words") },
		"rebased": func(l *lab) {
			l.run(l.repo, "checkout", "-q", "-b", "upstream", "HEAD~1")
			l.write(l.repo, "b.txt", "upstream\n")
			l.commit("upstream")
			l.run(l.repo, "checkout", "-q", "main")
			l.run(l.repo, "rebase", "-q", "upstream")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			first := l.land(r, id, specOf(Squash, turns...))
			rewrite(l)
			// The second landing changes the very line of the first; counted from the start it would be a conflict.
			l.write(id.Path, "a.txt", strings.Replace(lines("a", 20), "a 1\n", "a uno\n", 1))
			three := l.checkpoint(r, id, 3, turns[1].Commit)
			spec := specOf(Squash, TurnCommit{three.Commit, "again"})
			spec.Landings = []Landing{first}
			second := l.land(r, id, spec)
			check(t, "files", second.Files, []FileDiff{{Path: "a.txt", Status: "M", Insertions: 1, Deletions: 1}})
		})
	}
}

func TestContainsWithoutTheCommitOrTheBranch(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	head := l.run(l.repo, "rev-parse", "HEAD")
	for _, c := range []struct{ name, branch, commit string }{
		{"a commit that was pruned", "main", strings.Repeat("1", len(head))},
		{"a branch that is gone", "gone", head},
	} {
		has, err := r.Contains(t.Context(), c.branch, c.commit)
		noError(t, err)
		check(t, c.name, has, false)
	}
}
