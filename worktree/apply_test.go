package worktree

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestApplyKeepsUnrelatedWork(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Merge} {
		t.Run(string(strategy), func(t *testing.T) {
			l := newLab(t)
			l.run(l.repo, "config", "merge.autoStash", "true")
			l.run(l.repo, "config", "branch.main.mergeOptions", "--squash --no-ff")
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.write(l.repo, "b.txt", "staged\n")
			l.run(l.repo, "add", "b.txt")
			l.write(l.repo, "b.txt", "staged, then edited\r\n")
			noError(t, os.Remove(filepath.Join(l.repo, "dir/c.txt")))
			l.write(l.repo, "mine", "untracked\n")
			l.write(l.repo, "noise.log", "ignored\n")
			status, files := l.run(l.repo, "status", "--porcelain", "-uall", "--ignored"), l.files(l.repo)
			staged := l.run(l.repo, "diff", "--cached", "--", "b.txt")

			l.land(r, id, specOf(strategy, turns...))
			check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall", "--ignored"), status)
			check(t, "staged", l.run(l.repo, "diff", "--cached"), staged)
			files["a.txt"], files["new.txt"] = l.files(id.Path)["a.txt"], l.files(id.Path)["new.txt"]
			check(t, "files", l.files(l.repo), files)
		})
	}
}

func TestApplyRefusesAsAWhole(t *testing.T) {
	for _, c := range []struct {
		name  string
		block func(l *lab)
		want  []Conflict
	}{
		{"edited", func(l *lab) { l.write(l.repo, "a.txt", "of the person\n") }, []Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"staged", func(l *lab) { l.write(l.repo, "a.txt", "x\n"); l.run(l.repo, "add", "a.txt") }, []Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"deleted", func(l *lab) { noError(l.t, os.Remove(filepath.Join(l.repo, "a.txt"))) }, []Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"folder deleted", func(l *lab) { noError(l.t, os.RemoveAll(filepath.Join(l.repo, "dir"))) }, []Conflict{{Path: "dir/c.txt", Kind: "uncommitted"}}},
		{"deletion staged", func(l *lab) { l.run(l.repo, "rm", "-q", "a.txt") }, []Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"edited, hidden as unchanged", func(l *lab) {
			l.run(l.repo, "update-index", "--assume-unchanged", "a.txt")
			l.write(l.repo, "a.txt", "of the person\n")
		}, []Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"edited, hidden as not checked out", func(l *lab) {
			l.run(l.repo, "update-index", "--skip-worktree", "a.txt")
			l.write(l.repo, "a.txt", "of the person\n")
		}, []Conflict{{Path: "a.txt", Kind: "uncommitted"}}},
		{"an ignored folder where a file goes", func(l *lab) {
			l.write(l.repo, ".git/info/exclude", "new.txt/\n")
			l.write(l.repo, "new.txt/x", "mine\n")
		}, []Conflict{{Path: "new.txt", Kind: "ignored"}}},
		{"untracked", func(l *lab) { l.write(l.repo, "new.txt", "mine\n") }, []Conflict{{Path: "new.txt", Kind: "untracked"}}},
		{"ignored", func(l *lab) {
			l.write(l.repo, ".git/info/exclude", "new.txt\n")
			l.write(l.repo, "new.txt", "mine\n")
		}, []Conflict{{Path: "new.txt", Kind: "ignored"}}},
		{"in an ignored folder", func(l *lab) {
			l.write(l.repo, ".git/info/exclude", "deep/\n")
			l.write(l.repo, "deep/er/x", "mine\n")
			l.write(l.repo, "deep/unrelated", "mine\n")
		}, []Conflict{{Path: "deep/er/x", Kind: "ignored"}}},
		{"a file where a folder goes", func(l *lab) { l.write(l.repo, "deep", "mine\n") }, []Conflict{{Path: "deep", Kind: "untracked"}}},
		{"a folder where a file goes", func(l *lab) { l.write(l.repo, "new.txt/x", "mine\n") }, []Conflict{{Path: "new.txt/x", Kind: "untracked"}}},
		{"two of them", func(l *lab) { l.write(l.repo, "a.txt", "x\n"); l.write(l.repo, "new.txt", "mine\n") },
			[]Conflict{{Path: "a.txt", Kind: "uncommitted"}, {Path: "new.txt", Kind: "untracked"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.write(id.Path, "deep/er/x", "of the session\n")
			l.write(id.Path, "dir/c.txt", "of the session\n")
			three := l.checkpoint(r, id, 3, turns[1].Commit)
			landing, err := r.Prepare(t.Context(), id, specOf(Squash, append(turns, TurnCommit{three.Commit, "deep"})...))
			noError(t, err)
			l.write(l.repo, "b.txt", "unrelated\n")
			c.block(l)
			before := l.look(l.repo)
			checkConflicts(t, r.Apply(t.Context(), landing), c.want...)
			check(t, "checkout", l.look(l.repo), before)
		})
	}
}

// A folder that the person replaced by a link leads somewhere else; nothing may be written there.
func TestApplyFollowsNoLink(t *testing.T) {
	skipOnWindows(t)
	for _, strategy := range []Strategy{Squash, Patch} {
		l := newLab(t)
		r := l.open(l.repo)
		id := l.create(r, "s1")
		l.write(id.Path, "deep/er/x", "x\n")
		tip := l.checkpoint(r, id, 1, id.BaseCommit).Commit
		l.write(l.dir, "elsewhere/er/y", "y\n")
		noError(t, os.Symlink(filepath.Join(l.dir, "elsewhere"), filepath.Join(l.repo, "deep")))
		landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: strategy, Tip: tip})
		if err == nil {
			err = r.Apply(t.Context(), landing)
		}
		checkConflicts(t, err, Conflict{Path: "deep", Kind: "untracked"})
		check(t, "written through the link", exists(l.dir, "elsewhere/er/x"), false)
	}
}

