package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

// spread makes every kind of change in a session's tree: staged, staged and edited again, unstaged, deleted, untracked.
func (l *lab) spread(id Identity) {
	l.t.Helper()
	l.write(id.Path, "staged", "staged\n")
	l.write(id.Path, "a.txt", "staged\n")
	l.run(id.Path, "add", "staged", "a.txt")
	l.write(id.Path, "a.txt", "edited again\n")
	l.write(id.Path, "dir/c.txt", "edited\n")
	noError(l.t, os.Remove(filepath.Join(id.Path, "b.txt")))
	l.write(id.Path, "sub/untracked", "untracked\n")
}

func (l *lab) shown(id Identity) [3]string {
	l.t.Helper()
	return [3]string{l.run(id.Path, "status", "--porcelain=v2", "--branch", "-uall"), l.run(id.Path, "diff"), l.run(id.Path, "diff", "--cached")}
}

// restore brings a tree back where nothing stands in its place.
func (l *lab) restore(r *Repository, id Identity, checkpoint string) {
	l.t.Helper()
	aside, err := r.Restore(l.t.Context(), id, filepath.Base(id.Path), checkpoint)
	noError(l.t, err)
	check(l.t, "set aside", aside, "")
}

func TestRestoreBringsTheStatusBack(t *testing.T) {
	for _, c := range []struct {
		name string
		lose func(l *lab, id Identity)
	}{
		{"folder gone", func(*lab, Identity) {}},
		{"folder and registration gone", func(l *lab, id Identity) {
			l.run(l.repo, "worktree", "unlock", id.Path)
			l.run(l.repo, "worktree", "prune")
		}},
		{"folder and branch gone", func(l *lab, id Identity) { l.run(l.repo, "update-ref", "-d", "refs/heads/"+id.Branch) }},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.spread(id)
			point := l.checkpoint(r, id, 1, id.BaseCommit)
			shown, files, person := l.shown(id), l.files(id.Path), l.look(l.repo)
			noError(t, os.RemoveAll(id.Path))
			c.lose(l, id)
			l.restore(r, id, point.Commit)
			check(t, "status", l.shown(id), shown)
			check(t, "files", l.files(id.Path), files)
			check(t, "locked", l.read(l.repo, ".git/worktrees/s1/locked"), "nodwyn session s1\n")
			check(t, "person's checkout", l.look(l.repo), person)
			check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
		})
	}
}

func TestRestoreWithoutACheckpoint(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	files := l.files(id.Path)
	noError(t, os.RemoveAll(id.Path))
	l.restore(r, id, "")
	check(t, "files", l.files(id.Path), files)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "")
}

func TestRestoreOfAStartThatNeverCreated(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.plan(r, "s1")
	l.restore(r, id, "")
	check(t, "present", r.Present(id), true)
	check(t, "branch", l.run(l.repo, "rev-parse", id.Branch), id.BaseCommit)
}

func TestRestoreKeepsATreeThatIsThere(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	point := func() *Checkpoint { l.write(id.Path, "a.txt", "one\n"); return l.checkpoint(r, id, 1, id.BaseCommit) }()
	l.write(id.Path, "a.txt", "after the checkpoint\n")
	before := l.look(id.Path)
	l.restore(r, id, point.Commit)
	check(t, "tree", l.look(id.Path), before)
}

func TestRestoreFinishesAnUnfinishedCheckout(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	files := l.files(id.Path)
	// What a git that was killed half way leaves: some files, a held lock, no index.
	noError(t, os.Remove(filepath.Join(id.Path, "b.txt")))
	admin := filepath.Join(l.repo, ".git/worktrees/s1")
	noError(t, os.Rename(filepath.Join(admin, "index"), filepath.Join(admin, "index.lock")))
	aside, err := r.Restore(t.Context(), id, "s1", "")
	noError(t, err)
	check(t, "what was there is kept", l.read(aside, "a.txt"), lines("a", 20))
	check(t, "files", l.files(id.Path), files)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "")
}

func TestRestoreRepairsTheLink(t *testing.T) {
	for name, spoil := range map[string]func(l *lab, id Identity){
		"gone":    func(l *lab, id Identity) { noError(l.t, os.Remove(filepath.Join(id.Path, ".git"))) },
		"swapped": func(l *lab, id Identity) { l.write(id.Path, ".git", "gitdir: "+l.repo+"/.git\n") },
		"another worktree's": func(l *lab, id Identity) {
			l.run(l.repo, "worktree", "add", "-q", "-b", "side", filepath.Join(l.dir, "side"))
			l.write(id.Path, ".git", l.read(filepath.Join(l.dir, "side"), ".git"))
		},
		"nonsense": func(l *lab, id Identity) { l.write(id.Path, ".git", "hello\n") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.spread(id)
			shown := l.shown(id)
			spoil(l, id)
			l.restore(r, id, "")
			check(t, "status", l.shown(id), shown)
			check(t, "broken registrations", l.run(l.repo, "worktree", "prune", "--dry-run", "-v"), "")
		})
	}
}

func TestRestoreAfterTheRepositoryMoved(t *testing.T) {
	l := newLab(t)
	id := l.create(l.open(l.repo), "s1")
	l.spread(id)
	shown := l.shown(id)
	moved := filepath.Join(l.dir, "moved")
	noError(t, os.Rename(l.repo, moved))
	r := l.open(moved)
	check(t, "present", r.Present(id), false)
	l.restore(r, id, "")
	check(t, "status", l.shown(id), shown)
}

func TestRestoreRefusesABranchThatIsInUse(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	noError(t, os.RemoveAll(id.Path))
	l.run(l.repo, "worktree", "unlock", id.Path)
	l.run(l.repo, "worktree", "prune")
	l.run(l.repo, "checkout", "-q", id.Branch)
	_, err := r.Restore(t.Context(), id, "s1", "")
	checkRefused(t, err, BranchTaken)
}
