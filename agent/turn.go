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
	// Next queues the request while a turn runs, instead of refusing it.
	Next bool
	// continues is the interrupted turn that this one takes up; 0 for a new request.
	continues int
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

// Turn is one run of the loop, from a request to its end. A queued one waits for its place.
type Turn struct {
	s      *Session
	id     string // names it in the queue
	spec   PromptSpec
	start  time.Time
	ctx    context.Context // the turn's own: it starts with the request and ends with the turn
	cancel context.CancelCauseFunc
	// The turn's goroutine owns these: the reply that ended the turn, and the checks that it failed.
	text   string
	failed []string
	// The session's mutex guards these: the number (0 while queued), and the messages that steer the turn while it takes any.
	n         int
	steerable bool
	steers    []*steer
	// done is closed when the end is durable; result and err are set before.
	done   chan struct{}
	result TurnResult
	err    error
}

// Prompt accepts a request: it marks the turn as running and starts it, or queues it. It does no I/O, so that a cancel right behind it finds the turn.
func (s *Session) Prompt(p PromptSpec) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch busy := s.turn != nil || s.held; {
	case s.closing:
		return nil, fmt.Errorf("prompt session %s: %w", s.id, ErrClosed)
	case s.log.Err() != nil:
		return nil, fmt.Errorf("prompt session %s: its log cannot be written any more, close and resume it: %w", s.id, s.log.Err())
	case busy && !p.Next:
		return nil, fmt.Errorf("prompt session %s: %w", s.id, ErrBusy)
	case busy || len(s.queue) > 0:
		return s.enqueueLocked(p), nil
	}
	t := s.newTurnLocked(p)
	s.startLocked(t)
	return t, nil
}

// Continue takes an interrupted turn up. The request is ours: the person asked before.
func (s *Session) Continue(actor string) (*Turn, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.closing:
		return nil, fmt.Errorf("continue session %s: %w", s.id, ErrClosed)
	case s.turn != nil, s.held:
		return nil, fmt.Errorf("continue session %s: %w", s.id, ErrBusy)
	case !s.state.Cut:
		return nil, fmt.Errorf("continue session %s: %w: its last turn came to its end, or was taken back", s.id, ErrNothing)
	}
	t := s.newTurnLocked(PromptSpec{Text: continueText, Actor: actor, continues: s.state.Turn})
	s.startLocked(t)
	return t, nil
}

// continueText is what the model reads when a turn goes on.
const continueText = "Go on: the turn before this one was interrupted. Look at what is done before you do anything again, and ask again for what was not answered."

func (s *Session) newTurnLocked(p PromptSpec) *Turn {
	s.prompted++
	ctx, cancel := context.WithCancelCause(context.Background())
	return &Turn{s: s, id: fmt.Sprintf("q%d", s.prompted), spec: p, ctx: ctx, cancel: cancel, done: make(chan struct{})}
}

func (s *Session) startLocked(t *Turn) {
	t.n, t.start, t.steerable = s.state.Turn+1, time.Now(), true
	s.turn = t
	s.turns.Go(t.run)
}

// N returns the turn's number, 0 while it is queued.
func (t *Turn) N() int {
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	return t.n
}

// Cancel ends the turn early; cause says why. Only the first cause counts. A queued turn never starts.
func (t *Turn) Cancel(cause error) {
	t.cancel(cause)
	t.s.drop(t)
}

// cancelTurn ends the running turn and the ones that wait, without waiting for them.
func (s *Session) cancelTurn(cause error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) > 0 {
		s.dropLocked(0)
	}
	s.cutLocked(cause)
	if s.naming != nil {
		s.naming(cause)
	}
	if s.turn != nil {
		s.turn.cancel(cause)
	}
}

// Wait returns when the turn's end is durable, or with ctx's cause.
func (t *Turn) Wait(ctx context.Context) (TurnResult, error) {
	select {
	case <-t.done:
		return t.result, t.err
	case <-ctx.Done():
		return TurnResult{}, context.Cause(ctx)
	}
}