func TestApplyWhereTheTargetIs(t *testing.T) {
	t.Run("checked out nowhere", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		l.run(l.repo, "checkout", "-q", "-b", "elsewhere")
		before := l.look(l.repo)
		landing := l.land(r, id, specOf(Squash, turns...))
		check(t, "main", l.run(l.repo, "rev-parse", "main"), landing.Commit)
		after := l.look(l.repo)
		after.branches = before.branches
		check(t, "checkout", after, before)
	})
	t.Run("in a linked worktree", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		side := filepath.Join(l.dir, "side tree")
		l.run(l.repo, "worktree", "add", "-q", "-b", "side", side)
		l.write(side, "b.txt", "uncommitted\n")
		before := l.look(l.repo)
		spec := specOf(Merge, turns...)
		spec.Into = "side"
		landing := l.land(r, id, spec)
		check(t, "side", l.run(side, "rev-parse", "HEAD"), landing.Commit)
		check(t, "status", l.run(side, "status", "--porcelain", "-uall"), " M b.txt")
		check(t, "file", l.read(side, "new.txt"), "new\n")
		after := l.look(l.repo)
		after.branches = before.branches
		check(t, "main checkout", after, before)
	})
	t.Run("in a linked worktree that is gone", func(t *testing.T) {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		side := filepath.Join(l.dir, "side")
		l.run(l.repo, "worktree", "add", "-q", "-b", "side", side)
		noError(t, os.RemoveAll(side))
		spec := specOf(Squash, turns...)
		spec.Into = "side"
		landing, err := r.Prepare(t.Context(), id, spec)
		noError(t, err)
		checkRefused(t, r.Apply(t.Context(), landing), TargetBusy)
		check(t, "side", l.run(l.repo, "rev-parse", "side"), id.BaseCommit)
	})
	t.Run("bare", func(t *testing.T) {
		l := newLab(t)
		l.run(l.dir, "clone", "-q", "--bare", "repo", "bare.git")
		r := l.open(filepath.Join(l.dir, "bare.git"))
		id, turns := l.work(r)
		landing := l.land(r, id, specOf(Squash, turns...))
		check(t, "main", l.run(r.Root(), "rev-parse", "main"), landing.Commit)
	})
}

func TestApplyRefusesAMovedTarget(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	l.write(l.repo, "b.txt", "of the person\n")
	l.commit("by the person")
	before := l.look(l.repo)
	checkConflicts(t, r.Apply(t.Context(), landing), Conflict{Path: "main", Kind: "moved"})
	check(t, "checkout", l.look(l.repo), before)
}

// meanwhile lets the person do something right before git writes the files of a landing.
type meanwhile struct {
	realGit
	do func()
}

func (g meanwhile) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	if args[0] == "read-tree" && slices.Contains(args, "-u") {
		g.do()
	}
	return g.realGit.Run(ctx, dir, env, stdin, args...)
}

