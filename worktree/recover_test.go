package worktree

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A landing is cut off at each of its calls, before and behind it; what Recover makes of it is the old state or the new one.
func TestRecoverAtEveryStep(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Patch} {
		t.Run(string(strategy), func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 20\n", "a twenty\n", 1))
			l.run(l.repo, "add", "a.txt")
			l.write(l.repo, "a.txt", strings.NewReplacer("a 20\n", "a twenty\n", "a 10\n", "a ten\n").Replace(lines("a", 20)))
			l.write(l.repo, "mine", "mine\n")
			state := func() string {
				return l.run(l.repo, "status", "--porcelain", "-uall") + l.run(l.repo, "diff", "HEAD") + l.run(l.repo, "ls-files", "-s")
			}
			old := state()
			landing, err := r.Prepare(t.Context(), id, specOf(strategy, turns...))
			noError(t, err)
			noError(t, r.Apply(t.Context(), landing))
			next := state()
			noError(t, r.Unland(t.Context(), id, landing))
			check(t, "taken back", state(), old)

			random := rand.New(rand.NewPCG(1, 2))
			for step, survived := 1, false; !survived; step++ {
				// At random: before the call, behind it, or, where it writes files, within it.
				survived, err = l.die(r, random, step, step%2 == 0, func(r *Repository) error { return r.Apply(t.Context(), landing) })
				noError(t, err)
				r = l.again(r)
				landed, err := r.Recover(t.Context(), id, landing)
				noError(t, err)
				want := old
				if landed {
					want = next
				}
				check(t, "state", state(), want)
				if landed {
					noError(t, r.Unland(t.Context(), id, landing))
					check(t, "taken back", state(), old)
				}
				if step > 200 {
					t.Fatal("a landing has no end")
				}
			}
		})
	}
}

// dead leaves what a process leaves that dies when the files are written: lock, journal and files.
func (l *lab) dead(r *Repository, id Identity, landing Landing) {
	l.t.Helper()
	for step := 1; ; step++ {
		survived, err := l.die(r, rand.New(rand.NewPCG(9, 9)), step, false, func(r *Repository) error { return r.Apply(l.t.Context(), landing) })
		noError(l.t, err)
		if survived {
			l.t.Fatal("no step leaves files behind")
		}
		if exists(l.repo, "new.txt") {
			return
		}
		_, err = l.again(r).Recover(l.t.Context(), id, landing)
		noError(l.t, err)
	}
}

func TestCutOffLandingKeepsOthersAway(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	before := l.look(l.repo)
	l.dead(r, id, landing)
	// Another session's landing says which session to resume, with the lock and, since git tells people to remove it, without.
	other := l.create(r, "s2")
	l.write(other.Path, "b.txt", "of another session\n")
	point := l.checkpoint(r, other, 1, other.BaseCommit)
	second, err := r.Prepare(t.Context(), other, LandSpec{Strategy: Squash, Tip: point.Commit})
	noError(t, err)
	for range 2 {
		err = r.Apply(t.Context(), second)
		checkRefused(t, err, TargetBusy)
		if !strings.Contains(err.Error(), `"s1"`) {
			t.Errorf("message: got %q, want the session", err)
		}
		_ = os.Remove(filepath.Join(l.repo, ".git/index.lock"))
	}
	landed, err := r.Recover(t.Context(), other, second)
	noError(t, err)
	check(t, "of the other session", landed, false)
	check(t, "files of the landing", exists(l.repo, "new.txt"), true)
	landed, err = r.Recover(t.Context(), id, landing)
	noError(t, err)
	check(t, "landed", landed, false)
	after := l.look(l.repo)
	after.index, after.branches = before.index, before.branches
	check(t, "checkout", after, before)
	noError(t, r.Apply(t.Context(), second))
}

// A process may die right behind taking the lock, when there is no journal yet.
func TestLockOfAnotherSession(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	hold := &indexHold{name: filepath.Join(l.repo, ".git/index.lock")}
	noError(t, hold.create("s9"))
	err = r.Apply(t.Context(), landing)
	checkRefused(t, err, TargetBusy)
	if !strings.Contains(err.Error(), `session "s9"`) {
		t.Errorf("message: got %q, want the session", err)
	}
	gone := id
	gone.Path = filepath.Join(filepath.Dir(id.Path), "s9")
	_, err = r.Recover(t.Context(), gone, landing)
	noError(t, err)
	noError(t, r.Apply(t.Context(), landing))
}

func TestRecoverLeavesWhatWasEditedSince(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	l.dead(r, id, landing)
	l.write(l.repo, "new.txt", "the person goes on with it\n")
	landed, err := r.Recover(t.Context(), id, landing)
	noError(t, err)
	check(t, "landed", landed, false)
	check(t, "new.txt", l.read(l.repo, "new.txt"), "the person goes on with it\n")
	check(t, "a.txt", l.read(l.repo, "a.txt"), lines("a", 20))
}

// The last step of a landing is to drop its journal; a process may die right before.
func TestRecoverOfALandingThatWasDone(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing := l.land(r, id, specOf(Squash, turns...))
	folder := filepath.Join(l.repo, ".git")
	j := journal{Session: "s1", Ref: "refs/heads/main", From: landing.Previous, To: landing.Commit,
		Before: l.run(l.repo, "rev-parse", landing.Previous+"^{tree}"), After: l.run(l.repo, "rev-parse", landing.Commit+"^{tree}")}
	j.Staged, j.StagedAfter = j.Before, j.After
	noError(t, j.write(folder))
	noError(t, (&indexHold{name: filepath.Join(folder, "index.lock")}).create("s1"))
	// The lock was removed by hand, and one of the landed files staged again.
	noError(t, os.Remove(filepath.Join(folder, "index.lock")))
	l.write(l.repo, "a.txt", "staged since\n")
	l.run(l.repo, "add", "a.txt")
	before := l.look(l.repo)
	landed, err := r.Recover(t.Context(), id, landing)
	noError(t, err)
	check(t, "landed", landed, true)
	after := l.look(l.repo)
	after.index = before.index
	check(t, "checkout", after, before)
}

func TestRecoverWithNothingCutOff(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	l.write(l.repo, ".git/index.lock", "DIRC") // of somebody else
	landed, err := r.Recover(t.Context(), id, landing)
	noError(t, err)
	check(t, "landed", landed, false)
	check(t, "lock of somebody else", exists(filepath.Join(l.repo, ".git"), "index.lock"), true)
}

func TestRecoverInALinkedCheckout(t *testing.T) {
	l := newLab(t)
	side := filepath.Join(l.dir, "side")
	l.run(l.repo, "worktree", "add", "-q", "-b", "side", side)
	r := l.open(l.repo)
	id, turns := l.work(r)
	spec := specOf(Squash, turns...)
	spec.Into = "side"
	landing, err := r.Prepare(t.Context(), id, spec)
	noError(t, err)
	check(t, "checkout", landing.Checkout, side)
	before := l.look(side)
	for step, survived := 1, false; !survived; step += 2 {
		survived, err = l.die(r, rand.New(rand.NewPCG(uint64(step), 3)), step, true, func(r *Repository) error { return r.Apply(t.Context(), landing) })
		noError(t, err)
		landed, err := l.again(r).Recover(t.Context(), id, landing)
		noError(t, err)
		if landed {
			break
		}
		after := l.look(side)
		after.index, after.branches = before.index, before.branches
		check(t, "checkout", after, before)
	}
	check(t, "status", l.run(side, "status", "--porcelain", "-uall"), "")
	check(t, "new.txt", l.read(side, "new.txt"), "new\n")
}
