package rpc

import (
	"context"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

func (s *Server) sessionApprovals(p protocol.SessionParams) (wait[protocol.ApprovalsResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	return func(context.Context) (protocol.ApprovalsResult, error) {
		list, err := session.Allowed()
		return approvalsOf(list), err
	}, nil
}

func (s *Server) sessionRevoke(p protocol.RevokeParams) (wait[protocol.ApprovalsResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.ApprovalsResult, error) {
		gone, err := session.Revoke(ctx, agent.RevokeSpec{Op: p.Op, Prefix: p.Prefix, Path: p.Path}, actor)
		return approvalsOf(gone), err
	}, nil
}

func sinceOf(at time.Time) string {
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339)
}

func approvalsOf(list []agent.Allowed) protocol.ApprovalsResult {
	r := protocol.ApprovalsResult{Approvals: []protocol.Approval{}}
	for _, v := range list {
		a := protocol.Approval{
			Words: v.Words, Op: string(v.Op), Scope: string(v.Scope), Prefix: v.Argv, Begins: v.Prefix, Path: v.Path, Cwd: v.Cwd, Actor: v.Actor, Since: sinceOf(v.At),
		}
		if v.Configured {
			a.Scope = "configured"
		}
		r.Approvals = append(r.Approvals, a)
	}
	return r
}
