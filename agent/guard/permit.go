package guard

import (
	"context"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// request is an effect that waits for its decision.
type request struct {
	action Action
	target string        // as the record names it
	prompt func() Prompt // what a person is shown, made when one is asked
}

// permit returns nil when the effect may happen now; its decision is durable then. A denial is a *DeniedError.
func (g *Guard) permit(ctx context.Context, q request) error {
	ctx, done := g.bound(ctx)
	defer done()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	r, err := g.rule(q.action)
	if err != nil {
		return err
	}
	if r.Verdict != Ask {
		return g.settle(q, r)
	}
	if err := g.acquire(ctx); err != nil {
		return err
	}
	defer g.release()
	// The prompt that stood before this one may have been answered for it, too.
	if r, err = g.rule(q.action); err != nil {
		return err
	}
	if r.Verdict != Ask {
		return g.settle(q, r)
	}
	return g.askFor(ctx, q, r)
}

// rule decides with what the session knows. What was allowed always is on disk, and looked up only when it can matter.
func (g *Guard) rule(a Action) (Ruling, error) {
	s := g.state()
	r := Decide(g.cfg.Policy, s, a)
	if r.Verdict != Ask || r.Always {
		return r, nil
	}
	always, err := g.always()
	if err != nil {
		return Ruling{}, err
	}
	s.Approvals = append(s.Approvals, always...)
	return Decide(g.cfg.Policy, s, a), nil
}

func (g *Guard) state() State {
	return State{Mode: g.cfg.Mode, Worktree: g.cfg.Worktree, Contained: g.cfg.Sandbox.Contains(), Approvals: g.Approvals()}
}

// settle records a ruling that needs no person.
func (g *Guard) settle(q request, r Ruling) error {
	d := g.decision(q, r.Verdict, r.Rule)
	d.Scope = string(r.Scope)
	if err := g.record(d); err != nil {
		return err
	}
	if r.Verdict != Allow {
		return &DeniedError{Op: q.action.Op, Target: q.target, Rule: r.Rule, Reason: r.Reason}
	}
	return nil
}

func (g *Guard) decision(q request, v Verdict, rule string) event.GuardDecision {
	return event.GuardDecision{
		Turn: g.turn, ID: g.call, Op: string(q.action.Op), Target: q.target,
		Decision: string(v), Rule: rule,
	}
}

// askFor asks a person. Their answer, what is remembered of it and the decision become durable together, in this order; only then does the approval count.
func (g *Guard) askFor(ctx context.Context, q request, r Ruling) error {
	p := q.prompt()
	p.Type, p.Op, p.Why, p.Options = TypePermission, string(q.action.Op), r.Reason, g.optionsFor(q.action, r)
	var granted *Option
	var approval Approval
	var remembered bool
	answer, err := g.ask(ctx, p, func(a reply) []event.Payload {
		if o := p.option(a.Option); a.rule == ruleAnswer && o.Scope != "" {
			granted = o
			approval, remembered = approvalFor(q.action, o.Scope, a.Actor)
		}
		var ps []event.Payload
		if remembered {
			ps = append(ps, approval.change(a.prompt))
		}
		return append(ps, g.answered(q, a, granted))
	})
	if err != nil {
		return err
	}
	if remembered {
		if err := g.remember(approval); err != nil {
			return err
		}
	}
	if granted != nil {
		return nil
	}
	if answer.cause != nil {
		return answer.cause
	}
	return denial(q, answer)
}

// answered is the decision that follows from a reply.
func (g *Guard) answered(q request, a reply, granted *Option) event.GuardDecision {
	d := g.decision(q, Deny, a.rule)
	d.PromptID, d.Actor = a.prompt, a.Actor
	if granted != nil {
		d.Decision, d.Scope = string(Allow), string(granted.Scope)
	}
	return d
}

func denial(q request, a reply) *DeniedError {
	d := &DeniedError{Op: q.action.Op, Target: q.target, Rule: a.rule, Reason: a.reason, Note: a.Note}
	if a.rule == ruleAnswer {
		d.Reason = "the person said no"
		d.Stop = a.Option == DenyStop
	}
	return d
}
