package guard

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// expired is the recorded answer of a prompt that nobody answered.
const expired = "expired"

// errDeadline is the cause when a prompt's own deadline ends it.
var errDeadline = errors.New("nobody answered in time")

// reply is how a prompt ended.
type reply struct {
	Answer
	prompt string
	rule   string // ruleAnswer for a valid answer
	reason string // why there is none, in a clause
	cause  error  // what ended the caller's context meanwhile; nil otherwise
}

// ask opens a prompt, waits for its answer and closes it. What follow makes of the reply is recorded in the same sync as the close. The caller holds the slot.
func (g *Guard) ask(ctx context.Context, p Prompt, follow func(reply) []event.Payload) (reply, error) {
	p.Session, p.Turn, p.Timeout = g.cfg.Session, g.turn, g.cfg.Policy.PromptTimeout
	p.ID = g.nextPrompt()
	p = p.shown()
	if err := g.record(p.open()); err != nil {
		return reply{}, err
	}
	r := g.await(ctx, p)
	said := expired
	switch {
	case r.rule == ruleAnswer && p.Type == TypePermission:
		said = r.Option
	case r.rule == ruleAnswer:
		said = r.Text
	case r.rule == ruleInvalid && p.Type == TypePermission:
		said = DenyOnce
	}
	closing := event.PromptClose{PromptID: p.ID, Answer: said, Actor: r.Actor}
	return r, g.record(append([]event.Payload{closing}, follow(r)...)...)
}

// await gets an answer and weighs it: one that comes after the end of its context is late, however good it is.
func (g *Guard) await(ctx context.Context, p Prompt) reply {
	asking, cancel := ctx, context.CancelFunc(func() {})
	if p.Timeout > 0 {
		asking, cancel = context.WithTimeoutCause(ctx, p.Timeout, errDeadline)
	}
	defer cancel()
	a, err := g.cfg.Asker.Ask(asking, p)
	switch {
	case ctx.Err() != nil:
		return reply{prompt: p.ID, rule: ruleUnanswered, reason: "the turn ended before anyone answered", cause: context.Cause(ctx)}
	case asking.Err() != nil:
		return reply{prompt: p.ID, rule: ruleUnanswered, reason: fmt.Sprintf("nobody answered within %v", p.Timeout)}
	case errors.Is(err, ErrNobody):
		return reply{prompt: p.ID, rule: ruleUnanswered, reason: "there is nobody who could be asked, so it counts as denied"}
	case err != nil:
		return reply{prompt: p.ID, rule: ruleInvalid, reason: "the answer could not be understood, so it counts as denied"}
	case !p.accepts(a):
		return reply{prompt: p.ID, rule: ruleInvalid, reason: "the answer was none of those offered, so it counts as denied", Answer: Answer{Actor: a.Actor}}
	}
	return reply{prompt: p.ID, rule: ruleAnswer, Answer: a}
}

// acquire waits for the session's one place for an open prompt.
func (s *shared) acquire(ctx context.Context) error {
	select {
	case s.slot <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *shared) release() { <-s.slot }

func (s *shared) nextPrompt() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.prompts++
	return fmt.Sprintf("p%d", s.prompts)
}

// Question asks the person something in words. ErrNobody says that there is no answer.
func (g *Guard) Question(ctx context.Context, text string, choices []string) (Answer, error) {
	return g.inquire(ctx, Prompt{Type: TypeQuestion, Text: text, Choices: choices, FreeText: true}, nil)
}

// inquire asks a question or choice; follow may add records to the answer.
func (g *Guard) inquire(ctx context.Context, p Prompt, follow func(reply) []event.Payload) (Answer, error) {
	ctx, done := g.bound(ctx)
	defer done()
	if err := g.acquire(ctx); err != nil {
		return Answer{}, err
	}
	defer g.release()
	r, err := g.ask(ctx, p, func(r reply) []event.Payload {
		if follow == nil || r.rule != ruleAnswer {
			return nil
		}
		return follow(r)
	})
	switch {
	case err != nil:
		return Answer{}, err
	case r.cause != nil:
		return Answer{}, r.cause
	case r.rule != ruleAnswer:
		return Answer{}, fmt.Errorf("%w: %s", ErrNobody, r.reason)
	}
	return r.Answer, nil
}
