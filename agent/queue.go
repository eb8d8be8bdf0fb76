package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Queued is a request that waits for the running turn.
type Queued struct{ ID, Text string }

// Queue returns what waits, in order.
func (s *Session) Queue() []Queued {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queueLocked()
}

func (s *Session) queueLocked() []Queued {
	list := []Queued{}
	for _, t := range s.queue {
		list = append(list, Queued{ID: t.id, Text: t.spec.Text})
	}
	return list
}

// EditQueue changes the text of requests that wait and drops others. An id that does not wait any more is an error, and nothing is changed.
func (s *Session) EditQueue(edits []Queued, drops []string) ([]Queued, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	find := func(id string) int { return slices.IndexFunc(s.queue, func(t *Turn) bool { return t.id == id }) }
	for i, e := range edits {
		if find(e.ID) < 0 {
			return nil, &InvalidError{Field: fmt.Sprintf("edit[%d].id", i), Reason: fmt.Sprintf("%q does not wait", e.ID)}
		}
	}
	for i, id := range drops {
		if find(id) < 0 {
			return nil, &InvalidError{Field: fmt.Sprintf("drop[%d]", i), Reason: fmt.Sprintf("%q does not wait", id)}
		}
	}
	for _, e := range edits {
		s.queue[find(e.ID)].spec.Text = e.Text
	}
	for _, id := range drops {
		if i := find(id); i >= 0 {
			s.dropLocked(i)
		}
	}
	return s.queueLocked(), nil
}

func (s *Session) enqueueLocked(p PromptSpec) *Turn {
	t := s.newTurnLocked(p)
	s.queue = append(s.queue, t)
	return t
}

// nextLocked starts what waits longest.
func (s *Session) nextLocked() {
	if s.closing || s.held || s.turn != nil || len(s.queue) == 0 {
		return
	}
	t := s.queue[0]
	s.queue = s.queue[1:]
	s.startLocked(t)
}

// drop takes a turn out of the queue, if it waits there.
func (s *Session) drop(t *Turn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.queue, t); i >= 0 {
		s.dropLocked(i)
	}
}

// dropLocked answers a request that will never run.
func (s *Session) dropLocked(i int) {
	t := s.queue[i]
	s.queue = slices.Delete(s.queue, i, i+1)
	t.cancel(ErrCancelled)
	t.result = TurnResult{Outcome: "cancelled", Reason: "dropped"}
	close(t.done)
}

// steer is a message to the running turn, until the turn's goroutine has recorded it.
type steer struct {
	text, actor string
	recorded    chan error
}

// Steer accepts a message to the running turn, which records it at its next step. It does no I/O, so that what is answered right behind it cannot overtake it.
func (s *Session) Steer(turn int, text, actor string) (*Steering, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turn
	if t == nil || t.n != turn || !t.steerable {
		return nil, fmt.Errorf("steer turn %d of session %s: %w: that turn is over", turn, s.id, ErrNothing)
	}
	m := &steer{text: text, actor: actor, recorded: make(chan error, 1)}
	t.steers = append(t.steers, m)
	return &Steering{t: t, m: m}, nil
}

// Steering is a message that was accepted.
type Steering struct {
	t *Turn
	m *steer
}

// Wait returns when the message is on record, or with the reason why it never will be.
func (w *Steering) Wait(ctx context.Context) error {
	select {
	case err := <-w.m.recorded:
		return err
	case <-w.t.done:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case err := <-w.m.recorded: // it was recorded as the turn ended
		return err
	default:
		return fmt.Errorf("steer turn %d of session %s: %w: the turn ended before its next step", w.t.N(), w.t.s.id, ErrNothing)
	}
}

// takeSteers records what steers the turn and reports whether there was anything. With last set, a turn without any takes no more.
func (t *Turn) takeSteers(last bool) (bool, error) {
	t.s.mu.Lock()
	steers := t.steers
	t.steers = nil
	t.steerable = !last || len(steers) > 0
	t.s.mu.Unlock()
	for _, m := range steers {
		err := t.s.record(event.UserMsg{Turn: t.n, Text: m.text, Actor: m.actor})
		m.recorded <- err
		if err != nil {
			return true, err
		}
	}
	return len(steers) > 0, nil
}
