package rpc

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// event tells a logged event, to a client that wants them, and closes prompts that nobody answered here.
func (f *follower) event(ctx context.Context, e *event.Event) error {
	switch e.Payload.(type) {
	case event.LLMResp, event.TurnEnd: // they stand for the previews, which would be news from the past behind them
		if err := f.flush(ctx); err != nil {
			return err
		}
	}
	if f.server.client.ours.Events {
		line, err := event.AppendLine(nil, *e)
		if err != nil {
			return fmt.Errorf("encode event %d: %w", e.Seq, err)
		}
		params := protocol.EventParams{Session: f.session.ID(), Event: bytes.TrimSuffix(line, []byte("\n"))}
		if err := f.server.notify(ctx, protocol.MethodEvent, params); err != nil {
			return err
		}
	}
	if p, ok := e.Payload.(event.PromptClose); ok {
		return f.resolved(ctx, p)
	}
	return nil
}

// resolved lets the client close a prompt that it has not answered itself.
func (f *follower) resolved(ctx context.Context, p event.PromptClose) error {
	ours := f.server.client.ours
	if !f.server.asks.take(f.session.ID(), p.PromptID) || !ours.Permission && !ours.Question {
		return nil
	}
	return f.server.notify(ctx, protocol.MethodPromptResolved, protocol.PromptResolved{
		Session: f.session.ID(), PromptID: p.PromptID, Answer: p.Answer,
	})
}

func (f *follower) card(ctx context.Context, c *view.Card, revision int64) error {
	return f.server.notify(ctx, protocol.MethodCard, protocol.CardParams{Session: f.session.ID(), Card: cardOf(*c), Revision: revision})
}

// status goes to whoever draws cards; for others a running turn is work in progress.
func (f *follower) status(ctx context.Context, st *agent.Status) error {
	if !f.server.client.ours.Cards {
		f.work.status(ctx, st)
		return nil
	}
	p := protocol.StatusParams{
		Session: f.session.ID(), Status: protocol.Status(st.Status), Turn: st.Turn, Step: st.Step, Ready: st.Ready, Overlaps: overlapsOf(st.Overlaps),
	}
	for _, w := range st.Waits {
		p.Waits = append(p.Waits, protocol.Wait(w))
	}
	return f.server.notify(ctx, protocol.MethodStatus, p)
}

// delta keeps a preview until its time. Pieces of another reply or attempt do not join.
func (f *follower) delta(ctx context.Context, d *agent.Delta) error {
	if p := f.pending; p != nil && (p.Turn != d.Turn || p.Attempt != d.Attempt) {
		if err := f.flush(ctx); err != nil {
			return err
		}
	}
	if f.pending == nil {
		piece := *d
		f.pending = &piece
		return nil
	}
	f.pending.Text += d.Text
	f.pending.Thinking += d.Thinking
	return nil
}

// cardOf gives a card its wire form. The bodies of view carry the wire's names already; a test holds the two together.
func cardOf(c view.Card) protocol.Card {
	return protocol.Card{ID: c.ID, Kind: protocol.CardKind(c.Kind), At: wireTime(c.At), Body: c.Body}
}

func wireTime(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }
