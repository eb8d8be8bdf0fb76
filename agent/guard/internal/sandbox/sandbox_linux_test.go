package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestMain lets the test program restrict itself, and try calls from the inside.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "enter" {
		os.Exit(Enter(os.Args[2:]))
	}
	if len(os.Args) > 2 && os.Args[1] == "try" {
		os.Exit(try(os.Args[2]))
	}
	os.Exit(m.Run())
}

// yard is a machine with a person on it: their home, a repository with worktrees, and what lies beside.
type yard struct {
	dir, home, repo, tree, temp string
	self                        string
	layout                      Layout
	path                        string
	vars                        []string
	uid                         int
}

// path is where the programs of a system are, for everybody.
const path = "/usr/local/bin:/usr/bin:/bin"

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func newYard(t *testing.T, uid int) *yard {
	t.Helper()
	base := "/var/lib" // not where the box puts something of its own
	if os.Getuid() != 0 {
		base, _ = os.UserCacheDir()
		must(t, os.MkdirAll(base, 0o755))
	}
	dir, err := os.MkdirTemp(base, "nodwyn-yard-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	must(t, os.Chmod(dir, 0o755))
	y := &yard{dir: dir, path: path, home: filepath.Join(dir, "home"), repo: filepath.Join(dir, "repo"), tree: filepath.Join(dir, "trees", "s1"), temp: filepath.Join(dir, "temp"), uid: uid}
	y.self = filepath.Join(dir, "self")
	program, err := os.ReadFile("/proc/self/exe")
	must(t, err)
	must(t, os.WriteFile(y.self, program, 0o755))
	for name, text := range map[string]string{
		"home/.ssh/id": "the key", "home/.config/gh/hosts": "the token", "home/notes": "notes", "outside": "outside", "repo/a.txt": "a\n", "temp/.keep": "", "home/.cache/x": "", "dotfiles/aws/c": "the key", "home/.npmrc": "the token",
	} {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	must(t, os.Symlink(filepath.Join(dir, "dotfiles", "aws"), filepath.Join(y.home, ".aws")))
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"}, {"commit", "-q", "-m", "one"}, {"worktree", "add", "-q", "-b", "nodwyn/other", filepath.Join(dir, "trees", "s2")},
		{"worktree", "add", "-q", "-b", "nodwyn/mine", y.tree}, {"config", "core.logAllRefUpdates", "true"}, {"config", "extensions.worktreeConfig", "true"}, {"pack-refs", "--all"},
	} {
		y.git(t, y.repo, args...)
	}
	common := filepath.Join(y.repo, ".git")
	y.layout = Layout{
		Tree: y.tree, Hidden: append(Personal(y.home), filepath.Join(dir, "hidden")), Visible: Tools(path, y.self), Temp: y.temp,
		Writable: []string{filepath.Join(y.home, ".cache")},
	}
	must(t, Repository{Common: common, Admin: filepath.Join(common, "worktrees", "s1"), Branch: "nodwyn/mine"}.Add(&y.layout))
	if uid != 0 && os.Getuid() == 0 {
		must(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error { return errors.Join(err, os.Lchown(path, uid, uid)) }))
	}
	return y
}

func (y *yard) environment() []string {
	return append([]string{
		"PATH=" + y.path, "HOME=" + y.home, "TMPDIR=/tmp", "LC_ALL=C", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid",
		"D=" + y.dir, "R=" + y.repo, "SELF=" + y.self,
	}, y.vars...)
}

func (y *yard) git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(y.environment(), "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=safe.directory", "GIT_CONFIG_VALUE_0=*")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// run runs a shell text in the box and returns what it printed and exited with.
func (y *yard) run(t *testing.T, b Box, text string) (string, int) {
	t.Helper()
	inside, err := b.Restrictions(y.layout).Inside([]string{y.self, "enter"}, []string{"sh", "-c", text})
	must(t, err)
	argv := b.Command(y.layout, y.tree, inside)
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = y.tree, y.environment()
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if y.uid != 0 && os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: uint32(y.uid), Gid: uint32(y.uid)}
	}
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// boxes are the backends that work here, as root and as somebody else.
func boxes(t *testing.T, test func(t *testing.T, y *yard, b Box)) {
	t.Helper()
	found := Probe(t.Context(), path, func(ctx context.Context, argv ...string) (string, error) {
		out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).CombinedOutput()
		return string(out), err
	})
	t.Log(strings.Join(found.Notes, "; "))
	if found.Box.Backend == None {
		t.Skip("this machine can contain nothing")
	}
	list := []Box{found.Box}
	if found.Box.Backend == Bubblewrap && found.Box.landlock >= leastLandlock {
		list = append(list, Box{Backend: Kernel, landlock: found.Box.landlock})
	}
	uids := []int{os.Getuid()}
	if uids[0] == 0 {
		uids = append(uids, 65534)
	}
	for _, b := range list {
		for _, uid := range uids {
			t.Run(fmt.Sprintf("%s as %d", b.Backend, uid), func(t *testing.T) { test(t, newYard(t, uid), b) })
		}
	}
}
