package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

const (
	// setupRule is the rule that lets set-up commands run.
	setupRule = "setup"
	// maxSetupTail is how much of a failed command's output the model is told; all of it is in the log.
	maxSetupTail = 4 << 10
	// setupFile is where a project names its set-up.
	setupFile = ".nodwyn/config.toml"
)

// setup is a list of commands with who asks for it.
type setup struct {
	by string
	// file is where a project names it; empty for the person's own.
	file     string
	commands []SetupCommand
	digest   string
	// done counts the commands that need not run again.
	done int
}

// setUp makes the session's worktree fit for work: the person's commands first, then the project's, once for each worktree and again when they or the lock files changed. A command that fails stops the rest; the model is told, and the turn goes on.
func (t *Turn) setUp(ctx context.Context) error {
	s := t.s
	if s.repo == nil || s.mode() != "edit" {
		return nil
	}
	person, project, unread := t.setups(ctx)
	if len(person.commands)+len(project.commands) == 0 && unread == nil {
		return nil
	}
	s.mu.Lock()
	known := s.setup.Clone()
	s.mu.Unlock()
	locks, err := s.repo.Locked(s.tree)
	if err != nil {
		return err
	}
	pending, stopped := pendingSetups(&known, locks, person, project)
	if stopped {
		return nil
	}
	pending, untrusted, err := t.trustedSetups(ctx, pending)
	if err != nil {
		return err
	}
	ran, err := t.runSetups(ctx, pending)
	if err != nil {
		return err
	}
	return t.tellSetup(&known, ran, whyUnread(unread)+untrusted)
}

// pendingSetups returns what has to run. Behind a failure nothing may, and the model knows of it.
func pendingSetups(known *view.Setup, locks string, lists ...setup) (pending []setup, stopped bool) {
	for _, list := range lists {
		list.digest = digestOf(list.commands, locks)
		if state := known.Of(list.by); state.Digest == list.digest {
			list.done, stopped = state.Done, state.Failed
		}
		if stopped {
			return nil, true
		}
		if list.done < len(list.commands) {
			pending = append(pending, list)
		}
	}
	return pending, false
}

// setups returns what the person and the project ask for. The project's is read anew, since its file is the person's to change while a session is open. One that it has for another editor counts where it has none for us.
func (t *Turn) setups(ctx context.Context) (person, project setup, unread error) {
	a := t.s.agent
	p, unread := a.project(t.s.repo.Root())
	person, project = setup{by: "person", commands: a.cfg.Worktrees.Setup}, setup{by: "project", file: setupFile, commands: p.Setup}
	if unread == nil && len(p.Setup) == 0 {
		project, unread = t.cursorSetup(ctx)
	}
	return person, project, unread
}

// digestOf covers what runs and the lock files that it finds.
func digestOf(commands []SetupCommand, locks string) string {
	sum := sha256.Sum256(append(setupText(commands), locks...))
	return hex.EncodeToString(sum[:])
}

// trustedSetups leaves the project's commands out unless the person trusts exactly these. They are asked before anything runs, while they are still there.
func (t *Turn) trustedSetups(ctx context.Context, pending []setup) (trusted []setup, skipped string, err error) {
	for _, list := range pending {
		if list.file != "" {
			yes, err := t.s.guard.ForCall(t.n, "").Trusted(ctx, "the set-up of "+list.file, setupText(list.commands))
			if ctx.Err() != nil {
				return nil, "", context.Cause(ctx)
			}
			if err != nil {
				return nil, "", fmt.Errorf("ask for trust in the set-up of %s: %w", list.file, err)
			}
			if !yes {
				skipped = whyUntrusted(list)
				continue
			}
		}
		trusted = append(trusted, list)
	}
	return trusted, skipped, nil
}

// ranSetup is a command that ran, or that did not get its turn.
type ranSetup struct {
	command SetupCommand
	// result is nil for a command that was not reached.
	result *event.ToolResult
}

// runSetups runs what is pending until something fails.
func (t *Turn) runSetups(ctx context.Context, pending []setup) (ran []ranSetup, err error) {
	stopped, n := false, 0
	for _, list := range pending {
		for _, c := range list.commands[list.done:] {
			if stopped {
				ran = append(ran, ranSetup{command: c})
				continue
			}
			n++
			result, err := t.runSetup(ctx, view.SetupID(t.n, n), c, list)
			if err != nil {
				return ran, err
			}
			ran, stopped = append(ran, ranSetup{c, &result}), !result.OK
		}
	}
	return ran, nil
}

