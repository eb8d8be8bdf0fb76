package worktree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A repository of every kind that git knows gives a worktree that git agrees with, in which a session works and comes back, and from which its work lands.
func TestCreateInEveryKindOfRepository(t *testing.T) {
	skipOnWindows(t)
	for _, c := range append(kindsOfRepository(), contentsOfRepository()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			from, base := c.make(l)
			l.lifeOf(from, base, c.into)
		})
	}
}

// The same with a spare, whose tree git sees as one that it made itself.
func TestSpareInEveryKindOfRepository(t *testing.T) {
	skipOnWindows(t)
	for _, c := range append(kindsOfRepository(), contentsOfRepository()...) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			from, base := c.make(l)
			r := l.open(from)
			noError(t, r.EnsureSpare(t.Context(), l.root, base))
			var ids [2]Identity
			for i, spare := range []bool{true, false} {
				session := fmt.Sprint("s", i)
				id, err := r.Plan(t.Context(), PlanSpec{Session: session, Root: l.root, Base: base, From: from})
				noError(t, err)
				begun, err := r.Begin(t.Context(), id, StartSpec{Session: session})
				noError(t, err)
				check(t, "took a spare", begun.Spare, spare)
				started, err := r.Complete(t.Context(), id, StartSpec{Session: session}, begun)
				noError(t, err)
				check(t, "aside", started.Aside, "")
				l.equip(r, id, EquipSpec{From: from, Submodules: true})
				l.agrees(r, id)
				ids[i] = id
			}
			check(t, "files", l.files(ids[0].Path), l.files(ids[1].Path))
			for _, ask := range [][]string{{"ls-files", "--stage", "-v"}, {"status", "--porcelain=v2", "-uall", "--ignored"}} {
				check(t, ask[0], l.run(ids[0].Path, ask...), l.run(ids[1].Path, ask...))
			}
			for _, name := range []string{"config.worktree", "info/sparse-checkout"} {
				of := func(id Identity) string {
					text, _ := os.ReadFile(filepath.Join(l.run(id.Path, "rev-parse", "--absolute-git-dir"), name))
					return string(text)
				}
				check(t, name, of(ids[0]), of(ids[1]))
			}
		})
	}
}

// repositoryCase is one kind of repository.
type repositoryCase struct {
	name string
	// make returns where the session is asked from, and its base.
	make func(l *lab) (from, base string)
	// into is the branch that the work lands on; empty means that of the plan.
	into string
}

