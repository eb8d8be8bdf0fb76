package tool

import (
	"context"
	_ "embed" // for the description
	"strings"
)

//go:embed shell_kill.md
var shellKillText string

func shellKill() Tool {
	return define(definition{
		name:        "shell-kill",
		description: shellKillText,
		schema:      `{"type":"object","properties":{"id":{"type":"string","description":"of the background command"}},"required":["id"],"additionalProperties":false}`,
		form:        `{"id": "b1"}`,
	}, runShellKill)
}

type shellKillArguments struct {
	ID string `json:"id"`
}

func (a shellKillArguments) check() error {
	if a.ID == "" {
		return missing("id")
	}
	return nil
}

func runShellKill(ctx context.Context, env Env, a shellKillArguments) (Result, error) {
	b, killed, err := env.Guard.Stop(ctx, a.ID)
	if err != nil {
		return noCommand(env.Guard, a.ID, err)
	}
	head := "had ended already: " + standing(b)
	if killed {
		head = "ended after " + duration(b.Wall) + ": " + b.Line
		if len(b.Ended) > 0 {
			head += "\nprocesses that are gone: " + strings.Join(b.Ended, ", ")
		}
	}
	if b.Text != "" {
		b.Text = "printed before:\n" + b.Text
	}
	return Result{OK: true, Truncated: b.Cut > 0, Text: head + "\n" + b.Text}, nil
}
