package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenFindsTheMainRoot(t *testing.T) {
	l := newLab(t)
	linked := filepath.Join(l.dir, "linked tree")
	l.run(l.repo, "worktree", "add", "-q", "-b", "side", linked)
	l.write(l.repo, "deep/er/file", "x\n")
	bare := filepath.Join(l.dir, "bare.git")
	l.run(l.dir, "clone", "-q", "--bare", "repo", bare)
	ofBare := filepath.Join(l.dir, "of-bare")
	l.run(bare, "worktree", "add", "-q", "-b", "other", ofBare)
	separate := filepath.Join(l.dir, "separate")
	l.run(l.dir, "clone", "-q", "--separate-git-dir", "elsewhere.git", "repo", separate)
	sparse := filepath.Join(l.dir, "sparse")
	l.run(l.dir, "clone", "-q", "repo", sparse)
	l.run(sparse, "sparse-checkout", "set", "dir")

	for _, c := range []struct{ name, dir, root, common string }{
		{"root", l.repo, l.repo, filepath.Join(l.repo, ".git")},
		{"subfolder", filepath.Join(l.repo, "deep", "er"), l.repo, filepath.Join(l.repo, ".git")},
		{"linked worktree", linked, l.repo, filepath.Join(l.repo, ".git")},
		{"bare", bare, bare, bare},
		{"linked worktree of bare", ofBare, bare, bare},
		{"separate git folder", separate, separate, filepath.Join(l.dir, "elsewhere.git")},
		{"worktreeConfig extension", sparse, sparse, filepath.Join(sparse, ".git")},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := Open(t.Context(), l.git, c.dir)
			noError(t, err)
			check(t, "root", r.Root(), c.root)
			check(t, "common dir", r.CommonDir(), c.common)
			_, err = r.Plan(t.Context(), PlanSpec{Session: "s1", Root: l.root})
			noError(t, err)
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	l := newLab(t)
	plain, unborn := filepath.Join(l.dir, "plain"), filepath.Join(l.dir, "unborn")
	noError(t, os.Mkdir(plain, 0o755))
	l.run(l.dir, "init", "-q", "unborn")
	for _, c := range []struct {
		name, dir string
		git       Git
		want      Reason
	}{
		{"no repository", plain, l.git, NoRepository},
		{"no folder", filepath.Join(l.dir, "gone"), l.git, NoFolder},
		{"a file", filepath.Join(l.repo, "a.txt"), l.git, NoFolder},
		{"the git folder itself", filepath.Join(l.repo, ".git"), l.git, RepositoryRefused},
		{"below the git folder", filepath.Join(l.repo, ".git", "hooks"), l.git, RepositoryRefused},
		{"of another owner", l.repo, strangerGit{l.git}, RepositoryRefused},
		{"a broken configuration", l.broken("config", "config", "[[[\n"), l.git, RepositoryRefused},
		{"a broken HEAD", l.broken("head", "HEAD", "garbage\n"), l.git, RepositoryRefused},
		{"below a broken HEAD", filepath.Join(l.broken("below", "HEAD", "garbage\n"), "dir"), l.git, RepositoryRefused},
		{"a .git that points nowhere", l.pointing("nowhere"), l.git, RepositoryRefused},
		{"an empty .git", l.emptyGit(), l.git, NoRepository},
		{"no commit", unborn, l.git, NoCommit},
		{"no git", l.repo, fixedGit{err: os.ErrNotExist}, GitMissing},
		{"old git", l.repo, fixedGit{out: "git version 2.20.1\n"}, GitTooOld},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Open(t.Context(), c.git, c.dir)
			checkRefused(t, err, c.want)
		})
	}
}

// broken returns a clone in which one file of the git folder is damaged.
func (l *lab) broken(name, file, text string) string {
	l.t.Helper()
	l.run(l.dir, "clone", "-q", "repo", name)
	l.write(filepath.Join(l.dir, name), ".git/"+file, text)
	return filepath.Join(l.dir, name)
}

func (l *lab) pointing(name string) string {
	l.t.Helper()
	l.write(l.dir, name+"/.git", "gitdir: /nonexistent\n")
	return filepath.Join(l.dir, name)
}

func (l *lab) emptyGit() string {
	l.t.Helper()
	dir := filepath.Join(l.dir, "guarded")
	noError(l.t, os.MkdirAll(filepath.Join(dir, ".git"), 0o755))
	return dir
}

// strangerGit runs a git that takes every repository for somebody else's.
type strangerGit struct{ realGit }

func (g strangerGit) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	return g.realGit.Run(ctx, dir, append(env, "GIT_TEST_ASSUME_DIFFERENT_OWNER=1"), stdin, args...)
}

func TestOpenSaysHowToTrustARepository(t *testing.T) {
	l := newLab(t)
	_, err := Open(t.Context(), strangerGit{l.git}, l.repo)
	if want := "git config --global --add safe.directory " + l.repo; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want a message with %q", err, want)
	}
}

// fixedGit gives every command the same answer.
type fixedGit struct {
	out string
	err error
}

func (g fixedGit) Run(context.Context, string, []string, []byte, ...string) ([]byte, error) {
	return []byte(g.out), g.err
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{
		"git version 2.39.5":                   {2, 39},
		"git version 2.39.5 (Apple Git-154)":   {2, 39},
		"git version 2.47.0.windows.1":         {2, 47},
		"git version 3.0-rc1":                  {3, 0},
		"git version 2.38.GIT":                 {2, 38},
		"git version 2.50.1-dirty.4.gdeadbeef": {2, 50},
	} {
		got, err := parseVersion(text)
		noError(t, err)
		check(t, text, got, want)
	}
	if _, err := parseVersion("hub version 2"); err == nil {
		t.Error("a foreign version was accepted")
	}
}