// kindsOfRepository are the ways in which a repository lies on disk, and the bases that a session starts from.
func kindsOfRepository() []repositoryCase {
	return []repositoryCase{
		{"a branch", func(l *lab) (string, string) { l.run(l.repo, "branch", "topic"); return l.repo, "topic" }, ""},
		{"a tag", func(l *lab) (string, string) { l.run(l.repo, "tag", "-a", "-m", "x", "v1"); return l.repo, "v1" }, ""},
		{"a commit", func(l *lab) (string, string) { return l.repo, l.run(l.repo, "rev-parse", "HEAD") }, ""},
		{"a detached HEAD", func(l *lab) (string, string) { l.run(l.repo, "checkout", "-q", "--detach"); return l.repo, "" }, "main"},
		{"a subfolder", func(l *lab) (string, string) { return filepath.Join(l.repo, "dir"), "" }, ""},
		{"another session's tip", func(l *lab) (string, string) {
			r := l.open(l.repo)
			id := l.create(r, "other")
			l.write(id.Path, "other.txt", "other\n")
			return l.repo, l.checkpoint(r, id, 1, id.BaseCommit).Commit
		}, ""},
		{"a linked worktree", func(l *lab) (string, string) {
			l.run(l.repo, "worktree", "add", "-q", "-b", "topic", filepath.Join(l.dir, "linked"))
			return filepath.Join(l.dir, "linked", "dir"), ""
		}, ""},
		{"a bare repository", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "--bare", "repo", "bare.git")
			return filepath.Join(l.dir, "bare.git"), ""
		}, ""},
		{"a worktree of a bare repository", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "--bare", "repo", "bare.git")
			l.run(filepath.Join(l.dir, "bare.git"), "worktree", "add", "-q", "-b", "topic", filepath.Join(l.dir, "linked"))
			return filepath.Join(l.dir, "linked"), ""
		}, ""},
		{"a separate git folder", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "--separate-git-dir", filepath.Join(l.dir, "apart.git"), "repo", "clone")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"a sparse checkout", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "repo", "clone")
			l.run(filepath.Join(l.dir, "clone"), "sparse-checkout", "set", "--cone", "dir")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"a sparse checkout by patterns", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "repo", "clone")
			l.run(filepath.Join(l.dir, "clone"), "sparse-checkout", "set", "--no-cone", "/dir/", "/a.txt")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"a sparse index", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "repo", "clone")
			l.run(filepath.Join(l.dir, "clone"), "sparse-checkout", "set", "--cone", "--sparse-index", "dir")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"a shallow clone", func(l *lab) (string, string) {
			l.write(l.repo, "second.txt", "x\n")
			l.commit("second")
			l.run(l.dir, "clone", "-q", "--depth=1", "file://"+l.repo, "clone")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"a partial clone", func(l *lab) (string, string) {
			l.run(l.repo, "config", "uploadpack.allowFilter", "true")
			l.run(l.repo, "config", "uploadpack.allowAnySHA1InWant", "true")
			l.run(l.dir, "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+l.repo, "clone")
			l.run(filepath.Join(l.dir, "clone"), "checkout", "-q", "main")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"a clone that borrows its objects", func(l *lab) (string, string) {
			l.run(l.dir, "clone", "-q", "--shared", "repo", "clone")
			return filepath.Join(l.dir, "clone"), ""
		}, ""},
		{"SHA-256", func(l *lab) (string, string) { return l.fresh("--object-format=sha256"), "" }, ""},
	}
}

// contentsOfRepository are settings and files that git treats in a way of their own.
func contentsOfRepository() []repositoryCase {
	return []repositoryCase{
		{"settings for each worktree", func(l *lab) (string, string) {
			l.run(l.repo, "config", "extensions.worktreeConfig", "true")
			l.run(l.repo, "config", "--worktree", "core.autocrlf", "false")
			return l.repo, ""
		}, ""},
		{"a split index", func(l *lab) (string, string) { l.run(l.repo, "update-index", "--split-index"); return l.repo, "" }, ""},
		{"packed refs", func(l *lab) (string, string) { l.run(l.repo, "pack-refs", "--all"); return l.repo, "" }, ""},
		{"line ends", func(l *lab) (string, string) {
			l.write(l.repo, ".gitattributes", "*.crlf text eol=crlf\n*.mixed text\n*.utf16 text working-tree-encoding=UTF-16LE\n")
			l.write(l.repo, "x.crlf", "one\r\ntwo\r\n")
			l.write(l.repo, "x.utf16", "a\x00\n\x00")
			l.commit("attributes")
			return l.repo, ""
		}, ""},
		{"line ends by configuration", func(l *lab) (string, string) {
			l.run(l.repo, "config", "core.autocrlf", "true")
			l.write(l.repo, "x.crlf", "one\r\ntwo\r\n")
			l.commit("attributes")
			return l.repo, ""
		}, ""},
		{"a filter, as large files have it", func(l *lab) (string, string) {
			l.run(l.repo, "config", "filter.large.clean", "sed 's/^/pointer /'")
			l.run(l.repo, "config", "filter.large.smudge", "sed 's/^pointer //'")
			l.run(l.repo, "config", "filter.large.required", "true")
			l.write(l.repo, ".gitattributes", "*.big filter=large diff=large merge=large -text\n")
			l.write(l.repo, "x.big", "content\n")
			l.commit("filter")
			check(l.t, "pointer", l.run(l.repo, "show", "HEAD:x.big"), "pointer content")
			return l.repo, ""
		}, ""},
		{"pointers whose program is missing", func(l *lab) (string, string) {
			l.write(l.repo, ".gitattributes", "*.big filter=nowhere\n")
			l.write(l.repo, "x.big", "pointer\n")
			l.commit("filter")
			return l.repo, ""
		}, ""},
		{"odd names, links and modes", func(l *lab) (string, string) {
			for _, name := range []string{"a\nb", "quo\"te", "-dash", "ü/ж 中.txt", " lead", "trail ", "back\\slash", "*", "[x]", ":(top)y", "tab\there", "\xff\xfe"} {
				l.write(l.repo, name, "odd\n")
			}
			l.write(l.repo, "run.sh", "#!/bin/sh\n")
			noError(l.t, os.Chmod(filepath.Join(l.repo, "run.sh"), 0o755))
			noError(l.t, os.Symlink("nowhere", filepath.Join(l.repo, "dangling")))
			noError(l.t, os.Symlink("..", filepath.Join(l.repo, "up")))
			l.commit("odd")
			return l.repo, ""
		}, ""},
		{"submodules", func(l *lab) (string, string) {
			lib := l.module("lib")
			l.run(l.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "lib")
			l.commit("submodule")
			return l.repo, ""
		}, ""},
		{"a folder with odd words", func(l *lab) (string, string) {
			odd := filepath.Join(l.dir, "it's a \"folder\" ü")
			l.run(l.dir, "clone", "-q", "repo", odd)
			l.root = filepath.Join(l.dir, "work trees 'ü'")
			return odd, ""
		}, ""},
	}
}

