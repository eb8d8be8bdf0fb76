package rpc

import (
	"context"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

func (s *Server) sessionMode(p protocol.ModeParams) (wait[protocol.State], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.State, error) {
		if err := session.SetMode(ctx, string(p.Mode), actor); err != nil {
			return protocol.State{}, err
		}
		s.told(ctx, session)
		return stateOf(session.ID(), session.State()), nil
	}, nil
}

// sessionContinue starts the turn on the read path, as a prompt does.
func (s *Server) sessionContinue(p protocol.SessionParams) (wait[protocol.TurnResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	turn, err := session.Continue(actor)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.TurnResult, error) { return s.finishTurn(ctx, session, turn) }, nil
}

// sessionQueue works on the read path: a prompt before it waits already, and one behind it does not yet.
func (s *Server) sessionQueue(p protocol.QueueParams) (wait[protocol.QueueResult], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	edits := make([]agent.Queued, 0, len(p.Edit))
	for _, e := range p.Edit {
		edits = append(edits, agent.Queued(e))
	}
	queue, err := session.EditQueue(edits, p.Drop)
	if err != nil {
		return nil, err
	}
	r := protocol.QueueResult{Queue: []protocol.QueuedPrompt{}}
	for _, q := range queue {
		r.Queue = append(r.Queue, protocol.QueuedPrompt(q))
	}
	return func(context.Context) (protocol.QueueResult, error) { return r, nil }, nil
}

// sessionSteer accepts the message on the read path: an answer behind it may let the turn go on.
func (s *Server) sessionSteer(p protocol.SteerParams) (wait[protocol.Nothing], error) {
	session, err := s.agent.Session(p.Session)
	if err != nil {
		return nil, err
	}
	steering, err := session.Steer(p.Turn, p.Text, actor)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) (protocol.Nothing, error) {
		err := steering.Wait(ctx)
		if err == nil {
			s.told(ctx, session)
		}
		return protocol.Nothing{}, err
	}, nil
}

func (s *Server) sessionTrail(p protocol.TrailParams) (wait[protocol.TrailResult], error) {
	return func(context.Context) (protocol.TrailResult, error) {
		turn, steps, err := s.agent.Trail(p.Session, p.Turn)
		if err != nil {
			return protocol.TrailResult{}, err
		}
		r := protocol.TrailResult{Turn: turn, Steps: []protocol.TrailStep{}}
		for _, st := range steps {
			r.Steps = append(r.Steps, protocol.TrailStep{Text: st.Text, State: st.State, Calls: append([]string{}, st.Calls...)})
		}
		if p.Call == "" {
			return r, nil
		}
		output, live, err := s.agent.Output(p.Session, p.Call)
		r.Output, r.Live = &output, live
		return r, err
	}, nil
}
