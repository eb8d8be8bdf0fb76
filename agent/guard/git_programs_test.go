package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// trap is a repository in which every filter writes what it sees of the environment to mark.
type trap struct {
	*Git
	dir, mark, home string
}

func newTrap(t *testing.T) trap {
	t.Helper()
	home := t.TempDir()
	g := NewGit([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "MODEL_KEY=xyz", "TOOLS=1"})
	tr := trap{Git: g, dir: t.TempDir(), mark: filepath.Join(t.TempDir(), "ran"), home: home}
	git(t, g, tr.dir, "init", "-q", "-b", "main")
	return tr
}

// program is a filter that leaves a mark and its environment, and passes the content on.
func (tr trap) program(name string) string {
	return "{ echo " + name + "; env; } >> '" + tr.mark + "'; cat"
}

// ran tells what ran since the last call.
func (tr trap) ran(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(tr.mark)
	if err != nil {
		return ""
	}
	if err := os.Remove(tr.mark); err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// person writes the person's own configuration.
func (tr trap) person(t *testing.T, text string) {
	t.Helper()
	put(t, filepath.Join(tr.home, ".gitconfig"), text)
}

// work has git do everything with content that nodwyn has it do.
func (tr trap) work(t *testing.T) {
	t.Helper()
	put(t, filepath.Join(tr.dir, "a.txt"), "one\n")
	git(t, tr.Git, tr.dir, "add", "-A", "--ignore-errors")
	git(t, tr.Git, tr.dir, "commit", "-q", "--allow-empty", "-m", "one")
	put(t, filepath.Join(tr.dir, "a.txt"), "two\n")
	git(t, tr.Git, tr.dir, "status", "--porcelain=v2")
	_, _ = tr.Run(t.Context(), tr.dir, nil, nil, "update-index", "-q", "--refresh") // its exit code says that a.txt has changed
	git(t, tr.Git, tr.dir, "add", "-A")
	git(t, tr.Git, tr.dir, "commit", "-q", "--allow-empty", "-m", "two")
	git(t, tr.Git, tr.dir, "read-tree", "-m", "-u", "HEAD", "HEAD~1")
	git(t, tr.Git, tr.dir, "reset", "-q", "--hard", "HEAD")
	git(t, tr.Git, tr.dir, "worktree", "add", "-q", "--detach", filepath.Join(t.TempDir(), "w"), "HEAD")
}

func TestGitPassesOverFiltersOfTheRepository(t *testing.T) {
	tr := newTrap(t)
	included := filepath.Join(tr.dir, "included")
	put(t, included, "[filter \"inc\"]\n\tclean = "+quoted(tr.program("included"))+"\n")
	for _, kv := range [][2]string{
		{"filter.x.clean", tr.program("clean")}, {"filter.x.smudge", tr.program("smudge")}, {"filter.x.required", "true"},
		{"filter.p.process", tr.program("process")}, {"filter.a=b.c.clean", tr.program("odd name")}, {"filter.lfs.clean", tr.program("not lfs")},
		{"include.path", included}, {"extensions.worktreeConfig", "true"},
	} {
		git(t, tr.Git, tr.dir, "config", kv[0], kv[1])
	}
	git(t, tr.Git, tr.dir, "config", "--worktree", "filter.w.clean", tr.program("of the worktree"))
	for _, name := range []string{"x", "p", "a=b.c", "lfs", "inc", "w"} {
		put(t, filepath.Join(tr.dir, ".gitattributes"), "*.txt filter="+name+"\n")
		tr.work(t)
		check(t, tr.ran(t), "")
	}
}

// TestGitPassesOverWhatComesLater changes the configuration as a command of a session would, after git was in use.
func TestGitPassesOverWhatComesLater(t *testing.T) {
	tr := newTrap(t)
	put(t, filepath.Join(tr.dir, ".gitattributes"), "*.txt filter=late\n")
	tr.work(t)
	git(t, tr.Git, tr.dir, "config", "filter.late.clean", tr.program("late"))
	tr.work(t)
	check(t, tr.ran(t), "")
}

// TestGitPassesOverRepositoriesInside has an inner repository whose state git asks for when it adds or lists.
func TestGitPassesOverRepositoriesInside(t *testing.T) {
	tr := newTrap(t)
	for _, sub := range []string{"sub", "sub/deep"} {
		dir := filepath.Join(tr.dir, sub)
		put(t, filepath.Join(dir, "f"), "x")
		put(t, filepath.Join(dir, ".gitattributes"), "* filter=n\n")
		git(t, tr.Git, dir, "init", "-q")
		git(t, tr.Git, dir, "add", "f")
		git(t, tr.Git, dir, "commit", "-q", "-m", "x")
		git(t, tr.Git, dir, "config", "filter.n.clean", tr.program(sub))
	}
	git(t, tr.Git, filepath.Join(tr.dir, "sub"), "add", "-A")
	git(t, tr.Git, tr.dir, "add", "-A")
	for _, content := range []string{"y", "z"} {
		put(t, filepath.Join(tr.dir, "sub/f"), content)
		put(t, filepath.Join(tr.dir, "sub/deep/f"), content)
		git(t, tr.Git, tr.dir, "status", "--porcelain", "--ignore-submodules=dirty") // which passes over their files
		check(t, tr.ran(t), "")
		tr.work(t)
		check(t, tr.ran(t), "")
	}
}

func TestGitRunsThePersonsFilters(t *testing.T) {
	tr := newTrap(t)
	tr.person(t, "[filter \"mine\"]\n\tclean = "+quoted(tr.program("mine"))+"\n")
	git(t, tr.Git, tr.dir, "config", "filter.mine.clean", tr.program("theirs"))
	put(t, filepath.Join(tr.dir, ".gitattributes"), "*.txt filter=mine\n")
	tr.work(t)
	ran := tr.ran(t)
	check(t, strings.HasPrefix(ran, "mine\n"), true)
	check(t, strings.Contains(ran, "\ntheirs\n"), false)
	for _, name := range []string{"MODEL_KEY=", "TOOLS="} {
		check(t, strings.Contains(ran, name), false)
	}
}

func TestGitRunsLargeFileStorageAsItInstallsItself(t *testing.T) {
	tr := newTrap(t)
	bin := t.TempDir()
	put(t, filepath.Join(bin, "git-lfs"), "#!/bin/sh\n"+tr.program("lfs")+"\n")
	if err := os.Chmod(filepath.Join(bin, "git-lfs"), 0o700); err != nil {
		t.Fatal(err)
	}
	tr.Git = NewGit([]string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + tr.home})
	git(t, tr.Git, tr.dir, "config", "filter.lfs.clean", "git-lfs clean -- %f")
	put(t, filepath.Join(tr.dir, ".gitattributes"), "*.txt filter=lfs\n")
	tr.work(t)
	check(t, strings.HasPrefix(tr.ran(t), "lfs\n"), true)
	git(t, tr.Git, tr.dir, "config", "lfs.extension.x.clean", tr.program("extension"))
	put(t, filepath.Join(tr.dir, "b.txt"), "b\n")
	git(t, tr.Git, tr.dir, "add", "-A")
	check(t, tr.ran(t), "")
}