// fresh makes a repository like that of the lab.
func (l *lab) fresh(args ...string) string {
	l.t.Helper()
	dir := filepath.Join(l.dir, "fresh")
	l.run(l.dir, append(append([]string{"init", "-q"}, args...), "fresh")...)
	for name, content := range l.files(l.repo) {
		_, content, _ = strings.Cut(content, " ")
		l.write(dir, name, content)
	}
	l.run(dir, "add", "-A")
	l.run(dir, "commit", "-q", "-m", "first")
	return dir
}

// lifeOf runs a session through all that a worktree goes through, and asks git each time.
func (l *lab) lifeOf(from, base, into string) {
	t := l.t
	t.Helper()
	ctx := t.Context()
	r := l.open(from)
	id, err := r.Plan(ctx, PlanSpec{Session: "s1", Root: l.root, Base: base, From: from})
	noError(t, err)
	started, err := r.Start(ctx, id, StartSpec{Session: "s1", Carry: CarrySpec{From: from, Uncommitted: true, Untracked: true}})
	noError(t, err)
	check(t, "nothing to carry", started.Carry, Carry{})
	l.equip(r, id, EquipSpec{From: from, Submodules: true})
	l.agrees(r, id)
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")

	l.edit(id.Path, "dir/c.txt", "c 4", "c of the session")
	_, end, _ := strings.Cut(l.read(id.Path, "dir/c.txt"), "c 1") // git writes line ends as the repository wants them
	l.write(id.Path, "dir/new.txt", "new"+strings.TrimSuffix(end[:2], "c"))
	one := l.checkpoint(r, id, 1, id.BaseCommit)
	check(t, "files of the checkpoint", one.Files, 2)
	status, files := l.run(id.Path, "status", "--porcelain", "-uall"), l.files(id.Path)
	check(t, "status of the session's work", status, " M dir/c.txt\n?? dir/new.txt")
	rw, err := r.PrepareRevert(ctx, id, RevertSpec{Session: "s1", Turn: 1, Last: one.Commit, To: id.BaseCommit})
	l.rewrite(r, id, rw, err)
	check(t, "status after a revert", l.run(id.Path, "status", "--porcelain", "-uall"), "")
	rw, err = r.PrepareUndo(ctx, id, UndoSpec{Session: "s1", Turn: 1, Commit: rw.Commit})
	l.rewrite(r, id, rw, err)
	check(t, "files after the undo", l.files(id.Path), files)

	noError(t, os.RemoveAll(id.Path))
	l.restore(r, id, rw.Commit)
	l.equip(r, id, EquipSpec{From: from, Submodules: true})
	check(t, "files after a restore", l.files(id.Path), files)
	check(t, "status after a restore", l.run(id.Path, "status", "--porcelain", "-uall"), status)
	l.agrees(r, id)

	landing, err := r.Prepare(ctx, id, LandSpec{Strategy: Squash, Into: into, Tip: rw.Commit, Turns: []TurnCommit{{rw.Commit, "work"}}})
	noError(t, err)
	noError(t, r.Apply(ctx, landing))
	check(t, "landed", l.run(from, "diff", "--name-status", landing.Previous, landing.Commit), "M\tdir/c.txt\nA\tdir/new.txt")
	if id.Base == "" {
		id.Base = into
	}
	removed, unlanded := l.remove(r, id, RemoveSpec{Session: "s1", Landings: []Landing{landing}, Tip: rw.Commit})
	check(t, "unlanded", unlanded, nil)
	check(t, "removed", removed, true)
	check(t, "in the list", strings.Contains(l.run(from, "worktree", "list", "--porcelain"), id.Path), false)
}

