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
	"strings"
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
	// A write to a pipe that nobody reads is an error to handle, not a signal to die of: the session is saved first.
	signal.Ignore(syscall.SIGPIPE)
	if len(args) == 0 {
		help(c.err)
		return exitMisuse
	}
	switch name := args[0]; name {
	case "help", "-h", "-help", "--help":
		return helpWith(c, args[1:])
	case "-v", "-version", "--version":
		args[0] = "version"
	}
	cmd, ok := find(args[0])
	if !ok {
		fmt.Fprintf(c.err, "nodwyn: %s\n", whyNoCommand(args[0]))
		return exitMisuse
	}
	return exitCode(c, cmd, cmd.run(context.Background(), c, args[1:]))
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
	case err == nil, errors.Is(err, flag.ErrHelp), errors.Is(err, syscall.EPIPE):
		return exitDone // whoever closed the pipe has read what they wanted
	case errors.As(err, &end):
		return end.code
	case errors.As(err, &wrong):
		fmt.Fprintf(c.err, "nodwyn %s: %v\n%s", cmd.name, err, cmd.usage())
		return exitMisuse
	}
	fmt.Fprintln(c.err, naming(cmd, err))
	if errors.Is(err, agent.ErrUnknownSession) {
		return exitMisuse
	}
	return exitFailed
}

// naming puts the command's name in front of an error, unless the error begins with it.
func naming(cmd command, err error) string {
	if text := err.Error(); strings.HasPrefix(text, cmd.name+" ") || strings.HasPrefix(text, cmd.name+":") {
		return "nodwyn: " + err.Error()
	}
	return fmt.Sprintf("nodwyn %s: %v", cmd.name, err)
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
