package tool

import (
	"context"
	_ "embed" // for the description
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
)

//go:embed shell_exec.md
var shellExecText string

const (
	defaultTimeout = 120
	maxTimeout     = 3600
)

func shellExec() Tool {
	return define(definition{
		name:        "shell-exec",
		description: shellExecText,
		schema:      `{"type":"object","properties":{"command":{"type":"string","description":"text for sh -c"},"argv":{"type":"array","minItems":1,"items":{"type":"string"},"description":"program and arguments, run without a shell"},"cwd":{"type":"string","description":"folder, relative to the tree; its root when absent"},"timeout_sec":{"type":"integer","minimum":1,"maximum":3600,"description":"120 when absent; without a bound in the background"},"background":{"type":"boolean","description":"let it run on beside the turns, for servers and watchers"}},"additionalProperties":false}`,
		form:        `{"argv": ["go", "test", "./..."], "cwd": "cmd", "timeout_sec": 600, "background": false} or, for a shell, {"command": "go vet ./... && go test ./..."}`,
	}, runShellExec)
}

type shellExecArguments struct {
	Command    string   `json:"command"`
	Argv       []string `json:"argv"`
	Cwd        string   `json:"cwd"`
	TimeoutSec int      `json:"timeout_sec"`
	Background bool     `json:"background"`
}

func (a shellExecArguments) check() error {
	if (a.Command == "") == (len(a.Argv) == 0) {
		return errors.New(`exactly one of "command" and "argv" is needed`)
	}
	if len(a.Argv) > 0 && a.Argv[0] == "" {
		return errors.New(`"argv" names no program`)
	}
	return within("timeout_sec", a.TimeoutSec, maxTimeout)
}

func runShellExec(ctx context.Context, env Env, a shellExecArguments) (Result, error) {
	c := guard.Command{Argv: a.Argv, Shell: a.Command, Cwd: a.Cwd, Timeout: time.Duration(a.TimeoutSec) * time.Second}
	if a.Background {
		return startShell(ctx, env, c)
	}
	seconds := a.TimeoutSec
	if seconds == 0 {
		seconds = defaultTimeout
	}
	c.Timeout, c.Live = time.Duration(seconds)*time.Second, env.Live
	out, err := env.Guard.Run(ctx, c)
	if err != nil {
		return Result{Text: out.Text}, err
	}
	head, word := ending(out, c.Timeout)
	switch {
	case word == wordTimeout:
		head += "; give timeout_sec if it needs longer"
	case len(out.Ended) > 0:
		head += "; ended what it left running: " + strings.Join(out.Ended, ", ") + " (background lets a command run on)"
	}
	r := Result{OK: word == "", Error: word, Text: head + "\n" + out.Text, Truncated: out.Cut > 0}
	if a.Cwd != "" {
		r.Touched = env.touchedFolder(a.Cwd)
	}
	return r, nil
}

// ending says how a command ended that ran, or might run, for some time, with the word for it when it did not end well.
func ending(out guard.Output, took time.Duration) (head, word string) {
	switch {
	case out.TimedOut:
		return "stopped after " + duration(took) + ", with all it had started", wordTimeout
	case out.Exit == nil:
		return "ended by signal " + out.Signal, wordSignal
	case *out.Exit != 0:
		return fmt.Sprintf("exit %d", *out.Exit), wordExit
	}
	return "exit 0", ""
}

// duration says in whole seconds how long something took.
func duration(d time.Duration) string { return count(int(d/time.Second), "second") }
