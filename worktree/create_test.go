package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

func TestCreateAgreesWithGit(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, "odd \"name\"\twith\nall", "odd\n")
	l.write(l.repo, "grüße/ж.txt", "utf-8\n")
	l.write(l.repo, "-dash", "dash\n")
	l.write(l.repo, "tool.sh", "#!/bin/sh\n")
	noError(t, os.Chmod(filepath.Join(l.repo, "tool.sh"), 0o755))
	noError(t, os.Symlink("a.txt", filepath.Join(l.repo, "link")))
	l.commit("odd files")
	l.write(l.repo, "a.txt", "uncommitted\n")
	r := l.open(l.repo)
	branches := l.run(l.repo, "for-each-ref")
	before := l.look(l.repo)
	id := l.create(r, "s1")

	want := "worktree " + id.Path + "\nHEAD " + id.BaseCommit + "\nbranch refs/heads/nodwyn/s1\nlocked nodwyn session s1\n"
	if got := l.run(l.repo, "worktree", "list", "--porcelain"); !strings.HasSuffix(got+"\n", want+"\n") {
		t.Errorf("worktree list: got\n%s\nwant at its end\n%s", got, want)
	}
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
	check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
	l.run(l.repo, "stash", "-q")
	check(t, "files", l.files(id.Path), l.files(l.repo))
	l.run(l.repo, "stash", "pop", "-q")
	check(t, "present", r.Present(id), true)
	l.run(l.repo, "update-ref", "-d", "refs/heads/nodwyn/s1")
	check(t, "other refs", l.run(l.repo, "for-each-ref"), branches)
	after := l.look(l.repo)
	check(t, "person's status", [2]string{after.status, after.head}, [2]string{before.status, before.head})
}

func TestCreateLeavesTheCheckoutAlone(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, "a.txt", "uncommitted\n")
	l.write(l.repo, "new", "untracked\n")
	r := l.open(l.repo)
	before := l.look(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "b.txt", "of the session\n")
	l.checkpoint(r, id, 1, id.BaseCommit)
	after := l.look(l.repo)
	after.branches = before.branches // the session's branch is new
	check(t, "checkout", after, before)
}

func TestCreateFromEverywhere(t *testing.T) {
	l := newLab(t)
	bare := filepath.Join(l.dir, "bare.git")
	l.run(l.dir, "clone", "-q", "--bare", "repo", bare)
	sparse := filepath.Join(l.dir, "sparse")
	l.run(l.dir, "clone", "-q", "repo", sparse)
	l.run(sparse, "sparse-checkout", "set", "--no-cone", "/dir/")
	l.run(l.repo, "checkout", "-q", "--detach")
	for session, dir := range map[string]string{"detached": l.repo, "bare": bare, "sparse": sparse} {
		t.Run(session, func(t *testing.T) {
			r := l.open(dir)
			id := l.create(r, session)
			check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
			check(t, "file", l.read(id.Path, "dir/c.txt"), lines("c", 20))
			l.write(id.Path, "dir/c.txt", "changed\n")
			point := l.checkpoint(r, id, 1, id.BaseCommit)
			check(t, "changed files", point.Files, 1)
		})
	}
}

// failingGit fails the command that a session's checkout runs.
type failingGit struct {
	realGit
	command string
}

func (g failingGit) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	if strings.HasPrefix(strings.Join(args, " "), g.command) {
		return nil, errors.New("the disk is full")
	}
	return g.realGit.Run(ctx, dir, env, stdin, args...)
}

func TestCreateLeavesNothingWhenItFails(t *testing.T) {
	for _, command := range []string{"worktree add", "read-tree"} {
		t.Run(command, func(t *testing.T) {
			l := newLab(t)
			r, err := Open(t.Context(), failingGit{l.git, command}, l.repo)
			noError(t, err)
			id := l.plan(r, "s1")
			before := l.look(l.repo)
			if err := r.Create(t.Context(), id, "s1"); err == nil {
				t.Fatal("got no error")
			}
			check(t, "repository", l.look(l.repo), before)
			check(t, "worktrees", strings.Count(l.run(l.repo, "worktree", "list"), "\n"), 0)
			if _, err := os.Lstat(id.Path); err == nil {
				t.Error("the folder is still there")
			}
			noError(t, l.open(l.repo).Create(t.Context(), id, "s1"))
		})
	}
}

// stoppingGit ends the context when the checkout starts, as a person who closes the editor does.
type stoppingGit struct {
	realGit
	stop context.CancelFunc
}

func (g stoppingGit) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	if args[0] == "read-tree" {
		g.stop()
	}
	return g.realGit.Run(ctx, dir, env, stdin, args...)
}

func TestCreateLeavesNothingWhenItIsStopped(t *testing.T) {
	l := newLab(t)
	ctx, stop := context.WithCancel(t.Context())
	r, err := Open(ctx, stoppingGit{l.git, stop}, l.repo)
	noError(t, err)
	id := l.plan(r, "s1")
	before := l.look(l.repo)
	if err := r.Create(ctx, id, "s1"); err == nil {
		t.Fatal("got no error")
	}
	check(t, "repository", l.look(l.repo), before)
	check(t, "worktrees", l.run(l.repo, "worktree", "list", "--porcelain"), "worktree "+l.repo+"\nHEAD "+id.BaseCommit+"\nbranch refs/heads/main\n")
	if _, err := os.Lstat(id.Path); err == nil {
		t.Error("the folder is still there")
	}
}

func TestCreateDoesNotTakeABranchThatAppearedMeanwhile(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.plan(r, "s1")
	l.run(l.repo, "branch", "nodwyn/s1")
	before := l.look(l.repo)
	if err := r.Create(t.Context(), id, "s1"); err == nil {
		t.Fatal("got no error")
	}
	check(t, "repository", l.look(l.repo), before)
}

func TestManySessionsAtOnce(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	var group sync.WaitGroup
	failures := make(chan error, 8)
	for i := range cap(failures) {
		group.Go(func() { failures <- l.session(r, fmt.Sprintf("s%d", i)) })
	}
	group.Wait()
	for range cap(failures) {
		noError(t, <-failures)
	}
	check(t, "checkpoints", strings.Count(l.run(l.repo, "for-each-ref", "refs/nodwyn")+"\n", "\n"), 16)
	check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
}

// session creates a worktree and takes two checkpoints of it.
func (l *lab) session(r *Repository, session string) error {
	ctx := l.t.Context()
	id, err := r.Plan(ctx, PlanSpec{Session: session, Root: l.root})
	if err != nil {
		return err
	}
	if err := r.Create(ctx, id, session); err != nil {
		return err
	}
	previous := id.BaseCommit
	for turn := 1; turn <= 2; turn++ {
		name := filepath.Join(id.Path, fmt.Sprintf("file%d", turn))
		if err := os.WriteFile(name, []byte(session), 0o644); err != nil {
			return err
		}
		point, err := r.Checkpoint(ctx, id, CheckpointSpec{Session: session, Turn: turn, Previous: previous, Subject: "turn"})
		if err != nil {
			return err
		}
		if point.Files != 1 {
			return fmt.Errorf("session %s, turn %d: %d files in the checkpoint", session, turn, point.Files)
		}
		previous = point.Commit
	}
	return nil
}
