package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

func (s *Server) sessionDiff(p protocol.DiffParams) (wait[protocol.DiffResult], error) {
	spec := agent.DiffSpec{Path: p.Path, Turn: p.Turn, Target: p.Against == protocol.AgainstTarget}
	return func(ctx context.Context) (protocol.DiffResult, error) {
		files, conflicts, err := s.agent.Compare(ctx, p.Session, spec)
		return protocol.DiffResult{Files: filesOf(files, true), Conflicts: conflictsOf(conflicts)}, err
	}, nil
}

func (s *Server) sessionLand(p protocol.LandParams) (wait[protocol.LandResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	spec := agent.LandSpec{
		Strategy: string(p.Strategy), Into: p.Into, Message: p.Message, Paths: p.Paths, Hunks: p.Hunks, Preview: p.Preview, Actor: actor,
	}
	return func(ctx context.Context) (protocol.LandResult, error) {
		l, err := session.Land(ctx, spec)
		s.told(ctx, session)
		if err != nil {
			return protocol.LandResult{}, err
		}
		r := landingOf(l)
		if p.Preview {
			return r, nil
		}
		if l.Strategy != agent.StrategyPatch {
			r.Commit = l.Commit
		}
		s.refresh(session, r.Files)
		return r, nil
	}, nil
}

func landingOf(l agent.Landed) protocol.LandResult {
	r := protocol.LandResult{
		Into: l.Into, Message: l.Message, Files: filesOf(l.Files, false), Strategy: protocol.Strategy(l.Strategy), Checkout: l.Checkout,
		Author: l.Manner.Author, Committer: l.Manner.Committer, Signing: l.Manner.Signing, Hooks: l.Manner.Hooks,
	}
	if l.Strategy == agent.StrategyPatch {
		r.Message = ""
	}
	if l.Push != nil {
		r.Push = &protocol.PushResult{Remote: l.Push.Remote, URL: l.Push.URL, Pushed: l.Push.Done, Reason: l.Push.Reason}
	}
	return r
}

func (s *Server) sessionUnland(p protocol.SessionParams) (wait[protocol.UnlandResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.UnlandResult, error) {
		l, err := session.Unland(ctx, actor)
		s.told(ctx, session)
		if err != nil {
			return protocol.UnlandResult{}, err
		}
		r := protocol.UnlandResult{Into: l.Into, Strategy: protocol.Strategy(l.Strategy), Files: filesOf(l.Files, false)}
		if l.Strategy != agent.StrategyPatch {
			r.Commit = l.Previous
		}
		s.refresh(session, r.Files)
		return r, nil
	}, nil
}

func (s *Server) sessionRevert(p protocol.RevertParams) (wait[protocol.RevertResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	spec := agent.RevertSpec{
		What: string(p.What), Turn: p.Turn, Path: p.Path, Hunk: p.Hunk, Preview: p.Preview, Undo: p.Undo, Actor: actor,
	}
	return func(ctx context.Context) (protocol.RevertResult, error) {
		r, err := session.Revert(ctx, spec)
		s.told(ctx, session)
		if err != nil {
			return protocol.RevertResult{}, err
		}
		return protocol.RevertResult{
			What: protocol.What(r.What), Files: filesOf(r.Files, false), Turns: append([]int{}, r.Turns...), Commit: r.Commit,
		}, nil
	}, nil
}

func (s *Server) sessionSync(p protocol.SyncParams) (wait[protocol.SyncResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	spec := agent.SyncSpec{Onto: p.Onto, Preview: p.Preview, Undo: p.Undo, Actor: actor}
	return func(ctx context.Context) (protocol.SyncResult, error) {
		y, err := session.Sync(ctx, spec)
		s.told(ctx, session)
		if err != nil {
			return protocol.SyncResult{}, err
		}
		r := protocol.SyncResult{
			Base: y.Base, Files: filesOf(y.Files, false), Conflicts: conflictsOf(y.Conflicts), Yielded: y.Yielded, Request: y.Request(),
		}
		if !p.Preview {
			r.Commit = y.Commit
		}
		return r, nil
	}, nil
}

func conflictsOf(conflicts []agent.Conflict) []protocol.FileConflict {
	var out []protocol.FileConflict
	for _, c := range conflicts {
		out = append(out, protocol.FileConflict{Path: c.Path, Kind: c.Kind, Hunks: c.Hunks, Lines: runsOf(c.Lines)})
	}
	return out
}

func runsOf(lines []agent.ConflictLines) []protocol.LineRun {
	var out []protocol.LineRun
	for _, l := range lines {
		out = append(out, protocol.LineRun(l))
	}
	return out
}

func overlapsOf(overlaps []agent.Overlap) []protocol.Overlap {
	var out []protocol.Overlap
	for _, o := range overlaps {
		out = append(out, protocol.Overlap{Session: o.Session, Title: o.Title, Path: o.Path, Lines: runsOf(o.Lines), Whole: o.Whole})
	}
	return out
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
