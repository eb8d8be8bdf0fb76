package worktree

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func (l *lab) equip(r *Repository, id Identity, spec EquipSpec) Equipment {
	l.t.Helper()
	e, err := r.Equip(l.t.Context(), id, spec)
	noError(l.t, err)
	return e
}

func TestEquipCopiesWhatIsIncludedAndIgnored(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, ".gitignore", ".env*\nnode_modules/\nvenv/\nlinks/\nother/\n")
	l.write(l.repo, "kept/tracked.env", "tracked\n")
	l.commit("ignore")
	l.write(l.repo, ".worktreeinclude", "# for sessions\n.env*\n!.env.local\nnode_modules/\nvenv/\nlinks/\nuntracked\nkept/\n")
	for name, content := range map[string]string{
		".env": "KEY=1\n", ".env.local": "not\n", "sub dir/.env": "KEY=2\n", ":(icase)d/.env*[x]": "KEY=3\n", "node_modules/a/b.js": "b\n", "node_modules/run": "#!/bin/sh\n",
		"venv/pyvenv.cfg": "home = here\n", "venv/lib/x.py": "x\n", "other/unnamed": "x\n", "untracked": "x\n", "links/real": "real\n", "extra.log": "x\n",
	} {
		l.write(l.repo, name, content)
	}
	noError(t, os.Chmod(filepath.Join(l.repo, "node_modules/run"), 0o755))
	noError(t, os.Chmod(filepath.Join(l.repo, ".env"), 0o600))
	l.write(l.dir, "outside", "outside\n")
	noError(t, os.Symlink(filepath.Join(l.dir, "outside"), filepath.Join(l.repo, "links/out")))
	noError(t, os.Symlink("../../outside", filepath.Join(l.repo, "links/up")))
	noError(t, os.Symlink("real", filepath.Join(l.repo, "links/in")))
	r := l.open(l.repo)
	id := l.create(r, "s1")
	before := l.look(l.repo)
	patterns, err := r.IncludePatterns(t.Context(), "")
	noError(t, err)
	spec := EquipSpec{Ignored: strings.Split(patterns, "\n")}
	e := l.equip(r, id, spec)
	want := Equipment{
		Copied: []string{".env", ":(icase)d/.env*[x]", "links/in", "links/real", "node_modules/a/b.js", "node_modules/run", "sub dir/.env"},
		LeftOut: []LeftOut{
			{"links/out", "it is a symbolic link that leads out of the checkout"},
			{"links/up", "it is a symbolic link that leads out of the checkout"},
			{"venv/", "it is a Python environment, whose paths hold only where it was made; make one in the worktree"},
		},
	}
	slices.SortFunc(e.LeftOut, func(a, b LeftOut) int { return strings.Compare(a.Path, b.Path) })
	check(t, "equipment", e, want)
	check(t, "again", l.equip(r, id, spec).Copied, want.Copied)
	files, theirs := l.files(id.Path), l.files(l.repo)
	for _, name := range want.Copied {
		check(t, name, files[name], theirs[name])
		one, err := os.Stat(filepath.Join(id.Path, name))
		noError(t, err)
		two, err := os.Stat(filepath.Join(l.repo, name))
		noError(t, err)
		check(t, name+" is a file of its own", os.SameFile(one, two), false)
	}
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
	check(t, "the person's checkout", l.look(l.repo), before)

	e = l.equip(r, id, EquipSpec{Ignored: []string{"other/"}})
	check(t, "pattern of the caller", slices.Contains(e.Copied, "other/unnamed"), true)
	noError(t, os.RemoveAll(id.Path))
	l.restore(r, id, "")
	check(t, "after a restore", l.equip(r, id, spec).Copied, want.Copied)
}

func TestEquipRespectsItsLimit(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, "build/a", strings.Repeat("a", 100))
	l.write(l.repo, "build/b", "b")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	e := l.equip(r, id, EquipSpec{Ignored: []string{"build/"}, Limit: 50})
	check(t, "equipment", e, Equipment{
		Copied:  []string{"build/b"},
		LeftOut: []LeftOut{{"build/a", "it is too large (100 bytes; 50 may still be copied)"}},
	})
}

func TestEquipLeavesTheTreesOwnFilesAlone(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, ".gitignore", "")
	l.commit("nothing is ignored")
	base := l.run(l.repo, "rev-parse", "HEAD")
	l.write(l.repo, ".gitignore", "*.log\nbuild/\n")
	l.commit("ignore")
	l.write(l.repo, "a.log", "a\n")
	l.write(l.repo, "build/x", "x\n")
	r := l.open(l.repo)
	id, err := r.Plan(t.Context(), PlanSpec{Session: "s1", Root: l.root, Base: base})
	noError(t, err)
	noError(t, r.Create(t.Context(), id, "s1"))
	e := l.equip(r, id, EquipSpec{Ignored: []string{"*.log", "build/"}})
	check(t, "what would look like work", e, Equipment{LeftOut: []LeftOut{
		{"a.log", "git does not ignore it at the session's base commit"}, {"build/x", "git does not ignore it at the session's base commit"},
	}})

	two := l.create(r, "s2")
	l.write(two.Path, "a.log", "of the session\n")
	noError(t, os.Symlink(l.dir, filepath.Join(two.Path, "build")))
	e = l.equip(r, two, EquipSpec{Ignored: []string{"*.log", "build/"}})
	check(t, "what is there", e, Equipment{LeftOut: []LeftOut{
		{"build/x", "the tree has something else where its folder would be"}, {"a.log", "the tree has one already"},
	}})
	check(t, "a.log", l.read(two.Path, "a.log"), "of the session\n")
	check(t, "nothing outside", exists(l.dir, "x"), false)
}

