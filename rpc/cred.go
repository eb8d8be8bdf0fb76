package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

func (s *Server) credRegister(p protocol.CredRegisterParams) (wait[protocol.CredResult], error) {
	return func(ctx context.Context) (protocol.CredResult, error) {
		if err := s.agent.RegisterCredential(ctx, p.Class, p.Value, actor); err != nil {
			return protocol.CredResult{}, err
		}
		return s.credentials(ctx)
	}, nil
}

func (s *Server) credList(protocol.Nothing) (wait[protocol.CredResult], error) {
	return s.credentials, nil
}

func (s *Server) credRemove(p protocol.CredParams) (wait[protocol.CredResult], error) {
	return func(ctx context.Context) (protocol.CredResult, error) {
		if err := s.agent.RemoveCredential(ctx, p.Class, actor); err != nil {
			return protocol.CredResult{}, err
		}
		return s.credentials(ctx)
	}, nil
}

func (s *Server) credentials(ctx context.Context) (protocol.CredResult, error) {
	list, err := s.agent.Credentials(ctx)
	r := protocol.CredResult{Credentials: []protocol.Credential{}}
	for _, c := range list {
		r.Credentials = append(r.Credentials, protocol.Credential(c))
	}
	return r, err
}
