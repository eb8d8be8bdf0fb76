package rpc

import (
	"context"
	"fmt"
	"runtime/debug"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"
)

// wait is the second half of a request: what may take time. ctx ends when the client cancels the request or is gone.
type wait[R any] func(ctx context.Context) (R, error)

// accepted is what the first half of a request came to: a result that was at hand, or the second half.
type accepted struct {
	result jsontext.Value
	finish wait[jsontext.Value] // nil when there is a result
}

// method accepts a request on the read path.
type method func(s *Server, raw jsontext.Value) (accepted, error)

// define makes a method of a handler: params are decoded strictly, and the types of both halves are kept.
func define[P params, R any](name string, accept func(*Server, P) (wait[R], error)) method {
	return func(s *Server, raw jsontext.Value) (accepted, error) {
		p, err := decode[P](name, raw)
		if err != nil {
			return accepted{}, err
		}
		return acceptedAs(s, name, p, accept)
	}
}

// defineAtHand makes a method of a handler that some requests need not wait for: atHand answers those on the read path, from memory, and leaves the others to accept.
func defineAtHand[P params, R any](name string, atHand func(*Server, P) (R, bool), accept func(*Server, P) (wait[R], error)) method {
	return func(s *Server, raw jsontext.Value) (accepted, error) {
		p, err := decode[P](name, raw)
		if err != nil {
			return accepted{}, err
		}
		if r, ok := atHand(s, p); ok {
			result, err := encode(name, r)
			return accepted{result: result}, err
		}
		return acceptedAs(s, name, p, accept)
	}
}

func acceptedAs[P params, R any](s *Server, name string, p P, accept func(*Server, P) (wait[R], error)) (accepted, error) {
	finish, err := accept(s, p)
	if err != nil {
		return accepted{}, named(name, err)
	}
	return accepted{finish: func(ctx context.Context) (jsontext.Value, error) {
		r, err := finish(ctx)
		if err != nil {
			return nil, named(name, err)
		}
		return encode(name, r)
	}}, nil
}

// handle is the one handler of the connection. It runs on the read path until Async, and from there beside it.
func (s *Server) handle(ctx context.Context, req *jsonrpc2.Request) (result any, err error) {
	defer func() {
		// A panic costs one request and not the server. The method is read here, since it is borrowed until Async and owned behind it.
		if r := recover(); r != nil {
			err = s.panicked(req.Method(), r)
		}
	}()
	if !req.IsCall() {
		s.notified(req)
		return nil, nil
	}
	if result, ok, err := s.lifecycle(req.Method(), jsontext.Value(req.Params())); ok {
		return result, s.refusal(err)
	}
	if err := s.requests.enter(req.ID()); err != nil {
		return nil, s.refusal(err)
	}
	defer s.requests.leave(req.ID())
	first, err := s.accept(req.Method(), jsontext.Value(req.Params()))
	if first.finish == nil && s.stream.out.expect(ctx) {
		return answer(first.result, s.refusal(err)) // at once, since its answer will not wait for a client that does not read
	}
	rctx := s.requests.cancellable(jsonrpc2.DetachContext(ctx), req.ID())
	// From here on the next message is read, also when this one's answer finds a client that does not read.
	jsonrpc2.Async(ctx)
	if first.finish != nil {
		first.result, err = first.finish(rctx)
	}
	return answer(first.result, s.refusal(err))
}

// answer keeps an error from coming with a result.
func answer(result jsontext.Value, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return result, nil
}

func (s *Server) panicked(method string, r any) error {
	s.cfg.Log.Error("panic in handler", "method", method, "panic", r, "stack", string(debug.Stack()))
	return s.refusal(fmt.Errorf("handle %s: internal error; the log of the server has the details", method))
}

// accept does what a request needs done in the order of arrival.
func (s *Server) accept(name string, raw jsontext.Value) (accepted, error) {
	if err := s.phase.admit(name); err != nil {
		return accepted{}, err
	}
	if name == lsp.MethodWorkspaceExecuteCommand {
		return s.executeCommand(raw)
	}
	if m, ok := s.methods[name]; ok {
		return m(s, raw)
	}
	return accepted{}, fmt.Errorf("handle %q: %w", name, errUnknownMethod)
}
