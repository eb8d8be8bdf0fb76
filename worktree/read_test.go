package worktree

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

func TestReadsNeedNoProcess(t *testing.T) {
	l := newLab(t)
	l.run(l.repo, "config", "core.repositoryFormatVersion", "1")
	l.run(l.repo, "config", "extensions.worktreeConfig", "true")
	l.run(l.repo, "branch", "packed")
	l.run(l.repo, "pack-refs", "--all")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	tree := l.run(l.repo, "rev-parse", "HEAD^{tree}")
	session, err := r.checked(id.Path)
	noError(t, err)
	r.git = fixedGit{err: errors.New("no process may be started")}

	branch, commit, err := r.head(t.Context(), r.mainPlace())
	noError(t, err)
	check(t, "HEAD", [2]string{branch, commit}, [2]string{"main", id.BaseCommit})
	branch, commit, err = r.head(t.Context(), session.at)
	noError(t, err)
	check(t, "HEAD of the session", [2]string{branch, commit}, [2]string{id.Branch, id.BaseCommit})
	commit, err = r.branchCommit(t.Context(), "packed")
	noError(t, err)
	check(t, "packed branch", commit, id.BaseCommit)
	got, err := r.treeOf(t.Context(), id.BaseCommit)
	noError(t, err)
	check(t, "tree", got, tree)
}

// A whole session in repositories that go-git cannot read, or reads only in part.
func TestReadsFallBackToGit(t *testing.T) {
	for name, make := range map[string]func(l *lab) string{
		"sha256": func(l *lab) string {
			dir := filepath.Join(l.dir, "sha256")
			l.run(l.dir, "init", "-q", "--object-format=sha256", dir)
			l.write(dir, "a.txt", lines("a", 20))
			l.run(dir, "add", "-A")
			l.run(dir, "commit", "-q", "-m", "first")
			return dir
		},
		"borrowed objects": func(l *lab) string {
			l.run(l.dir, "clone", "-q", "--shared", "repo", "shared")
			return filepath.Join(l.dir, "shared")
		},
		"shallow": func(l *lab) string {
			l.write(l.repo, "a.txt", lines("a", 20)+"more\n")
			l.commit("second")
			l.run(l.dir, "clone", "-q", "--depth=1", "file://"+filepath.ToSlash(l.repo), "shallow")
			return filepath.Join(l.dir, "shallow")
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.repo = make(l)
			r := l.open(l.repo)
			id, turns := l.work(r)
			landing := l.land(r, id, specOf(Merge, turns...))
			check(t, "files", l.files(l.repo), l.files(id.Path))
			removed, unlanded := l.remove(r, id, RemoveSpec{Landings: []Landing{landing}, Tip: turns[1].Commit})
			check(t, "removed", removed, true)
			check(t, "unlanded", unlanded, nil)
			l.checkGone(id)
		})
	}
}

func TestLineEndsFollowTheAttributes(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.txt text eol=crlf\n")
	l.commit("attributes")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	crlf := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	check(t, "checked out", l.read(id.Path, "b.txt"), crlf(lines("b", 20)))
	l.write(id.Path, "a.txt", crlf(lines("a", 21)))
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "lines", [2]int{point.Insertions, point.Deletions}, [2]int{1, 0})
	l.land(r, id, specOf(Squash, TurnCommit{point.Commit, "x"}))
	check(t, "landed", l.read(l.repo, "a.txt"), crlf(lines("a", 21)))
	check(t, "status", l.run(l.repo, "status", "--porcelain"), "")
}

func TestARewrittenCommonDirIsNotFollowed(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.run(l.dir, "init", "-q", "other")
	other := filepath.Join(l.dir, "other", ".git")
	l.write(l.repo, ".git/worktrees/s1/commondir", other+"\n")
	l.write(id.Path, "a.txt", "x\n")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "object", l.run(l.repo, "cat-file", "-t", point.Commit), "commit")
	check(t, "other repository", l.run(other, "--git-dir=.", "count-objects"), "0 objects, 0 kilobytes")
}
