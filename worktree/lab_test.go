package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// realGit does what the guard's runner does, as far as this package can tell the difference.
type realGit struct{ config string }

type gitError struct {
	args   []string
	code   int
	stderr string
}

func (e *gitError) Error() string {
	return fmt.Sprintf("git %s: exit %d: %s", strings.Join(e.args, " "), e.code, strings.TrimSpace(e.stderr))
}
func (e *gitError) ExitCode() int  { return e.code }
func (e *gitError) Stderr() string { return e.stderr }

func (g realGit) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	pinned := []string{
		"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
		"-c", "core.quotePath=false", "-c", "submodule.recurse=false", "-c", "safe.bareRepository=explicit",
		"-c", "commit.gpgsign=false", "-c", "protocol.ext.allow=never",
	}
	cmd := exec.CommandContext(ctx, "git", append(pinned, args...)...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	cmd.Env = append(g.environment(), "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_LITERAL_PATHSPECS=1")
	cmd.Env = append(cmd.Env, env...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out, &gitError{args: args, code: exit.ExitCode(), stderr: stderr.String()}
	}
	return out, err
}

func (g realGit) environment() []string {
	env := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "EMAIL=") })
	return append(env, "LC_ALL=C", "GIT_CONFIG_GLOBAL="+g.config, "GIT_CONFIG_NOSYSTEM=1")
}

// lab is a repository of a person, with one commit on main, and a place for worktrees.
type lab struct {
	t    *testing.T
	git  realGit
	dir  string
	repo string
	root string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	noError(t, err)
	l := &lab{t: t, dir: dir, repo: filepath.Join(dir, "repo"), root: filepath.Join(dir, "worktrees")}
	l.git.config = filepath.Join(dir, "gitconfig")
	l.write(dir, "gitconfig", "[user]\n\tname = Pat Person\n\temail = pat@example.invalid\n[init]\n\tdefaultBranch = main\n")
	l.run(dir, "init", "-q", "repo")
	l.write(l.repo, "a.txt", lines("a", 20))
	l.write(l.repo, "b.txt", lines("b", 20))
	l.write(l.repo, "dir/c.txt", lines("c", 20))
	l.write(l.repo, ".gitignore", "*.log\nbuild/\n")
	l.commit("first")
	return l
}

func lines(word string, n int) string {
	var text strings.Builder
	for i := range n {
		fmt.Fprintf(&text, "%s %d\n", word, i+1)
	}
	return text.String()
}

// run runs git as the person would.
func (l *lab) run(dir string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, append(l.git.environment(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %s in %s: %v\n%s", strings.Join(args, " "), dir, err, out)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (l *lab) write(dir, name, content string) {
	l.t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	noError(l.t, os.MkdirAll(filepath.Dir(path), 0o755))
	noError(l.t, os.WriteFile(path, []byte(content), 0o644))
}

func (l *lab) read(dir, name string) string {
	l.t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
	noError(l.t, err)
	return string(content)
}

func (l *lab) commit(message string) string {
	l.t.Helper()
	l.run(l.repo, "add", "-A")
	l.run(l.repo, "commit", "-q", "-m", message)
	return l.run(l.repo, "rev-parse", "HEAD")
}

func (l *lab) open(dir string) *Repository {
	l.t.Helper()
	r, err := Open(l.t.Context(), l.git, dir)
	noError(l.t, err)
	return r
}

func (l *lab) plan(r *Repository, session string) Identity {
	l.t.Helper()
	id, err := r.Plan(l.t.Context(), PlanSpec{Session: session, Root: l.root})
	noError(l.t, err)
	return id
}

func (l *lab) create(r *Repository, session string) Identity {
	l.t.Helper()
	id := l.plan(r, session)
	noError(l.t, r.Create(l.t.Context(), id, session))
	return id
}

// checkpoint takes the snapshot of a turn that must have changed something.
func (l *lab) checkpoint(r *Repository, id Identity, turn int, previous string) *Checkpoint {
	l.t.Helper()
	point, err := r.Checkpoint(l.t.Context(), id, CheckpointSpec{Session: filepath.Base(id.Path), Turn: turn, Previous: previous, Subject: fmt.Sprintf("turn %d", turn)})
	noError(l.t, err)
	if point == nil {
		l.t.Fatalf("checkpoint of turn %d: nothing changed", turn)
	}
	return point
}

// look is all of a checkout that a person could see change.
type look struct {
	head, index, status, branches string
	files                         map[string]string
}

func (l *lab) look(dir string) look {
	l.t.Helper()
	gitDir := l.run(dir, "rev-parse", "--absolute-git-dir")
	index, err := os.ReadFile(filepath.Join(gitDir, "index"))
	noError(l.t, err)
	return look{
		head:     l.read(gitDir, "HEAD") + l.run(dir, "rev-parse", "HEAD"),
		index:    string(index),
		status:   l.run(dir, "status", "--porcelain=v2", "-uall", "--ignored"),
		branches: l.run(dir, "for-each-ref", "refs/heads", "refs/tags"),
		files:    l.files(dir),
	}
}

func (l *lab) files(dir string) map[string]string {
	l.t.Helper()
	files := make(map[string]string)
	noError(l.t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == ".git" {
			if err == nil && entry.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, path)
		stat, err := entry.Info()
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		if stat.Mode()&fs.ModeSymlink != 0 {
			var target string
			target, err = os.Readlink(path)
			content = []byte(target)
		}
		files[name] = stat.Mode().String() + " " + string(content)
		return err
	}))
	return files
}

func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func check[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

func checkRefused(t *testing.T, err error, want Reason) {
	t.Helper()
	refused, ok := errors.AsType[*RefusedError](err)
	if !ok {
		t.Fatalf("got error %v, want a refusal for %q", err, want)
	}
	check(t, "reason of "+refused.Message, refused.Reason, want)
}

func checkConflicts(t *testing.T, err error, want ...Conflict) {
	t.Helper()
	conflict, ok := errors.AsType[*ConflictError](err)
	if !ok {
		t.Fatalf("got error %v, want conflicts %v", err, want)
	}
	var got []Conflict
	for _, c := range conflict.Conflicts {
		got = append(got, Conflict{Path: c.Path, Kind: c.Kind})
	}
	check(t, "conflicts", got, want)
}

func skipOnWindows(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs links and execute bits")
	}
}