// agrees asks git whether it sees the worktree as we do.
func (l *lab) agrees(r *Repository, id Identity) {
	l.t.Helper()
	list := l.run(id.Path, "worktree", "list", "--porcelain")
	check(l.t, "listed in "+list, strings.Contains(list, "worktree "+id.Path+"\nHEAD "+id.BaseCommit+"\nbranch refs/heads/"+id.Branch+"\nlocked"), true)
	check(l.t, "fsck", l.run(id.Path, "fsck", "--strict", "--no-dangling", "--no-progress"), "")
	check(l.t, "present", r.Present(id), true)
}

func TestCarryFromASparseCheckout(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	clone := filepath.Join(l.dir, "clone")
	l.run(l.dir, "clone", "-q", "repo", clone)
	l.run(clone, "sparse-checkout", "set", "--cone", "dir")
	l.edit(clone, "dir/c.txt", "c 4\n", "c of the person\n")
	l.write(clone, "dir/new.txt", "new\n")
	r := l.open(clone)
	before := l.look(clone)
	id, c := l.start(r, "s1", everything)
	check(t, "carried", c.Files, 2)
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), " M dir/c.txt\n?? dir/new.txt")
	files, err := r.Diff(t.Context(), id.BaseCommit, c.Commit, "")
	noError(t, err)
	check(t, "nothing looks deleted", namesIn(files), []string{"dir/c.txt", "dir/new.txt"})
	after := l.look(clone)
	after.branches = before.branches
	check(t, "the person's checkout", after, before)
}

func TestCreateFromAPartialCloneWithoutItsRemote(t *testing.T) {
	l := newLab(t)
	l.run(l.repo, "config", "uploadpack.allowFilter", "true")
	clone := filepath.Join(l.dir, "clone")
	l.run(l.dir, "clone", "-q", "--filter=blob:none", "--no-checkout", "file://"+l.repo, clone)
	noError(t, os.Rename(l.repo, l.repo+"-gone"))
	r := l.open(clone)
	id := l.plan(r, "s1")
	refs := l.run(clone, "for-each-ref")
	err := r.Create(t.Context(), id, "s1")
	if err == nil || !strings.Contains(err.Error(), "promisor remote") {
		t.Errorf("got %v, want an error that names the remote", err)
	}
	check(t, "refs", l.run(clone, "for-each-ref"), refs)
	check(t, "worktrees", strings.Count(l.run(clone, "worktree", "list"), "\n"), 0)
	_, err = os.Lstat(id.Path)
	check(t, "folder is gone", os.IsNotExist(err), true)
}
