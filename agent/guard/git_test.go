package guard

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func newGit(t *testing.T, extra ...string) (*Git, string) {
	t.Helper()
	g := NewGit(append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()}, extra...))
	dir := t.TempDir()
	git(t, g, dir, "init", "-q", "-b", "main")
	return g, dir
}

func git(t *testing.T, g *Git, dir string, args ...string) string {
	t.Helper()
	id := []string{"GIT_AUTHOR_NAME=n", "GIT_AUTHOR_EMAIL=e@example", "GIT_COMMITTER_NAME=n", "GIT_COMMITTER_EMAIL=e@example"}
	out, err := g.Run(t.Context(), dir, id, nil, args...)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestGitRunsNothingOfTheRepositorys plants programs where git looks for them.
func TestGitRunsNothingOfTheRepositorys(t *testing.T) {
	g, dir := newGit(t)
	mark := filepath.Join(t.TempDir(), "ran")
	trap := filepath.Join(dir, "trap.sh")
	put(t, trap, "#!/bin/sh\necho \"$0\" >> "+mark+"\n")
	if err := os.Chmod(trap, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, hook := range []string{"pre-commit", "post-commit", "post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman"} {
		if err := os.Symlink(trap, filepath.Join(dir, ".git", "hooks", hook)); err != nil {
			t.Fatal(err)
		}
	}
	for _, kv := range []string{"core.fsmonitor", "core.hooksPath", "core.editor", "core.pager", "gpg.program", "sequence.editor"} {
		value := trap
		if kv == "core.hooksPath" {
			value = filepath.Join(dir, ".git", "hooks")
		}
		git(t, g, dir, "config", kv, value)
	}
	git(t, g, dir, "config", "commit.gpgsign", "true")
	git(t, g, dir, "add", "-A")
	git(t, g, dir, "commit", "-q", "-m", "one")
	git(t, g, dir, "status")
	git(t, g, dir, "log")
	git(t, g, dir, "checkout", "-q", "-b", "other")
	if ran, err := os.ReadFile(mark); err == nil {
		t.Errorf("these ran: %s", ran)
	}
}

func TestGitIgnoresTheEnvironmentsRepository(t *testing.T) {
	_, elsewhere := newGit(t)
	g, dir := newGit(t, "GIT_DIR="+filepath.Join(elsewhere, ".git"), "GIT_WORK_TREE="+elsewhere, "GIT_INDEX_FILE=/nowhere/index", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.bare", "GIT_CONFIG_VALUE_0=true", "LC_ALL=de_DE.UTF-8")
	check(t, strings.TrimSpace(git(t, g, dir, "rev-parse", "--absolute-git-dir")), filepath.Join(dir, ".git"))
	out, err := g.Run(t.Context(), dir, []string{"GIT_DIR=" + filepath.Join(elsewhere, ".git")}, nil, "rev-parse", "--absolute-git-dir")
	check(t, err, nil)
	check(t, strings.TrimSpace(string(out)), filepath.Join(elsewhere, ".git"))
}

func TestGitTakesInputAndKeepsOutputOfAFailure(t *testing.T) {
	g, dir := newGit(t)
	out, err := g.Run(t.Context(), dir, nil, []byte("hello\n"), "hash-object", "--stdin")
	check(t, err, nil)
	check(t, string(out), "ce013625030ba8dba906f756967f9e9ca394464a\n")
	put(t, filepath.Join(dir, "a"), "a\n")
	out, err = g.Run(t.Context(), dir, nil, nil, "diff", "--no-index", "--name-only", "/dev/null", "a")
	failed, ok := errors.AsType[*GitError](err)
	check(t, ok, true)
	check(t, failed.ExitCode(), 1)
	check(t, string(out), "a\n")
}

func TestGitErrorsSayWhatGitSaid(t *testing.T) {
	g, _ := newGit(t)
	_, err := g.Run(t.Context(), t.TempDir(), nil, nil, "status")
	failed, ok := errors.AsType[*GitError](err)
	check(t, ok, true)
	check(t, failed.ExitCode(), 128)
	check(t, strings.HasPrefix(err.Error(), "git status: exit code 128: fatal: not a git repository"), true)
	check(t, strings.HasPrefix(failed.Stderr(), "fatal: not a git repository"), true)
}

// What proves who the person is reaches the program that signs, and no other that git starts.
func TestGitSignsAsThePerson(t *testing.T) {
	home := t.TempDir()
	g, dir := newGit(t, "HOME="+home, "SSH_AUTH_SOCK=the-agent")
	seen := filepath.Join(home, "seen")
	program := filepath.Join(home, "sign.sh")
	put(t, program, "#!/bin/sh\necho \"sign $SSH_AUTH_SOCK\" >> "+seen+"\ncat > /dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\necho signature\n")
	filter := filepath.Join(home, "filter.sh")
	put(t, filter, "#!/bin/sh\necho \"filter $SSH_AUTH_SOCK\" >> "+seen+"\ncat\n")
	for _, name := range []string{program, filter} {
		if err := os.Chmod(name, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(home, ".gitconfig"), "[gpg]\n\tprogram = "+program+"\n[filter \"f\"]\n\tclean = "+filter+"\n")
	put(t, filepath.Join(dir, ".gitattributes"), "*.txt filter=f\n")
	put(t, filepath.Join(dir, "a.txt"), "a\n")
	git(t, g, dir, "add", "a.txt")
	git(t, g, dir, "commit-tree", "-S", strings.TrimSpace(git(t, g, dir, "write-tree")), "-m", "signed")
	got, err := os.ReadFile(seen)
	if err != nil {
		t.Fatal(err)
	}
	check(t, strings.Count(string(got), "the-agent"), 1)
	check(t, strings.Contains(string(got), "sign the-agent\n"), true)
	check(t, strings.Contains(string(got), "filter \n"), true)
}
