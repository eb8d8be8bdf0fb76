// Command nodwyn is a coding agent that an editor spawns as it spawns a language server. `nodwyn serve` speaks JSON-RPC on stdin and stdout; the other commands are a thin client of the same agent.
//
// Invariant: flags, environment, home and configuration files are read here and nowhere else, and only this package prints to stdout.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/nodwyn/nodwyn/agent"
)

// Exit codes of every command.
const (
	exitDone      = 0
	exitFailed    = 1
	exitMisuse    = 2
	exitCancelled = 3
)

// command is one word of the command line.
type command struct {
	name, args, about string
	run               func(ctx context.Context, c *console, args []string) error
}

// commands lists every command once, in the order of the help.
func commands() []command {
	return []command{
		{"serve", "", "speak JSON-RPC on stdin and stdout, for an editor", serve},
		{"run", "[flags] TASK", "do one task, asking on the terminal; stdout is the transcript", runTask},
		{"sessions", "[-repo DIR] [-json]", "list the sessions", listSessions},
		{"view", "SESSION", "show a session's cards", viewSession},
		{"replay", "[-tokens] [-request[=SEQ]] SESSION", "print a session's transcript, its stream, or a request body", replaySession},
		{"verify", "[SESSION…]", "read logs strictly and say what is wrong with them", verifyLogs},
		{"diff", "[-turn N] [-target] SESSION [PATH]", "show what a session changed", diffSession},
		{"land", "[-strategy squash|merge] [-into BRANCH] [-message TEXT] [-preview] SESSION", "put a session's work on a branch", landSession},
		{"doctor", "", "say what works here, what does not, and what to do", doctor},
		{"demo", "[-keep]", "run the main job in a repository of its own, without a network", demo},
		{"version", "", "print the version", printVersion},
	}
}

// console is the terminal that a command talks to.
type console struct {
	in       io.Reader
	out, err io.Writer
}

func main() { os.Exit(dispatch(os.Args[1:], &console{in: os.Stdin, out: os.Stdout, err: os.Stderr})) }

// dispatch runs one command and maps its error to an exit code.
func dispatch(args []string, c *console) int {
	if len(args) > 0 && args[0] == superviseVerb {
		return supervise(args[1:])
	}
	if len(args) == 0 || args[0] == "help" || args[0] == "-h" || args[0] == "--help" {
		help(c.out)
		if len(args) == 0 {
			return exitMisuse
		}
		return exitDone
	}
	// A write to a pipe that nobody reads is an error to handle, not a signal to die of: the session is saved first.
	signal.Ignore(syscall.SIGPIPE)
	for _, cmd := range commands() {
		if cmd.name == args[0] {
			return exitCode(c, cmd, cmd.run(context.Background(), c, args[1:]))
		}
	}
	fmt.Fprintf(c.err, "nodwyn: there is no command %q; `nodwyn help` lists them\n", args[0])
	return exitMisuse
}

// misuse is an error of the command line.
type misuse struct{ reason string }

func (m misuse) Error() string { return m.reason }

// ended carries an exit code that says it all: the transcript told the rest.
type ended struct{ code int }

func (e ended) Error() string { return fmt.Sprintf("exit code %d", e.code) }

func exitCode(c *console, cmd command, err error) int {
	var end ended
	var wrong misuse
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return exitDone
	case errors.As(err, &end):
		return end.code
	case errors.As(err, &wrong):
		fmt.Fprintf(c.err, "nodwyn %s: %v\nusage: nodwyn %s %s\n", cmd.name, err, cmd.name, cmd.args)
		return exitMisuse
	}
	fmt.Fprintf(c.err, "nodwyn %s: %v\n", cmd.name, err)
	if errors.Is(err, agent.ErrUnknownSession) {
		return exitMisuse
	}
	return exitFailed
}

func help(w io.Writer) {
	fmt.Fprint(w, "nodwyn is a coding agent for your editor.\n\nCommands:\n")
	for _, cmd := range commands() {
		fmt.Fprintf(w, "  %-9s %s\n", cmd.name, cmd.about)
	}
	fmt.Fprint(w, "\n`nodwyn COMMAND -h` shows the flags of a command.\n")
}

// parse reads a command's flags, before and between its words, and returns the words: at least least and, unless most is negative, at most most.
func parse(c *console, set *flag.FlagSet, args []string, least, most int) ([]string, error) {
	set.SetOutput(c.err)
	var words []string
	for {
		if err := set.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, err
		} else if err != nil {
			return nil, misuse{err.Error()}
		}
		rest := set.Args()
		if taken := len(args) - len(rest); taken > 0 && args[taken-1] == "--" {
			words = append(words, rest...)
			break
		}
		if len(rest) == 0 {
			break
		}
		words, args = append(words, rest[0]), rest[1:]
	}
	switch n := len(words); {
	case n < least:
		return nil, misuse{"an argument is missing"}
	case most >= 0 && n > most:
		return nil, misuse{fmt.Sprintf("%q is one argument too many", words[most])}
	}
	return words, nil
}

// reader returns an agent for commands that only read logs: a broken configuration is said and does not stop them.
func reader(c *console) (*agent.Agent, error) {
	p, err := assemble()
	if err != nil && p.config.DataDir == "" {
		return nil, err
	}
	if err != nil {
		fmt.Fprintf(c.err, "nodwyn: %v\n", err)
	}
	return agent.New(p.config), nil
}
