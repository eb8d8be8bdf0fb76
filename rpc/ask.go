package rpc

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// actor is who answers at the editor, as the log spells it.
const actor = "person"

// asks holds the prompts that the client shows and has not answered.
type asks struct {
	mu   sync.Mutex // guards open
	open map[askKey]bool
}

type askKey struct{ session, prompt string }

func (a *asks) put(session, prompt string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.open == nil {
		a.open = make(map[askKey]bool)
	}
	a.open[askKey{session, prompt}] = true
}

// take removes a prompt and reports whether it was there.
func (a *asks) take(session, prompt string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := askKey{session, prompt}
	was := a.open[k]
	delete(a.open, k)
	return was
}

// Ask shows a prompt to the client and waits for the answer, for ever if need be. The prompt goes out only behind the event that opened it. An answer that is no answer is an error, which the guard takes for a denial.
func (s *Server) Ask(ctx context.Context, p agent.Prompt) (agent.Answer, error) {
	if s.base == nil || s.base.Err() != nil || s.phase.load() == fresh {
		return agent.Answer{}, fmt.Errorf("ask %s of session %s: %w", p.ID, p.Session, agent.ErrNobody)
	}
	if f := s.follows.of(p.Session); f != nil {
		f.asked(ctx, p.ID)
	}
	s.asks.put(p.Session, p.ID)
	answer, err := s.show(ctx, p)
	switch {
	case err == nil:
		s.asks.take(p.Session, p.ID)
		return answer, nil
	case s.base.Err() != nil:
		err = agent.ErrGone // its silence is not a word of the person's
	case ctx.Err() != nil:
		err = context.Cause(ctx) // withdrawn: the follower tells the client when that is on record
	default:
		s.asks.take(p.Session, p.ID)
	}
	return agent.Answer{}, fmt.Errorf("ask %s of session %s: %w", p.ID, p.Session, err)
}

// show picks the form that the client can answer.
func (s *Server) show(ctx context.Context, p agent.Prompt) (agent.Answer, error) {
	permission := p.Type == "permission"
	switch {
	case permission && s.client.ours.Permission:
		return s.requestPermission(ctx, p)
	case !permission && s.client.ours.Question:
		return s.question(ctx, p)
	}
	return s.showMessage(ctx, p)
}

func (s *Server) requestPermission(ctx context.Context, p agent.Prompt) (agent.Answer, error) {
	params := protocol.PermissionParams{
		Session: p.Session, PromptID: p.ID, Turn: p.Turn, Action: p.Action, Op: p.Op, Path: p.Path, Diff: p.Diff, Truncated: p.Truncated,
		Range: rangeOf(p.Range), Argv: p.Argv, Cwd: p.Cwd, Host: p.Host, Why: p.Why, Options: optionsOf(p.Options), TimeoutSec: seconds(p.Timeout),
	}
	var r protocol.PermissionResult
	if err := s.prompt(ctx, protocol.MethodRequestPermission, params, &r); err != nil {
		return agent.Answer{}, err
	}
	if r.Option == "" {
		return agent.Answer{}, errors.New("the client's answer has no option")
	}
	return agent.Answer{Option: string(r.Option), Actor: who(r.Actor), Note: r.Note}, nil
}

func (s *Server) question(ctx context.Context, p agent.Prompt) (agent.Answer, error) {
	params := protocol.AskParams{Session: p.Session, PromptID: p.ID, Text: p.Text, Choices: append([]string{}, p.Choices...), FreeText: p.FreeText}
	var r protocol.AskResult
	if err := s.prompt(ctx, protocol.MethodAsk, params, &r); err != nil {
		return agent.Answer{}, err
	}
	if r.Answer == "" {
		return agent.Answer{}, errors.New("the client's answer is empty")
	}
	return agent.Answer{Text: r.Answer, Actor: actor}, nil
}

// prompt sends a request that a person answers, without a time limit of its own. An answer of null is an error.
func (s *Server) prompt(ctx context.Context, method string, params, result any) error {
	var raw jsontext.Value
	if err := lsp.Call(ctx, s.conn, method, params, &raw); err != nil {
		return fmt.Errorf("call %s of the client: %w", method, err)
	}
	if raw.Kind() != '{' {
		return fmt.Errorf("call %s of the client: the answer is %.40q and not an object", method, raw)
	}
	if err := json.Unmarshal(raw, result); err != nil {
		return fmt.Errorf("call %s of the client: read the answer: %w", method, fieldError(err))
	}
	return nil
}

// optionsOf gives the answers their wire form. A denial goes no further than the effect it denies.
func optionsOf(options []agent.Option) []protocol.Option {
	out := []protocol.Option{}
	for _, o := range options {
		scope := string(o.Scope)
		if scope == "" {
			scope = "once"
		}
		out = append(out, protocol.Option{ID: protocol.OptionID(o.ID), Label: o.Label, Scope: scope, Prefix: o.Prefix})
	}
	return out
}

// rangeOf turns the log's range, which counts from 1, into the wire's.
func rangeOf(r *event.Range) *protocol.Range {
	if r == nil {
		return nil
	}
	place := func(line, column int) protocol.Position {
		return protocol.Position{Line: uint32(max(line-1, 0)), Character: uint32(max(column-1, 0))}
	}
	return &protocol.Range{Start: place(r.StartLine, r.StartColumn), End: place(r.EndLine, r.EndColumn)}
}

func who(named string) string {
	if named == "" {
		return actor
	}
	return named
}

// seconds rounds up, so that a short deadline is not shown as none.
func seconds(d time.Duration) int { return int((d + time.Second - 1) / time.Second) }
