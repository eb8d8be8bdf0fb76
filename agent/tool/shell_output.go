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

//go:embed shell_output.md
var shellOutputText string

// maxWait is the longest that shell-output waits, in seconds.
const maxWait = 60

func shellOutput() Tool {
	return define(definition{
		name:        "shell-output",
		description: shellOutputText,
		schema:      `{"type":"object","properties":{"id":{"type":"string","description":"of the background command; all are listed when absent"},"wait_sec":{"type":"integer","minimum":1,"maximum":60,"description":"how long to wait for output; it is not waited for when absent"}},"additionalProperties":false}`,
		form:        `{"id": "b1", "wait_sec": 10}`,
		readOnly:    true,
	}, runShellOutput)
}

type shellOutputArguments struct {
	ID      string `json:"id"`
	WaitSec int    `json:"wait_sec"`
}

func (a shellOutputArguments) check() error {
	if a.ID == "" && a.WaitSec != 0 {
		return errors.New(`"wait_sec" needs an "id"`)
	}
	return within("wait_sec", a.WaitSec, maxWait)
}

func runShellOutput(ctx context.Context, env Env, a shellOutputArguments) (Result, error) {
	if a.ID == "" {
		return Result{OK: true, Text: besides(env.Guard)}, nil
	}
	b, err := env.Guard.Follow(ctx, a.ID, time.Duration(a.WaitSec)*time.Second)
	if err != nil {
		return noCommand(env.Guard, a.ID, err)
	}
	r := Result{OK: true, Truncated: b.Cut > 0}
	head := standing(b)
	if !b.Running && !b.Killed {
		r.Error = failing(b)
		r.OK = r.Error == ""
	}
	if b.Text == "" {
		b.Text = "nothing new was printed\n"
	}
	r.Text = head + "\n" + b.Text
	return r, nil
}

// startShell starts a command beside the turns.
func startShell(ctx context.Context, env Env, c guard.Command) (Result, error) {
	id, err := env.Guard.Start(ctx, c, env.Filter())
	if errors.Is(err, guard.ErrTooMany) {
		return refuse(wordBusy, err.Error()+"; end one with shell-kill first\n"+besides(env.Guard)), nil
	}
	if err != nil {
		return Result{}, err
	}
	return Result{OK: true, Text: fmt.Sprintf("started in the background with the id %s; shell-output shows what it prints, shell-kill ends it, and it ends with the session", id)}, nil
}

// standing says on one line how a background command stands.
func standing(b guard.Background) string {
	if b.Running {
		return "running for " + duration(b.Wall)
	}
	return ended(b) + " (it ran for " + duration(b.Wall) + ")"
}

func ended(b guard.Background) string {
	switch {
	case b.Err != nil:
		return "ended: " + b.Err.Error()
	case b.Killed:
		return "ended by shell-kill"
	}
	head, _ := ending(b.Output, b.Wall)
	return "ended: " + head
}

// failing is the word for a command that did not end well.
func failing(b guard.Background) string {
	if b.Err != nil {
		return wordFailed
	}
	_, word := ending(b.Output, b.Wall)
	return word
}

// besides names the background commands, one on a line.
func besides(g *guard.Guard) string {
	var lines []string
	for _, b := range g.Background() {
		lines = append(lines, fmt.Sprintf("%s %s: %s", b.ID, standing(b), b.Line))
	}
	if lines == nil {
		return "there are no background commands; they end with the session"
	}
	return "background commands:\n" + strings.Join(lines, "\n")
}

// noCommand answers for an id that no command has. Another error is none of the model's.
func noCommand(g *guard.Guard, id string, err error) (Result, error) {
	if errors.Is(err, guard.ErrNoCommand) {
		return refuse(wordNotFound, fmt.Sprintf("there is no background command %q\n%s", id, besides(g))), nil
	}
	return Result{}, err
}
