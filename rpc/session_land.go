package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

func (s *Server) sessionDiff(p protocol.DiffParams) (wait[protocol.DiffResult], error) {
	spec := agent.DiffSpec{Path: p.Path, Turn: p.Turn, Target: p.Against == protocol.AgainstTarget}
	return func(ctx context.Context) (protocol.DiffResult, error) {
		files, err := s.agent.Diff(ctx, p.Session, spec)
		return protocol.DiffResult{Files: filesOf(files, true)}, err
	}, nil
}

func (s *Server) sessionLand(p protocol.LandParams) (wait[protocol.LandResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	spec := agent.LandSpec{Strategy: string(p.Strategy), Into: p.Into, Message: p.Message, Preview: p.Preview, Actor: actor}
	return func(ctx context.Context) (protocol.LandResult, error) {
		l, err := session.Land(ctx, spec)
		s.told(ctx, session)
		if err != nil {
			return protocol.LandResult{}, err
		}
		r := protocol.LandResult{Into: l.Into, Message: l.Message, Files: filesOf(l.Files, false)}
		if p.Preview {
			return r, nil
		}
		r.Commit = l.Commit
		s.refresh(session, r.Files)
		return r, nil
	}, nil
}

// filesOf gives changed files their wire form.
func filesOf(files []agent.FileDiff, hunks bool) []protocol.FileDiff {
	out := []protocol.FileDiff{}
	for _, f := range files {
		d := protocol.FileDiff{
			Path: f.Path, OldPath: f.OldPath, Status: f.Status, Insertions: f.Insertions, Deletions: f.Deletions, Binary: f.Binary,
		}
		for _, h := range f.Hunks {
			if hunks {
				d.Hunks = append(d.Hunks, protocol.Hunk{ID: h.ID, Header: h.Header, Text: h.Text})
			}
		}
		out = append(out, d)
	}
	return out
}
