package worktree

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// Ten sessions change the same files; each lands when its turn comes, by a random strategy, after a sync when the landing conflicts, whose conflicts it resolves. All of them land, and nothing of any is lost.
func TestTenSessionsLandInAnyOrder(t *testing.T) {
	for seed := range uint64(2) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed, 10))
			l := newLab(t)
			r := l.open(l.repo)
			type session struct {
				id       Identity
				tip      string
				landings []Landing
				turn     int
			}
			var sessions []*session
			for i := range 10 {
				s := &session{id: l.create(r, fmt.Sprint("s", i)), turn: 1}
				s.tip = s.id.BaseCommit
				sessions = append(sessions, s)
				line := random.IntN(20) + 1
				l.edit(s.id.Path, "a.txt", fmt.Sprintf("a %d\n", line), fmt.Sprintf("a %d\nof session %d\n", line, i))
				l.write(s.id.Path, fmt.Sprintf("own%d.txt", i), "own\n")
				s.tip = l.checkpoint(r, s.id, 1, s.tip).Commit
			}
			random.Shuffle(len(sessions), func(i, j int) { sessions[i], sessions[j] = sessions[j], sessions[i] })
			synced, conflicted := 0, 0
			for n, s := range sessions {
				spec := LandSpec{Strategy: []Strategy{Squash, Merge, Rebase}[random.IntN(3)], Landings: s.landings, Tip: s.tip, Turns: []TurnCommit{{s.tip, "work"}}}
				landing, err := r.Prepare(t.Context(), s.id, spec)
				if err != nil || n > 0 && random.IntN(3) == 0 {
					up := l.sync(r, s.id, s.landings...)
					synced++
					s.landings = append(s.landings, Landing{Strategy: Synced, Base: up.Base})
					s.tip = up.Commit
					if len(up.Conflicts) > 0 {
						conflicted++
						l.resolveAll(s.id.Path, "a.txt")
						s.tip = l.checkpoint(r, s.id, 2, s.tip).Commit
					}
					spec.Landings, spec.Tip, spec.Turns = s.landings, s.tip, []TurnCommit{{s.tip, "work"}}
					landing, err = r.Prepare(t.Context(), s.id, spec)
				}
				noError(t, err)
				noError(t, r.Apply(t.Context(), landing))
				s.landings = append(s.landings, landing)
			}
			check(t, "some synced, some met", synced > 0 && conflicted > 0, true)
			text := l.read(l.repo, "a.txt")
			for i := range 10 {
				check(t, fmt.Sprint("line of session ", i), strings.Count(text, fmt.Sprintf("of session %d\n", i)), 1)
				check(t, fmt.Sprint("file of session ", i), exists(l.repo, fmt.Sprintf("own%d.txt", i)), true)
			}
			check(t, "lines of the person", strings.Count(text, "a "), 20)
			check(t, "status", l.run(l.repo, "status", "--porcelain"), "")
			for _, s := range sessions {
				removed, unlanded := l.remove(r, s.id, RemoveSpec{Session: sessionOf(s.id), Landings: s.landings, Tip: s.tip})
				check(t, "unlanded", unlanded, nil)
				check(t, "removed", removed, true)
			}
		})
	}
}

// resolveAll keeps both sides of every conflict.
func (l *lab) resolveAll(dir, name string) {
	l.t.Helper()
	kept := slices.DeleteFunc(strings.SplitAfter(l.read(dir, name), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "<<<<<<<") || strings.HasPrefix(line, "=======") || strings.HasPrefix(line, ">>>>>>>")
	})
	l.write(dir, name, strings.Join(kept, ""))
}
