package worktree

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// clash makes side and main change the same line, so that whatever joins them stops at a conflict.
func (l *lab) clash() {
	l.t.Helper()
	l.run(l.repo, "checkout", "-q", "-b", "side")
	l.write(l.repo, "b.txt", "side\n")
	l.commit("on side")
	l.run(l.repo, "checkout", "-q", "main")
	l.write(l.repo, "b.txt", "main\n")
	l.commit("on main")
}

// stop runs a git command of the person's that stops half way.
func (l *lab) stop(dir string, args ...string) {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, l.git.environment()
	if out, err := cmd.CombinedOutput(); err == nil {
		l.t.Fatalf("git %v did not stop: %s", args, out)
	}
}

func TestLandingLeavesATargetInUseAlone(t *testing.T) {
	for _, c := range []struct {
		name string
		use  func(l *lab)
		end  []string // what the person does next; it must work
	}{
		{"rebase of it", func(l *lab) { l.stop(l.repo, "rebase", "side") }, []string{"rebase", "--abort"}},
		{"rebase of it by patches", func(l *lab) { l.stop(l.repo, "rebase", "--apply", "side") }, []string{"rebase", "--abort"}},
		{"rebase that takes it along", func(l *lab) {
			l.run(l.repo, "checkout", "-q", "-b", "stacked")
			l.write(l.repo, "c.txt", "stacked\n")
			l.commit("stacked")
			l.stop(l.repo, "rebase", "--update-refs", "side")
		}, []string{"rebase", "--abort"}},
		{"rebase of it in another worktree", func(l *lab) {
			l.run(l.repo, "checkout", "-q", "--detach")
			other := filepath.Join(l.dir, "other")
			l.run(l.repo, "worktree", "add", "-q", other, "main")
			l.stop(other, "rebase", "side")
		}, []string{"-C", "../other", "rebase", "--abort"}},
		{"merge", func(l *lab) { l.stop(l.repo, "merge", "side") }, []string{"merge", "--abort"}},
		{"cherry-pick", func(l *lab) { l.stop(l.repo, "cherry-pick", "side") }, []string{"cherry-pick", "--abort"}},
		{"revert", func(l *lab) {
			l.write(l.repo, "b.txt", "again\n")
			l.commit("again")
			l.stop(l.repo, "revert", "HEAD~1")
		}, []string{"revert", "--abort"}},
		{"am", func(l *lab) {
			l.write(l.dir, "patch", l.run(l.repo, "format-patch", "--stdout", "-1", "side"))
			l.stop(l.repo, "am", filepath.Join(l.dir, "patch"))
		}, []string{"am", "--abort"}},
		{"bisect", func(l *lab) { l.run(l.repo, "bisect", "start", "main", "main~1") }, []string{"bisect", "reset"}},
		{"bisect that waits on it", func(l *lab) { l.run(l.repo, "bisect", "start") }, []string{"bisect", "reset"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.clash()
			landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
			noError(t, err)
			c.use(l)
			landing.Previous = l.run(l.repo, "rev-parse", "main")
			before, main := l.look(l.repo), l.run(l.repo, "rev-parse", "main")
			checkRefused(t, r.Apply(t.Context(), landing), TargetBusy)
			_, err = r.Prepare(t.Context(), id, specOf(Squash, turns...))
			checkRefused(t, err, TargetBusy)
			check(t, "checkout", l.look(l.repo), before)
			l.run(l.repo, c.end...)
			check(t, "main", l.run(l.repo, "rev-parse", "main"), main)
		})
	}
}

func TestLandingDoesNotMindOtherBranchesInUse(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.clash()
	l.run(l.repo, "checkout", "-q", "side")
	l.stop(l.repo, "rebase", "main")
	before := l.look(l.repo)
	landing := l.land(r, id, specOf(Squash, turns...))
	check(t, "main", l.run(l.repo, "rev-parse", "main"), landing.Commit)
	after := l.look(l.repo)
	after.branches = before.branches
	check(t, "checkout", after, before)
	l.run(l.repo, "rebase", "--abort")
}