// runSetup runs one command on record; its output can be followed as that of a call of the model's.
func (t *Turn) runSetup(ctx context.Context, id string, c SetupCommand, list setup) (event.ToolResult, error) {
	s := t.s
	args, err := json.Marshal(view.SetupArgs{Argv: c.Run, Timeout: c.Timeout.String(), By: list.by, Digest: list.digest})
	if err != nil {
		return event.ToolResult{}, fmt.Errorf("record set-up command: %w", err)
	}
	if err := s.record(event.ToolCall{Turn: t.n, ID: id, Name: "shell-exec", Args: args, Origin: "strategy"}); err != nil {
		return event.ToolResult{}, err
	}
	defer s.unfollow(id)
	out, err := s.guard.ForCall(t.n, id).RunTrusted(ctx, guard.Command{Argv: c.Run, Cwd: ".", Timeout: c.Timeout, Live: s.follow(id).add}, setupRule)
	result := setupResult(ctx, c, out, err)
	result.Turn, result.ID = t.n, id
	if err := s.record(result); err != nil {
		return result, err
	}
	if ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return result, nil
}

// setupResult says how a command ended, in the words of the model's own commands.
func setupResult(ctx context.Context, c SetupCommand, out guard.Output, err error) event.ToolResult {
	wall := out.Wall.Milliseconds()
	r := event.ToolResult{Truncated: out.Cut > 0, WallMS: &wall}
	how := ""
	switch _, denied := errors.AsType[*guard.DeniedError](err); {
	case ctx.Err() != nil:
		r.Error, how = "cancelled", "cancelled before it finished: "+context.Cause(ctx).Error()
	case denied:
		r.Error, how = "denied", err.Error()
	case err != nil:
		r.Error, how = "failed", err.Error()
	case out.TimedOut:
		r.Error, how = "timeout", "stopped after "+c.Timeout.String()+", with all it had started"
	case out.Exit == nil:
		r.Error, how = "signal", "ended by signal "+out.Signal
	case *out.Exit != 0:
		r.Error, how = "exit", fmt.Sprintf("exit %d", *out.Exit)
	default:
		r.OK, how = true, "exit 0"
	}
	r.Text = how + "\n" + out.Text
	return r
}

// tellSetup tells the model what ran, and, once, what was left out.
func (t *Turn) tellSetup(known *view.Setup, ran []ranSetup, skipped string) error {
	var attached []event.Payload
	if len(ran) > 0 {
		attached = append(attached, textAttach(t.n, "instructions", "text", "", []byte(ranText(ran))))
	}
	if a := textAttach(t.n, "instructions", "text", "", []byte(skipped)); skipped != "" && !known.Told(a.SHA256) {
		attached = append(attached, a)
	}
	if len(attached) == 0 {
		return nil
	}
	return t.s.record(attached...)
}

func ranText(ran []ranSetup) string {
	var b strings.Builder
	b.WriteString("Set-up of this worktree, at the start of this turn\n")
	for _, r := range ran {
		line := r.command.line()
		switch {
		case r.result == nil:
			fmt.Fprintf(&b, "- %s: not run, because the one before it failed\n", line)
		case r.result.OK:
			fmt.Fprintf(&b, "- %s: done\n", line)
		default:
			how, output, _ := strings.Cut(r.result.Text, "\n")
			fmt.Fprintf(&b, "- %s: failed: %s. What it prepares may be missing. Its output ends:\n\n%s\n\n", line, how, strings.TrimSpace(tail(output, maxSetupTail)))
		}
	}
	return b.String()
}

// line names a command in one line, however long a script it holds.
func (c SetupCommand) line() string {
	const longest = 200
	line := strings.Join(strings.Fields(strings.Join(c.Run, " ")), " ")
	if len(line) > longest {
		line = strings.ToValidUTF8(line[:longest], "") + "…"
	}
	return line
}

func whyUntrusted(list setup) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Set-up of this worktree, skipped\n%s asks for these commands, and the person has not trusted them; what they prepare may be missing.\n", list.file)
	for _, c := range list.commands {
		fmt.Fprintf(&b, "- %s\n", c.line())
	}
	return b.String()
}

func whyUnread(err error) string {
	if err == nil {
		return ""
	}
	return fmt.Sprintf("Set-up of this worktree, skipped\nThe project's configuration cannot be read, so nothing of it ran: %v\n", err)
}
