package guard

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// maxGitOutput is where the output of one git command is too much.
const maxGitOutput = 256 << 20

// gitFlags keep git from running what a repository names, from asking, and from work of its own in the background. They stand before the command, where they win over every configuration file.
var gitFlags = [...]string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "safe.bareRepository=explicit", "protocol.ext.allow=never",
	"commit.gpgsign=false", "tag.gpgsign=false", "submodule.recurse=false", "gc.auto=0", "maintenance.auto=false", "core.quotePath=false",
}

// gitEnv is what every git of ours gets.
var gitEnv = [...]string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_EDITOR=true", "GIT_LITERAL_PATHSPECS=1"}

// Git runs git for nodwyn itself. Nobody is asked about its commands, so it runs no program that a repository names: those of the person's own configuration alone, without the rest of our environment. It is safe for concurrent use.
type Git struct{ env, person []string }

// NewGit returns a git that keeps of the given environment what git needs to work and to find the person's configuration. Keys do not reach the filters that git starts, and a variable that was meant for the person's own git does not send ours to another repository.
func NewGit(env []string) *Git {
	return &Git{env: append(forGit(env), gitEnv[:]...), person: forPerson(env)}
}

// Run runs one git command in dir and returns its standard output. The caller's env comes last and wins. A command that exits with another code than 0 is a *GitError, and the output is returned with it.
func (g *Git) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	at := gitPlace{dir: dir, env: env}
	if signs(args) {
		at = at.with(g.person...)
	}
	if namesNoProgram(args) {
		return g.run(ctx, at.with("GIT_NO_LAZY_FETCH=1"), nil, stdin, args)
	}
	found, err := g.configured(ctx, at, looksInside(args))
	if err != nil {
		return nil, fmt.Errorf("look for programs that the repository names: %w", err)
	}
	return g.run(ctx, at, found.overrides(), stdin, args)
}

// signs reports whether a command signs a commit, with the person's key. It runs no filter.
func signs(args []string) bool {
	return len(args) > 0 && args[0] == "commit-tree" && slices.Contains(args, "-S")
}

// gitPlace is where a git command runs.
type gitPlace struct {
	dir string
	env []string
}

func (p gitPlace) with(env ...string) gitPlace {
	return gitPlace{dir: p.dir, env: append(env, p.env...)}
}

// run adds the flags.
func (g *Git) run(ctx context.Context, at gitPlace, settings []setting, stdin []byte, args []string) ([]byte, error) {
	argv := []string{"git", "--no-pager"}
	for _, f := range gitFlags {
		argv = append(argv, "-c", f)
	}
	flags, vars := configEnv(settings)
	argv = append(argv, flags...)
	env := slices.Concat(g.env, at.env, vars)
	c, err := effect.Capture(ctx, effect.Tool{
		Argv: append(argv, args...), Dir: at.dir, Env: lastWins(env), Stdin: stdin, Limit: maxGitOutput,
	})
	if err != nil {
		return c.Stdout, fmt.Errorf("git %s: %w", strings.Join(args, " "), err)
	}
	if c.Exit != 0 {
		return c.Stdout, &GitError{args: args, code: c.Exit, stderr: string(c.Stderr)}
	}
	return c.Stdout, nil
}

// GitError says that a git command failed, in git's words.
type GitError struct {
	args   []string
	code   int
	stderr string
}

// ExitCode is what git exited with; -1 when a signal ended it.
func (e *GitError) ExitCode() int { return e.code }

// Stderr is what git printed to standard error.
func (e *GitError) Stderr() string { return e.stderr }

func (e *GitError) Error() string {
	words := strings.TrimSpace(e.stderr)
	if words == "" {
		words = "it said nothing"
	}
	return fmt.Sprintf("git %s: exit code %d: %s", strings.Join(e.args, " "), e.code, visible(words))
}
