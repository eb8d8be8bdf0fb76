package guard

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

func TestRootsThatNoSessionMayHave(t *testing.T) {
	base := t.TempDir()
	dir := func(name string) string {
		t.Helper()
		full := filepath.Join(base, filepath.FromSlash(name))
		if err := os.MkdirAll(full, 0o700); err != nil {
			t.Fatal(err)
		}
		return full
	}
	repo, state := dir("repo"), dir("state")
	for _, args := range [][]string{{"init", "-q", repo}, {"init", "-q", "--bare", dir("bare")}} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	link := func(target string) string {
		t.Helper()
		name := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
		return name
	}
	hooks := filepath.Join(repo, ".git", "hooks")
	for _, tc := range []struct {
		name, root string
		worktree   bool
		byName     bool // New alone tells
		refused    bool
	}{
		{"a repository", repo, false, false, false},
		{"a folder in a repository", dir("repo/src"), false, false, false},
		{"git's folder", filepath.Join(repo, ".git"), false, true, true},
		{"a folder in it", hooks, false, true, true},
		{"another spelling of it", filepath.Join(base, "repo", ".GIT", "hooks"), false, true, true},
		{"a link to it", link(hooks), false, false, true},
		{"a repository without files", dir("bare"), false, false, true},
		{"a folder in that", dir("bare/info"), false, false, true},
		{"git's folder as a worktree", filepath.Join(repo, ".git"), true, true, true},
		{"our own folder", state, false, true, true},
		{"another session's worktree", dir("state/worktrees/r/s2"), false, true, true},
		{"a link to that", link(dir("state/worktrees/r/s2")), false, false, true},
		{"the session's own worktree", dir("state/worktrees/r/s1"), true, false, false},
		{"a folder above our own", base, false, false, false},
		{"a folder that begins alike", dir("state2"), false, false, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, nil)
			b.cfg.Root, b.cfg.Worktree, b.cfg.Forbidden = tc.root, tc.worktree, []string{state}
			g, err := New(b.cfg)
			check(t, refusesRoot(err), tc.byName)
			if !tc.worktree {
				check(t, refusesRoot(CheckRoot(tc.root, b.cfg.Forbidden)), tc.refused)
			}
			if err != nil {
				return
			}
			_, err = g.Files(t.Context())
			check(t, refusesRoot(err), tc.refused)
			check(t, g.Close(), nil)
		})
	}
}

func refusesRoot(err error) bool {
	_, ok := errors.AsType[*RootError](err)
	return ok
}

// TestForbiddenFolderBehindALink has the configuration name our folder by a link, and the session its real path.
func TestForbiddenFolderBehindALink(t *testing.T) {
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "state")
	if err := os.Symlink(real, link); err != nil {
		t.Fatal(err)
	}
	check(t, refusesRoot(CheckRoot(real, []string{link})), true)
	check(t, refusesRoot(CheckRoot(t.TempDir(), []string{link})), false)
}
