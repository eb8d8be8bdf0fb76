package rpc

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// maxEvents is the largest page of session/events, and what a client gets that names no limit.
const maxEvents = 1000

func (s *Server) sessionList(p protocol.ListParams) (wait[protocol.ListResult], error) {
	spec := agent.ListSpec{Limit: p.Limit, Cursor: p.Cursor}
	if p.Repo != "" {
		var err error
		if spec.Repo, err = localPath("repo", p.Repo); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (protocol.ListResult, error) {
		if err := s.checkCursor(p.Cursor); err != nil {
			return protocol.ListResult{}, err
		}
		sums, cursor, err := s.agent.List(ctx, spec)
		r := protocol.ListResult{Sessions: []protocol.Summary{}, Cursor: cursor}
		for _, sum := range sums {
			r.Sessions = append(r.Sessions, summaryOf(sum))
		}
		return r, err
	}, nil
}

// checkCursor refuses a cursor that no page ended with: a page of something else would pass for the next one.
func (s *Server) checkCursor(cursor string) error {
	if cursor == "" {
		return nil
	}
	if _, err := s.agent.Session(cursor); errors.Is(err, agent.ErrUnknownSession) {
		return &protocol.FieldError{Field: "cursor", Reason: fmt.Sprintf("%q came with no page; leave it out to start anew", cursor)}
	}
	return nil
}

func summaryOf(s agent.Summary) protocol.Summary {
	return protocol.Summary{
		Session: s.Session, Title: s.Title, Status: protocol.Status(s.Status), Unfinished: s.Unfinished, Mode: protocol.Mode(s.Mode),
		Repo: s.Repo, Repository: s.Repository, Branch: s.Branch, Model: s.Model, Created: wireTime(s.Created), Updated: wireTime(s.Updated),
		Turns: s.Turns, Cost: s.Cost, OpenElsewhere: s.OpenElsewhere, Overlaps: overlapsOf(s.Overlaps),
	}
}

func (s *Server) sessionView(p protocol.ViewParams) (wait[protocol.ViewResult], error) {
	if p.Follow {
		session, err := s.agent.Session(p.Session)
		if err != nil {
			return nil, err
		}
		s.follow(session, 0)
	}
	return func(context.Context) (protocol.ViewResult, error) {
		return s.viewOf(p)
	}, nil
}

// maxAtHand is the most cards that are encoded on the read path.
const maxAtHand = 32

// viewAtHand answers for an open session, whose cards are in memory.
func (s *Server) viewAtHand(p protocol.ViewParams) (protocol.ViewResult, bool) {
	if p.Follow || p.Since != 0 {
		return protocol.ViewResult{}, false
	}
	if _, err := s.agent.Session(p.Session); err != nil {
		return protocol.ViewResult{}, false
	}
	v, err := s.agent.View(p.Session)
	if err != nil || len(v.Cards) > maxAtHand {
		return protocol.ViewResult{}, false
	}
	return viewResult(v.Status, v.Cards, v.Revision), true
}

// viewOf returns all cards, or folds the log to find those that changed since a revision.
func (s *Server) viewOf(p protocol.ViewParams) (protocol.ViewResult, error) {
	v, err := s.agent.View(p.Session)
	if err != nil {
		return protocol.ViewResult{}, err
	}
	if p.Since == 0 {
		return viewResult(v.Status, v.Cards, v.Revision), nil
	}
	return s.viewSince(p, v.Status)
}

func (s *Server) viewSince(p protocol.ViewParams, status string) (protocol.ViewResult, error) {
	var all view.Cards
	changed := make(map[string]bool)
	err := s.agent.Fold(p.Session, func(e event.Event) {
		if c, ok := all.Apply(e); ok && e.Seq > p.Since {
			changed[c.ID] = true
		}
	})
	if err != nil {
		return protocol.ViewResult{}, err
	}
	var cards []view.Card
	for _, c := range all.All() {
		if changed[c.ID] {
			cards = append(cards, c)
		}
	}
	return viewResult(status, cards, all.Revision()), nil
}

func viewResult(status string, cards []view.Card, revision int64) protocol.ViewResult {
	r := protocol.ViewResult{Status: protocol.Status(status), Cards: make([]protocol.Card, 0, len(cards)), Revision: revision}
	for _, c := range cards {
		r.Cards = append(r.Cards, cardOf(c))
	}
	return r
}

func (s *Server) sessionEvents(p protocol.EventsParams) (wait[protocol.EventsResult], error) {
	limit := p.Limit
	if limit == 0 || limit > maxEvents {
		limit = maxEvents
	}
	return func(context.Context) (protocol.EventsResult, error) {
		events, next, err := s.agent.Events(p.Session, p.FromSeq, limit)
		r := protocol.EventsResult{Events: []jsontext.Value{}, Next: next}
		for _, e := range events {
			line, err := event.AppendLine(nil, e)
			if err != nil {
				return r, fmt.Errorf("encode event %d of session %s: %w", e.Seq, p.Session, err)
			}
			r.Events = append(r.Events, bytes.TrimSuffix(line, []byte("\n")))
		}
		return r, err
	}, nil
}

func (s *Server) sessionTranscript(p protocol.SessionParams) (wait[protocol.TranscriptResult], error) {
	return func(context.Context) (protocol.TranscriptResult, error) {
		text, err := s.agent.Transcript(p.Session)
		return protocol.TranscriptResult{Text: text}, err
	}, nil
}
