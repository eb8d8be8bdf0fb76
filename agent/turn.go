package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// Attachment is something that a person sends along with a prompt.
type Attachment struct {
	// Type is "text", "file", "selection" or "diagnostics".
	Type string
	// Path is relative to the tree or absolute inside it; required for a file.
	Path string
	// Range is the part that is meant; nil is the whole.
	Range *event.Range
	// Text is the content; nil for a file is read through the guard.
	Text *string
}

// PromptSpec is a person's request.
type PromptSpec struct {
	Text        string
	Actor       string
	Attachments []Attachment
}

// TurnResult is what a turn came to.
type TurnResult struct {
	Turn    int
	Outcome string
	Reason  string
	// Text is the reply that ended the turn, or why it failed.
	Text  string
	Usage view.Totals
	// Revision is the seq of the turn's end.
	Revision int64
}

// Turn is one run of the loop, from a request to its end.
type Turn struct {
	s      *Session
	n      int
	actor  string
	start  time.Time
	cancel context.CancelCauseFunc
	// text is the reply that ended the turn; the turn's goroutine owns it.
	text string
	// done is closed when the end is durable; result and err are set before.
	done   chan struct{}
	result TurnResult
	err    error
}

// Prompt accepts a request: it marks the turn as running and starts it. It does no I/O, so that a cancel right behind it finds the turn.
func (s *Session) Prompt(p PromptSpec) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return nil, fmt.Errorf("prompt session %s: %w", s.id, ErrClosed)
	case s.turn != nil, s.landing:
		return nil, fmt.Errorf("prompt session %s: %w", s.id, ErrBusy)
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	t := &Turn{s: s, n: s.state.Turn + 1, actor: p.Actor, start: time.Now(), cancel: cancel, done: make(chan struct{})}
	s.turn = t
	s.turns.Go(func() { t.run(ctx, p) })
	return t, nil
}

// N returns the turn's number.
func (t *Turn) N() int { return t.n }

// Cancel ends the turn early; cause says why. Only the first cause counts.
func (t *Turn) Cancel(cause error) { t.cancel(cause) }

// Wait returns when the turn's end is durable, or with ctx's cause.
func (t *Turn) Wait(ctx context.Context) (TurnResult, error) {
	select {
	case <-t.done:
		return t.result, t.err
	case <-ctx.Done():
		return TurnResult{}, context.Cause(ctx)
	}
}

// Cancel ends the running turn and returns, when its end is on record, what was running and is gone.
func (s *Session) Cancel(ctx context.Context, turn int) (bool, []string, error) {
	s.mu.Lock()
	t := s.turn
	s.mu.Unlock()
	if t == nil || (turn != 0 && turn != t.n) {
		return false, nil, nil
	}
	running := s.guard.Running()
	t.Cancel(ErrCancelled)
	if _, err := t.Wait(ctx); err != nil {
		return false, nil, fmt.Errorf("cancel turn %d of session %s: %w", t.n, s.id, err)
	}
	return true, running, nil
}

// run is the turn's goroutine.
func (t *Turn) run(ctx context.Context, p PromptSpec) {
	defer t.cancel(nil)
	err := t.guarded(func() error { return t.loop(ctx, p) })
	t.result, t.err = t.finish(ctx, err)
	t.s.mu.Lock()
	t.s.turn = nil
	t.s.mu.Unlock()
	close(t.done)
}

// guarded turns a panic of the loop into an error, so that a defect costs one turn and not the server.
func (t *Turn) guarded(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			t.s.agent.cfg.Log.Error("panic in turn", "session", t.s.id, "turn", t.n, "panic", r, "stack", stack())
			err = fmt.Errorf("internal error: %v", r)
		}
	}()
	return f()
}

// loop asks the model and runs what it calls, until it stops.
func (t *Turn) loop(ctx context.Context, p PromptSpec) error {
	if err := t.open(ctx, p); err != nil {
		return err
	}
	for step := 1; ; step++ {
		reply, err := t.ask(ctx, step)
		if err != nil {
			return err
		}
		switch next, why := nextStep(reply); next {
		case stopTurn:
			t.text = reply.Text
			return why
		case runCalls:
			if err := t.callAll(ctx, reply.ToolCalls); err != nil {
				return err
			}
		}
	}
}

// open records the request with everything that goes to the model beside it, in one sync. What cannot be attached ends the turn, after the request itself is on record.
func (t *Turn) open(ctx context.Context, p PromptSpec) error {
	attached, failed := t.attachments(ctx, p)
	payloads := append([]event.Payload{event.UserMsg{Turn: t.n, Text: p.Text, Actor: p.Actor}}, attached...)
	return errors.Join(t.s.record(payloads...), failed)
}

// outcomeOf maps why the loop ended to the turn's outcome, once, by type.
func outcomeOf(cause, err error) (outcome, reason, text string) {
	switch {
	case err == nil:
		return "completed", "", ""
	case errors.Is(err, errDenyStop):
		return "cancelled", "deny_stop", ""
	case errors.Is(cause, ErrEditorExit):
		return "cancelled", "editor_exit", ""
	case errors.Is(cause, ErrCancelled):
		return "cancelled", "", ""
	}
	return "failed", "", err.Error()
}
