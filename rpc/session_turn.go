package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"

	lsp "go.lsp.dev/protocol"

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
	spec := agent.PromptSpec{Text: p.Text, Actor: actor, Next: p.When == protocol.Next}
	for i, a := range p.Attachments {
		attached, err := s.attachment(fmt.Sprintf("attachments[%d]", i), a)
		if err != nil {
			return nil, err
		}
		spec.Attachments = append(spec.Attachments, attached)
	}
	turn, err := session.Prompt(spec)
	if err != nil {
		return nil, err
	}
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
		Turn: r.Turn, Outcome: protocol.Outcome(r.Outcome), Reason: protocol.EndReason(r.Reason), Text: r.Text, Revision: r.Revision, Usage: protocol.Usage(r.Usage),
	}, nil
}

// sessionCancel finds on the read path what is to end: what is asked for later is not meant.
func (s *Server) sessionCancel(p protocol.CancelParams) (wait[protocol.CancelResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	end := session.Cancel(p.Turn)
	return func(ctx context.Context) (protocol.CancelResult, error) {
		if end == nil {
			return protocol.CancelResult{Killed: []string{}}, nil
		}
		killed, err := end(ctx)
		if err != nil {
			return protocol.CancelResult{}, err
		}
		s.told(ctx, session)
		return protocol.CancelResult{Cancelled: true, Killed: append([]string{}, killed...)}, nil
	}, nil
}

// attachment gives what a person attached the form of the log; at is its place in the params.
func (s *Server) attachment(at string, a protocol.Attachment) (agent.Attachment, error) {
	out := agent.Attachment{Type: string(a.Type), Path: a.Path, Range: s.bytesOf(a)}
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
	return out, nil
}

// bytesOf gives an attachment's range the log's columns, which count bytes of UTF-8. For a client that counts in units of UTF-16, the end is measured in the text that the range holds. What stands before the text in its first line is not here, so that the start is exact behind ASCII alone.
func (s *Server) bytesOf(a protocol.Attachment) *event.Range {
	if a.Range == nil {
		return nil
	}
	r := &event.Range{
		StartLine: int(a.Range.Start.Line) + 1, StartColumn: int(a.Range.Start.Character) + 1,
		EndLine: int(a.Range.End.Line) + 1, EndColumn: int(a.Range.End.Character) + 1,
	}
	holds := a.Type != protocol.AttachDiagnostics && strings.Count(a.Text, "\n") == r.EndLine-r.StartLine
	if s.client.encoding == lsp.PositionEncodingKindUTF8 || a.Text == "" || !holds {
		return r
	}
	r.EndColumn = len(a.Text) - strings.LastIndexByte(a.Text, '\n')
	if r.EndLine == r.StartLine {
		r.EndColumn = r.StartColumn + len(a.Text)
	}
	return r
}
