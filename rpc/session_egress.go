package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

func (s *Server) sessionEgress(p protocol.EgressParams) (wait[protocol.EgressResult], error) {
	return func(context.Context) (protocol.EgressResult, error) {
		rows, err := s.agent.Egress(p.Session, p.Turn)
		r := protocol.EgressResult{Egress: []protocol.EgressRow{}}
		for _, row := range rows {
			r.Egress = append(r.Egress, protocol.EgressRow(row))
		}
		return r, err
	}, nil
}
