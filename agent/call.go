package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/tool"
	"github.com/nodwyn/nodwyn/index"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// maxSideBySide bounds the reading calls of one reply that run at once.
const maxSideBySide = 8

// callAll runs the calls of one reply: neighbours that only read side by side, the others alone. Every call gets its result, also when the turn is ending.
func (t *Turn) callAll(ctx context.Context, calls []event.ModelCall) error {
	var failed error
	for len(calls) > 0 {
		n := readers(calls)
		if failed == nil && ctx.Err() != nil {
			failed = context.Cause(ctx)
		}
		if failed == nil {
			failed = t.lost(ctx)
		}
		if failed != nil {
			if err := t.skip(calls[0]); err != nil {
				return errors.Join(failed, err)
			}
			calls = calls[1:]
			continue
		}
		failed = t.callSideBySide(ctx, calls[:n])
		calls = calls[n:]
	}
	if failed == nil {
		failed = t.lost(ctx)
	}
	return failed
}

// lost ends a turn whose worktree somebody deleted or cut off from its repository: no call finds its files, and the model would only try one way after the other.
func (t *Turn) lost(ctx context.Context) error {
	if t.s.repo == nil || t.s.repo.Present(t.s.tree) {
		return nil
	}
	if _, err := t.changed(ctx); err != nil {
		return fmt.Errorf("see what turn %d changed: %w", t.n, err)
	}
	return nil
}

// readers counts the leading calls that may run side by side: at least one.
func readers(calls []event.ModelCall) int {
	n := 0
	for n < len(calls) && n < maxSideBySide {
		if tl, ok := tool.Find(calls[n].Name); !ok || !tl.ReadOnly {
			break
		}
		n++
	}
	return max(n, 1)
}

func (t *Turn) callSideBySide(ctx context.Context, calls []event.ModelCall) error {
	if len(calls) == 1 {
		return t.callTool(ctx, calls[0])
	}
	errs := make([]error, len(calls))
	var group sync.WaitGroup
	for i, c := range calls {
		group.Go(func() { errs[i] = t.callTool(ctx, c) })
	}
	group.Wait()
	return errors.Join(errs...)
}

// skip records a call that never ran, with its result.
func (t *Turn) skip(c event.ModelCall) error {
	return t.s.record(
		event.ToolCall{Turn: t.n, ID: c.ID, Name: c.Name, Args: c.Args, Origin: "model"},
		event.ToolResult{Turn: t.n, ID: c.ID, Error: "not_run", Text: "not run: the turn was ending"},
	)
}

// callTool records the call, runs it, and records its result with the instruction files of the folders it touched.
func (t *Turn) callTool(ctx context.Context, c event.ModelCall) error {
	s := t.s
	if err := s.record(event.ToolCall{Turn: t.n, ID: c.ID, Name: c.Name, Args: c.Args, Origin: "model"}); err != nil {
		return err
	}
	defer s.unfollow(c.ID)
	start := time.Now()
	res, failed := t.runTool(ctx, c)
	if failed != nil {
		res = t.brokenResult(ctx, c.ID, res.Text, failed)
	}
	wall := time.Since(start).Milliseconds()
	payloads := []event.Payload{event.ToolResult{
		Turn: t.n, ID: c.ID, OK: res.OK, Text: res.Text, Error: res.Error, Truncated: res.Truncated, WallMS: &wall,
	}}
	nested, err := t.nestedInstructions(ctx, res.Touched)
	if err != nil && failed == nil {
		failed = err
	}
	if err := s.record(append(payloads, nested...)...); err != nil {
		return err
	}
	if failed == nil && res.Stop {
		return errDenyStop
	}
	return failed
}

// brokenResult is the result of a call that ended in an error of ours or with the turn. What it had printed until then stays on record.
func (t *Turn) brokenResult(ctx context.Context, call, printed string, failed error) tool.Result {
	if printed != "" {
		printed = "\n" + printed
	}
	if st := t.s.State(); errors.Is(context.Cause(ctx), ErrEditorExit) && !st.Allowed(call) {
		return tool.Result{Error: "not_run", Text: "not run: the editor closed before an answer"}
	}
	if ctx.Err() != nil {
		return tool.Result{Error: "cancelled", Text: "cancelled before it finished: " + context.Cause(ctx).Error() + printed}
	}
	return tool.Result{Error: "failed", Text: failed.Error() + printed}
}

// runTool finds the tool and runs it. A panic becomes an error, so that the call still gets its result.
func (t *Turn) runTool(ctx context.Context, c event.ModelCall) (res tool.Result, err error) {
	s := t.s
	tl, ok := tool.Find(c.Name)
	if !ok {
		return tool.Result{Error: "unknown_tool", Text: fmt.Sprintf("there is no tool %q; the tools are %s", c.Name, toolNames())}, nil
	}
	if refusal, open := planGate(s.mode(), tl); !open {
		return tool.Result{Error: "not_available", Text: refusal}, nil
	}
	err = t.guarded(func() error {
		var failed error
		res, failed = tl.Run(ctx, t.env(c.ID), c.Args)
		return failed
	})
	if err != nil {
		return res, fmt.Errorf("run %s: %w", c.Name, err)
	}
	return res, nil
}

func (t *Turn) env(call string) tool.Env {
	s := t.s
	return tool.Env{
		Guard: s.guard.ForCall(t.n, call),
		Index: s.index,
		Indexed: func(u index.Update) error {
			return s.record(s.indexUpdate(u))
		},
		Redacted: redactedText,
		Filter:   func() guard.Filter { return s.agent.cfg.Redactor.Stream() },
		Live:     s.follow(call).add,
	}
}

func (s *Session) mode() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Config.Mode
}
