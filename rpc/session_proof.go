package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// sessionProof reads any log; running the checks again needs the session open here.
func (s *Server) sessionProof(p protocol.ProofParams) (wait[protocol.ProofResult], error) {
	var session *agent.Session
	if p.Rerun {
		var err error
		if session, err = s.agent.Session(p.Session); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (protocol.ProofResult, error) {
		if session != nil {
			err := session.Check(ctx)
			s.told(ctx, session)
			if err != nil {
				return protocol.ProofResult{}, err
			}
		}
		proved, err := s.agent.Proof(ctx, p.Session)
		return provedOf(proved), err
	}, nil
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
