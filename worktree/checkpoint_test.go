package worktree

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestCheckpointHoldsEverything(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.run(l.repo, "config", "core.safecrlf", "true")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", lines("a", 25))
	noError(t, os.Remove(filepath.Join(id.Path, "b.txt")))
	l.write(id.Path, "new\nname/untracked", "new\n")
	l.write(id.Path, "mixed", "crlf\r\nlf\n")
	l.write(id.Path, "noise.log", "ignored\n")
	noError(t, os.Symlink("a.txt", filepath.Join(id.Path, "link")))
	noError(t, os.Chmod(filepath.Join(id.Path, "dir/c.txt"), 0o755))
	before := l.look(id.Path)

	point := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "the session's tree", l.look(id.Path), before)
	got := *point
	got.Commit, got.Tree = "", ""
	check(t, "checkpoint", got, Checkpoint{Ref: "refs/nodwyn/s1/0001", Files: 6, Insertions: 9, Deletions: 20})
	check(t, "ref", l.run(l.repo, "rev-parse", point.Ref, point.Ref+"^{tree}", point.Ref+"^1"), point.Commit+"\n"+point.Tree+"\n"+id.BaseCommit)
	check(t, "identity", l.run(l.repo, "log", "-1", "--format=%an %cn %s", point.Commit), "nodwyn nodwyn turn 1")
	check(t, "mode", l.run(l.repo, "ls-tree", "--format=%(objectmode)", point.Commit, "dir/c.txt", "link"), "100755\n120000")
	tree, err := r.Tree(t.Context(), id)
	noError(t, err)
	check(t, "tree", tree, point.Tree)
	check(t, "administration", l.leftovers(id), nil)
}

// leftovers lists private index files that were not removed.
func (l *lab) leftovers(id Identity) []string {
	l.t.Helper()
	names, err := filepath.Glob(filepath.Join(l.repo, ".git", "worktrees", filepath.Base(id.Path), "nodwyn-*"))
	noError(l.t, err)
	return names
}

func TestCheckpointOfNothingNew(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	spec := CheckpointSpec{Session: "s1", Turn: 1, Previous: id.BaseCommit, Subject: "x"}
	point, err := r.Checkpoint(t.Context(), id, spec)
	noError(t, err)
	check(t, "checkpoint", point, nil)
	l.write(id.Path, "noise.log", "ignored\n")
	point, err = r.Checkpoint(t.Context(), id, spec)
	noError(t, err)
	check(t, "checkpoint with an ignored file", point, nil)
	check(t, "refs", l.run(l.repo, "for-each-ref", "refs/nodwyn"), "")
}

func TestCheckpointSeesAnEditOfTheSameTickAndSize(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	// The edit keeps the size and the time that the index has on record, as an edit within one tick of the clock does.
	index, err := os.Stat(filepath.Join(l.repo, ".git", "worktrees", "s1", "index"))
	noError(t, err)
	name := filepath.Join(id.Path, "a.txt")
	noError(t, os.Chtimes(name, time.Time{}, index.ModTime()))
	l.run(id.Path, "update-index", "--refresh")
	noError(t, os.WriteFile(name, []byte(lines("z", 20)), 0o644))
	noError(t, os.Chtimes(name, time.Time{}, index.ModTime()))
	noError(t, os.Chtimes(filepath.Join(l.repo, ".git", "worktrees", "s1", "index"), time.Time{}, index.ModTime()))
	check(t, "changed files", l.checkpoint(r, id, 1, id.BaseCommit).Files, 1)
}

func TestCheckpointSaysWhatItLeavesOut(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "kept", "kept\n")
	l.run(id.Path, "init", "-q", "empty")
	l.run(id.Path, "clone", "-q", l.repo, "nested")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "left out", point.LeftOut, []string{
		"'empty/' does not have a commit checked out",
		`"nested" is a repository of its own; only its commit is noted`,
	})
	check(t, "kept", l.run(l.repo, "show", point.Commit+":kept"), "kept")
}

func TestCheckpointStandsOnTheSessionsOwnCommits(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", "committed\n")
	l.run(id.Path, "commit", "-q", "-a", "-m", "by the agent")
	head := l.run(id.Path, "rev-parse", "HEAD")
	l.write(id.Path, "b.txt", "staged\n")
	l.run(id.Path, "add", "b.txt")
	l.write(id.Path, "b.txt", "later\n")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "files", point.Files, 2)
	check(t, "first parent", l.run(l.repo, "rev-parse", point.Commit+"^1"), head)
	check(t, "staged", l.run(l.repo, "show", point.Commit+"^2:b.txt"), "staged")
	check(t, "content", l.run(l.repo, "show", point.Commit+":b.txt"), "later")
	l.write(id.Path, "b.txt", "even later\n")
	again := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "a turn that is snapshot again", l.run(l.repo, "rev-parse", again.Ref), again.Commit)
}

func TestCheckpointRefusesATreeItCannotTrust(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(l *lab, id Identity)
		want  Reason
	}{
		{"gone", func(l *lab, id Identity) { noError(l.t, os.RemoveAll(id.Path)) }, WorktreeMissing},
		{"a link to the person's checkout", func(l *lab, id Identity) {
			noError(l.t, os.RemoveAll(id.Path))
			noError(l.t, os.Symlink(l.repo, id.Path))
		}, WorktreeMissing},
		{"without its .git file", func(l *lab, id Identity) { noError(l.t, os.Remove(filepath.Join(id.Path, ".git"))) }, WorktreeBroken},
		{"a .git file that leads elsewhere", func(l *lab, id Identity) {
			l.write(id.Path, ".git", "gitdir: "+filepath.Join(l.repo, ".git")+"\n")
		}, WorktreeBroken},
		{"a repository in place of the .git file", func(l *lab, id Identity) {
			noError(l.t, os.Remove(filepath.Join(id.Path, ".git")))
			l.run(id.Path, "init", "-q")
		}, WorktreeBroken},
		{"an unfinished checkout", func(l *lab, id Identity) {
			noError(l.t, os.Remove(filepath.Join(l.repo, ".git/worktrees/s1/index")))
		}, WorktreeUnfinished},
	} {
		t.Run(c.name, func(t *testing.T) {
			skipOnWindows(t)
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.t = t
			c.spoil(l, id)
			check(t, "present", r.Present(id), false)
			_, err := r.Checkpoint(t.Context(), id, CheckpointSpec{Session: "s1", Turn: 1, Previous: id.BaseCommit})
			checkRefused(t, err, c.want)
			_, err = r.Tree(t.Context(), id)
			checkRefused(t, err, c.want)
		})
	}
}
