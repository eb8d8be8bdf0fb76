package guard

import (
	"context"
	"fmt"
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

// Git runs git for nodwyn itself. It is safe for concurrent use.
type Git struct{ env []string }

// NewGit returns a git with the given environment, from which every GIT_ variable is dropped: one that was meant for the person's own git would send ours to another repository.
func NewGit(env []string) *Git {
	var kept []string
	for _, kv := range env {
		if !strings.HasPrefix(strings.ToUpper(kv), "GIT_") && !strings.HasPrefix(kv, "LC_ALL=") {
			kept = append(kept, kv)
		}
	}
	return &Git{env: append(kept, gitEnv[:]...)}
}

// Run runs one git command in dir and returns its standard output. The caller's env comes last and wins. A command that exits with another code than 0 is a *GitError, and the output is returned with it.
func (g *Git) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	argv := []string{"git", "--no-pager"}
	for _, f := range gitFlags {
		argv = append(argv, "-c", f)
	}
	c, err := effect.Capture(ctx, effect.Tool{
		Argv: append(argv, args...), Dir: dir, Env: lastWins(append(append([]string(nil), g.env...), env...)),
		Stdin: stdin, Limit: maxGitOutput,
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