// Cancel finds what there is to end: the running turn, when it is the one with the number or the number is 0, else what is asked or checked outside of a turn. The function that it returns ends that and no later one, and returns, when the end is on record, what was running and is gone; nil says that there is nothing.
func (s *Session) Cancel(turn int) func(ctx context.Context) (killed []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, cut, freed := s.turn, s.cut, s.freed
	switch {
	case t != nil && (turn == 0 || turn == t.n):
		return func(ctx context.Context) ([]string, error) {
			running := s.guard.Running()
			t.Cancel(ErrCancelled)
			if _, err := t.Wait(ctx); err != nil {
				return nil, fmt.Errorf("cancel turn %d of session %s: %w", t.n, s.id, err)
			}
			return running, nil
		}
	case t == nil && turn == 0 && cut != nil:
		return func(ctx context.Context) ([]string, error) {
			running := s.guard.Running()
			cut(ErrCancelled)
			select {
			case <-freed:
				return running, nil
			case <-ctx.Done():
				return nil, fmt.Errorf("cancel the checks of session %s: %w", s.id, context.Cause(ctx))
			}
		}
	}
	return nil
}

// Running returns the number of the running turn; 0 when none runs.
func (s *Session) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.turn == nil {
		return 0
	}
	return s.turn.n
}

// run is the turn's goroutine.
func (t *Turn) run() {
	defer t.cancel(nil)
	err := t.guarded(func() error { return t.work(t.ctx) })
	t.err = t.guarded(func() (failed error) {
		t.result, failed = t.finish(t.ctx, err)
		return failed
	})
	t.s.mu.Lock()
	t.s.turn = nil
	t.steerable = false
	t.s.nameLocked(t)
	t.s.brokenLocked()
	t.s.nextLocked()
	t.s.mu.Unlock()
	t.s.meetLater()
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

// work runs the loop, then the checks; a check that failed may go back to the model.
func (t *Turn) work(ctx context.Context) error {
	if err := t.open(ctx); err != nil {
		return err
	}
	tries := make(map[string]int)
	for step := 1; ; {
		last, err := t.loop(ctx, step)
		if err != nil {
			return err
		}
		again, err := t.check(ctx, tries)
		if err != nil {
			return err
		}
		if !again {
			return t.proposePlan(ctx)
		}
		step = last + 1
	}
}

// loop asks the model and runs what it calls, until it stops. It returns the number of the last step.
func (t *Turn) loop(ctx context.Context, step int) (int, error) {
	for ; ; step++ {
		if _, err := t.takeSteers(false); err != nil {
			return step, err
		}
		reply, err := t.ask(ctx, step)
		if err != nil {
			return step, err
		}
		next, why := nextStep(reply)
		if next == runCalls {
			if err := t.callAll(ctx, reply.ToolCalls); err != nil {
				return step, err
			}
			if err := stuck(t.s.request().Messages); err != nil {
				return step, err
			}
			continue
		}
		t.text = reply.Text
		if why != nil {
			return step, why
		}
		if steered, err := t.takeSteers(true); err != nil || !steered {
			return step, err
		}
	}
}

// open records the request first, with everything that goes to the model beside it and is at hand, in one sync. What has to be read for it follows: a read is decided on record, and may ask.
func (t *Turn) open(ctx context.Context) error {
	p := t.spec
	before := t.s.State()
	payloads := []event.Payload{event.UserMsg{Turn: t.n, Text: p.Text, Actor: p.Actor, Continues: p.continues}}
	if t.s.checkingOut() { // the request is on record while it waits for the files
		if err := t.s.record(payloads...); err != nil {
			return err
		}
		payloads = nil
	}
	if err := t.s.awaitTree(ctx); err != nil {
		return err
	}
	fresh, attached := t.atHand(p)
	if payloads = append(payloads, attached...); len(payloads) > 0 {
		if err := t.s.record(payloads...); err != nil {
			return err
		}
	}
	news, err := t.since(ctx, before)
	if err != nil {
		return err
	}
	read, failed := t.toRead(ctx, p, fresh)
	if read = append(news, read...); len(read) > 0 {
		failed = errors.Join(t.s.record(read...), failed)
	}
	if failed != nil {
		return failed
	}
	if err := t.include(ctx); err != nil {
		return err
	}
	return t.setUp(ctx)
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
