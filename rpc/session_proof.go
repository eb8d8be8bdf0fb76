package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// sessionProof reads any log; running the checks again needs the session open here.
func (s *Server) sessionProof(p protocol.ProofParams) (wait[protocol.ProofResult], error) {
	if p.Rerun {
		return s.proveAgain(p.Session)
	}
	return func(ctx context.Context) (protocol.ProofResult, error) { return s.proof(ctx, p.Session) }, nil
}

// proveAgain takes the session on the read path, so that a cancel right behind it finds the checks.
func (s *Server) proveAgain(id string) (wait[protocol.ProofResult], error) {
	session, err := s.agent.Session(id)
	if err != nil {
		return nil, err
	}
	check, err := session.Check()
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.ProofResult, error) {
		err := check(ctx)
		s.told(ctx, session)
		if err != nil {
			return protocol.ProofResult{}, err
		}
		if ctx.Err() != nil {
			ctx = s.base // what the checks came to is the answer, as it is for a turn
		}
		return s.proof(ctx, id)
	}, nil
}

func (s *Server) proof(ctx context.Context, id string) (protocol.ProofResult, error) {
	proved, err := s.agent.Proof(ctx, id)
	return provedOf(proved), err
}

func provedOf(p agent.Proved) protocol.ProofResult {
	r := protocol.ProofResult{
		Turn: p.Turn, Wrote: append([]string{}, p.Proof.Wrote...), DiffStat: []protocol.ProofStat{},
		Items: []protocol.ProvedItem{}, Failed: append([]string{}, p.Proof.Failed...),
	}
	for _, d := range p.Proof.DiffStat {
		r.DiffStat = append(r.DiffStat, protocol.ProofStat(d))
	}
	for _, it := range p.Items {
		r.Items = append(r.Items, protocol.ProvedItem{
			Name: it.Name, Kind: it.Kind, Outcome: it.Outcome, Exit: it.Exit, WallMS: it.WallMS,
			State: protocol.ProofState(it.State), Changed: it.Changed,
		})
	}
	return r
}
