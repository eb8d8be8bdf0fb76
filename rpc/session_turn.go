package rpc

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// sessionPrompt starts the turn on the read path, so that a cancel right behind it finds the turn.
func (s *Server) sessionPrompt(p protocol.PromptParams) (wait[protocol.TurnResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	spec := agent.PromptSpec{Text: p.Text, Actor: actor}
	for i, a := range p.Attachments {
		attached, err := attachmentOf(fmt.Sprintf("attachments[%d]", i), a)
		if err != nil {
			return nil, err
		}
		spec.Attachments = append(spec.Attachments, attached)
	}
	turn, err := session.Prompt(spec)
	if err != nil {
		return nil, err
	}
	s.turns[p.Session] = turn.N()
	return func(ctx context.Context) (protocol.TurnResult, error) { return s.finishTurn(ctx, session, turn) }, nil
}

// finishTurn waits for the turn's end. A cancelled request cancels the turn, and is answered with what it came to: some clients drop an error -32800 and would wait for ever.
func (s *Server) finishTurn(ctx context.Context, session *agent.Session, turn *agent.Turn) (protocol.TurnResult, error) {
	r, err := turn.Wait(ctx)
	if errors.Is(context.Cause(ctx), errRequestCancelled) {
		turn.Cancel(agent.ErrCancelled)
		ctx = s.base
		r, err = turn.Wait(ctx)
	}
	if err != nil {
		return protocol.TurnResult{}, fmt.Errorf("wait for turn %d of session %s: %w", turn.N(), session.ID(), err)
	}
	if f := s.follows.of(session.ID()); f != nil {
		f.told(ctx, r.Revision)
	}
	s.showResult(session, r)
	return protocol.TurnResult{
		Turn: r.Turn, Outcome: protocol.Outcome(r.Outcome), Reason: r.Reason, Text: r.Text, Revision: r.Revision, Usage: protocol.Usage(r.Usage),
	}, nil
}

// sessionCancel finds the turn on the read path: one that is prompted for later is not meant.
func (s *Server) sessionCancel(p protocol.CancelParams) (wait[protocol.CancelResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	turn := p.Turn
	if turn == 0 {
		turn = s.turns[p.Session]
	}
	return func(ctx context.Context) (protocol.CancelResult, error) {
		if turn == 0 {
			return protocol.CancelResult{Killed: []string{}}, nil
		}
		cancelled, killed, err := session.Cancel(ctx, turn)
		if f := s.follows.of(p.Session); f != nil && cancelled {
			_, revision := session.Cards()
			f.told(ctx, revision)
		}
		return protocol.CancelResult{Cancelled: cancelled, Killed: append([]string{}, killed...)}, err
	}, nil
}

func attachmentOf(at string, a protocol.Attachment) (agent.Attachment, error) {
	out := agent.Attachment{Type: string(a.Type), Path: a.Path}
	if a.URI != "" {
		path, err := localPath(at+".uri", a.URI)
		if err != nil {
			return out, err
		}
		out.Path = path
	}
	if a.Text != "" {
		out.Text = &a.Text
	}
	if r := a.Range; r != nil {
		out.Range = &event.Range{
			StartLine: int(r.Start.Line) + 1, StartColumn: int(r.Start.Character) + 1,
			EndLine: int(r.End.Line) + 1, EndColumn: int(r.End.Character) + 1,
		}
	}
	return out, nil
}