func TestApplyKeepsThePersonsGitAway(t *testing.T) {
	for name, args := range map[string][]string{
		"another branch": {"checkout", "-q", "-b", "elsewhere"},
		"no branch":      {"checkout", "-q", "--detach"},
		"a commit":       {"commit", "-q", "-a", "-m", "by the person"},
		"staged":         {"add", "b.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
			noError(t, err)
			l.write(l.repo, "b.txt", "uncommitted\n")
			r.git = meanwhile{l.git, func() {
				if _, err := l.git.Run(t.Context(), l.repo, nil, nil, args...); err == nil {
					t.Errorf("git %v was let in", args)
				}
			}}
			noError(t, r.Apply(t.Context(), landing))
			check(t, "main", l.run(l.repo, "rev-parse", "main", "HEAD"), landing.Commit+"\n"+landing.Commit)
			check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), " M b.txt")
		})
	}
}

// Plumbing takes no lock on the index; what it moves meanwhile is noticed before the branch moves.
func TestApplyMovesNoOtherBranch(t *testing.T) {
	for name, args := range map[string][]string{
		"another branch": {"symbolic-ref", "HEAD", "refs/heads/elsewhere"},
		"another commit": {"update-ref", "refs/heads/main", "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.run(l.repo, "branch", "elsewhere", l.run(l.repo, "commit-tree", "-p", "HEAD", "-m", "x", "HEAD^{tree}"))
			landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
			noError(t, err)
			l.write(l.repo, "b.txt", "uncommitted\n")
			var before look
			r.git = meanwhile{l.git, func() {
				l.run(l.repo, args...)
				before = l.look(l.repo)
			}}
			checkConflicts(t, r.Apply(t.Context(), landing), Conflict{Path: "main", Kind: "moved"})
			check(t, "checkout", l.look(l.repo), before)
		})
	}
}

// What the person saves while git is about to write makes it refuse the whole.
func TestApplyLeavesAFileThatIsSavedMeanwhile(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	var before look
	r.git = meanwhile{l.git, func() {
		l.write(l.repo, "a.txt", "saved\n")
		before = l.look(l.repo)
	}}
	checkConflicts(t, r.Apply(t.Context(), landing), Conflict{Path: "a.txt", Kind: "uncommitted"})
	check(t, "checkout", l.look(l.repo), before)
}

func TestApplyInASparseCheckout(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.run(l.repo, "sparse-checkout", "set", "--no-cone", "/b.txt")
	l.land(r, id, specOf(Squash, turns...))
	check(t, "status", l.run(l.repo, "status", "--porcelain"), "")
}

func TestApplyWhileTheTargetIsBusy(t *testing.T) {
	for name, hold := range map[string]func(l *lab){
		"branch locked": func(l *lab) { l.write(l.repo, ".git/refs/heads/main.lock", "") },
		"index locked":  func(l *lab) { l.write(l.repo, ".git/index.lock", "") },
		"merge under way": func(l *lab) {
			l.run(l.repo, "checkout", "-q", "-b", "side")
			l.write(l.repo, "b.txt", "side\n")
			l.commit("side")
			l.run(l.repo, "checkout", "-q", "main")
			l.run(l.repo, "merge", "-q", "--no-commit", "--no-ff", "side")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
			noError(t, err)
			l.write(l.repo, "dir/c.txt", "uncommitted\n")
			hold(l)
			before, files := l.run(l.repo, "status", "--porcelain=v2", "--branch", "-uall"), l.files(l.repo)
			checkRefused(t, r.Apply(t.Context(), landing), TargetBusy)
			check(t, "status", l.run(l.repo, "status", "--porcelain=v2", "--branch", "-uall"), before)
			check(t, "files", l.files(l.repo), files)
		})
	}
}

func TestApplyRunsNoHook(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	ran := filepath.Join(l.dir, "ran")
	for _, hook := range []string{"post-checkout", "post-merge", "reference-transaction", "pre-commit"} {
		l.write(l.repo, ".git/hooks/"+hook, "#!/bin/sh\necho "+hook+" >> '"+ran+"'\nexit 1\n")
		noError(t, os.Chmod(filepath.Join(l.repo, ".git/hooks", hook), 0o755))
	}
	l.run(l.repo, "config", "core.fsmonitor", "echo fsmonitor >> '"+ran+"'; false")
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.land(r, id, specOf(Merge, turns...))
	_, err := r.Uncommitted(t.Context())
	noError(t, err)
	if text, err := os.ReadFile(ran); err == nil {
		t.Errorf("these ran: %s", strings.Fields(string(text)))
	}
}