func TestEquipWritesAgainWhatWasCutOff(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, "a.log", "whole\n")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "a.log", "who")
	l.write(l.repo, ".git/worktrees/s1/nodwyn-copied", `{"from":"x","files":{"a.log":""}}`)
	check(t, "copied", l.equip(r, id, EquipSpec{Ignored: []string{"*.log"}}).Copied, []string{"a.log"})
	check(t, "a.log", l.read(id.Path, "a.log"), "whole\n")
}

func TestRemoveNamesAChangedCopy(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	for _, name := range []string{"a.log", "b.log", "c.log", "d.log"} {
		l.write(l.repo, name, "copied\n")
	}
	noError(t, os.Symlink("a.log", filepath.Join(l.repo, "link.log")))
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.equip(r, id, EquipSpec{Ignored: []string{"*.log"}})
	l.write(id.Path, "own.log", "of the session\n")
	noError(t, os.Remove(filepath.Join(id.Path, "a.log")))
	noError(t, os.Remove(filepath.Join(id.Path, "link.log")))
	noError(t, os.Symlink("own.log", filepath.Join(id.Path, "link.log")))
	l.write(id.Path, "b.log", "changed\n")
	l.write(id.Path, "c.log", "changed in both\n")
	l.write(l.repo, "c.log", "changed in both\n")
	changed, err := r.ChangedCopies(id)
	noError(t, err)
	check(t, "changed copies", changed, []string{"b.log", "link.log"})
	removed, unlanded := l.remove(r, id, RemoveSpec{})
	check(t, "removed", removed, false)
	check(t, "unlanded", unlanded, []string{"b.log", "link.log"})
	l.write(id.Path, "b.log", "copied\n")
	noError(t, os.Remove(filepath.Join(id.Path, "link.log")))
	removed, _ = l.remove(r, id, RemoveSpec{})
	check(t, "removed", removed, true)
}

func TestEquipSaysThatHooksAreMissing(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, ".gitignore", ".husky/_\n")
	l.commit("ignore")
	l.write(l.repo, ".husky/_/pre-commit", "#!/bin/sh\n")
	l.run(l.repo, "config", "core.hooksPath", ".husky/_")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	check(t, "hooks", l.equip(r, id, EquipSpec{}).Hooks, ".husky/_")
	check(t, "hooks when copied", l.equip(r, id, EquipSpec{Ignored: []string{".husky/_"}}), Equipment{Copied: []string{".husky/_/pre-commit"}})
}

func TestEquipFillsSubmodules(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	deep, lib, never := l.module("deep"), l.module("lib"), l.module("never")
	l.run(lib, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", deep, "inner deep")
	l.run(lib, "commit", "-q", "-m", "deep")
	l.run(l.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", lib, "libs/lib")
	l.run(l.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "--name", "odd.name=x", never, "never")
	l.run(l.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "update", "--init", "--recursive")
	l.commit("submodules")
	l.run(l.repo, "submodule", "--quiet", "deinit", "-f", "never")
	noError(t, os.RemoveAll(filepath.Join(l.repo, ".git/modules/odd.name=x")))
	noError(t, os.Rename(lib, lib+"-gone"))
	noError(t, os.Rename(deep, deep+"-gone"))
	r := l.open(l.repo)
	id := l.create(r, "s1")
	config, before := l.read(l.repo, ".git/config"), l.look(l.repo)
	e := l.equip(r, id, EquipSpec{Submodules: true})
	check(t, "equipment", e, Equipment{
		Submodules: []string{"libs/lib", "libs/lib/inner deep"},
		Empty:      []LeftOut{{"never", "your checkout does not have it either; run git submodule update --init in the worktree"}},
	})
	check(t, "file", l.read(id.Path, "libs/lib/inner deep/file"), "deep\n")
	check(t, "address", l.run(filepath.Join(id.Path, "libs/lib"), "remote", "get-url", "origin"), lib)
	check(t, "configuration", l.read(l.repo, ".git/config"), config)
	check(t, "the person's checkout", l.look(l.repo), before)
	check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall"), "")
	check(t, "again", l.equip(r, id, EquipSpec{Submodules: true}), e)
	point, err := r.Checkpoint(t.Context(), id, CheckpointSpec{Session: "s1", Turn: 1, Previous: id.BaseCommit, Subject: "x"})
	noError(t, err)
	check(t, "checkpoint", point, nil)

	l.write(id.Path, "libs/lib/new", "in a submodule\n")
	removed, unlanded := l.remove(r, id, RemoveSpec{})
	check(t, "removed", removed, false)
	check(t, "unlanded", unlanded, []string{"libs/lib"})
	noError(t, os.Remove(filepath.Join(id.Path, "libs/lib/new")))
	removed, unlanded = l.remove(r, id, RemoveSpec{})
	check(t, "unlanded", unlanded, nil)
	check(t, "removed", removed, true)
	check(t, "the person's submodule", l.run(filepath.Join(l.repo, "libs/lib"), "status", "--porcelain"), "")
}

// module makes a repository with one file.
func (l *lab) module(name string) string {
	l.t.Helper()
	dir := filepath.Join(l.dir, name)
	l.run(l.dir, "init", "-q", name)
	l.write(dir, "file", name+"\n")
	l.run(dir, "add", "-A")
	l.run(dir, "commit", "-q", "-m", name)
	return dir
}