func TestGitMergesWithoutTheRepositorysDriver(t *testing.T) {
	tr := newTrap(t)
	commit := func(content string) string {
		put(t, filepath.Join(tr.dir, "a.txt"), content)
		git(t, tr.Git, tr.dir, "add", "-A")
		git(t, tr.Git, tr.dir, "commit", "-q", "-m", "x")
		return strings.TrimSpace(git(t, tr.Git, tr.dir, "rev-parse", "HEAD"))
	}
	put(t, filepath.Join(tr.dir, ".gitattributes"), "*.txt merge=m diff=d\n")
	base := commit("base\n")
	ours := commit("ours\n")
	git(t, tr.Git, tr.dir, "checkout", "-q", base)
	theirs := commit("theirs\n")
	for _, key := range []string{"merge.m.driver", "diff.d.textconv", "diff.d.command", "diff.external"} {
		git(t, tr.Git, tr.dir, "config", key, tr.program(key))
	}
	_, err := tr.Run(t.Context(), tr.dir, nil, nil, "merge-tree", "--write-tree", ours, theirs)
	failed, ok := errors.AsType[*GitError](err)
	check(t, ok && failed.ExitCode() == 1, true) // a conflict
	git(t, tr.Git, tr.dir, "checkout", "-q", base)
	beside := commit("before\nbase\n")
	git(t, tr.Git, tr.dir, "checkout", "-q", base)
	tree := strings.TrimSpace(git(t, tr.Git, tr.dir, "merge-tree", "--write-tree", commit("base\nafter\n"), beside))
	check(t, git(t, tr.Git, tr.dir, "cat-file", "blob", tree+":a.txt"), "before\nbase\nafter\n")
	_, _ = tr.Run(t.Context(), tr.dir, nil, nil, "diff", ours, theirs)
	out := git(t, tr.Git, tr.dir, "diff", "--no-ext-diff", ours, theirs)
	check(t, strings.HasSuffix(out, "-ours\n+theirs\n"), true)
	check(t, tr.ran(t), "")
}

func TestProgramsAreNamed(t *testing.T) {
	tr := newTrap(t)
	tr.person(t, "[filter \"mine\"]\n\tclean = cat\n")
	for _, kv := range [][2]string{{"filter.x.clean", "a b"}, {"filter.lfs.clean", "git-lfs clean -- %f"}, {"credential.https://host.example.helper", "!c"}, {"core.sshCommand", "s"}, {"user.name", "n"}} {
		git(t, tr.Git, tr.dir, "config", kv[0], kv[1])
	}
	got, err := tr.Programs(t.Context(), tr.dir)
	check(t, err, nil)
	check(t, got, []Program{{"core.sshcommand", "s"}, {"filter.x.clean", "a b"}, {"credential.https://host.example.helper", "!c"}})
	got, err = tr.Programs(t.Context(), t.TempDir())
	check(t, err, nil)
	check(t, got, []Program(nil))
}

func TestOverridesGiveThePersonsHelpersBack(t *testing.T) {
	s := settings{
		person: []setting{{"credential.helper", "store"}, {"core.sshcommand", "old"}, {"core.sshcommand", "new"}, {"credential.https://h.helper", "keyring"}},
		theirs: []setting{{"credential.https://h.helper", "evil"}, {"core.sshcommand", "evil"}, {"gpg.program", "evil"}},
	}
	check(t, s.overrides(), []setting{
		{"credential.https://h.helper", ""}, {"core.sshcommand", "new"}, {"gpg.program", "false"},
		{"credential.helper", "store"}, {"credential.https://h.helper", "keyring"},
	})
	s.theirs = s.theirs[1:]
	check(t, s.overrides(), []setting{{"core.sshcommand", "new"}, {"gpg.program", "false"}})
}

func TestGitStopsAtABrokenConfiguration(t *testing.T) {
	tr := newTrap(t)
	put(t, filepath.Join(tr.dir, ".git", "config"), "[broken\n")
	_, err := tr.Run(context.Background(), tr.dir, nil, nil, "status")
	if err == nil || !strings.Contains(err.Error(), "bad config line 1") {
		t.Errorf("got error %v, want git's words", err)
	}
}

func quoted(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
