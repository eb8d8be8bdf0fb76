package rpc

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"
)

// wait is the second half of a request: what may take time. ctx ends when the client cancels the request or is gone.
type wait[R any] func(ctx context.Context) (R, error)

// method accepts a request on the read path and returns its second half.
type method func(s *Server, raw jsontext.Value) (wait[any], error)

// define makes a method of a handler: params are decoded strictly, and the types of both halves are kept.
func define[P params, R any](name string, accept func(*Server, P) (wait[R], error)) method {
	return func(s *Server, raw jsontext.Value) (wait[any], error) {
		p, err := decode[P](name, raw)
		if err != nil {
			return nil, err
		}
		finish, err := accept(s, p)
		if err != nil {
			return nil, named(name, err)
		}
		return func(ctx context.Context) (any, error) {
			r, err := finish(ctx)
			return r, named(name, err)
		}, nil
	}
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
		return result, wireError(err)
	}
	rctx, done, err := s.requests.enter(jsonrpc2.DetachContext(ctx), req.ID())
	if err != nil {
		return nil, wireError(err)
	}
	defer done()
	finish, refused := s.accept(req.Method(), jsontext.Value(req.Params()))
	// From here on the next message is read, also when this one's answer finds a client that does not read.
	jsonrpc2.Async(ctx)
	if refused != nil {
		return nil, wireError(refused)
	}
	if result, err = finish(rctx); err != nil {
		return nil, wireError(err)
	}
	return result, nil
}

func (s *Server) panicked(method string, r any) error {
	s.cfg.Log.Error("panic in handler", "method", method, "panic", r, "stack", string(debug.Stack()))
	return wireError(&codedError{code: jsonrpc2.InternalError, reason: "internal", err: fmt.Errorf("handle %s: internal error; the log of the server has the details", method)})
}

// accept does what a request needs done in the order of arrival.
func (s *Server) accept(name string, raw jsontext.Value) (wait[any], error) {
	if err := s.phase.admit(name); err != nil {
		return nil, err
	}
	if name == lsp.MethodWorkspaceExecuteCommand {
		return s.executeCommand(raw)
	}
	if m, ok := s.methods[name]; ok {
		return m(s, raw)
	}
	return nil, &codedError{code: jsonrpc2.MethodNotFound, reason: "unknown_method", err: fmt.Errorf("there is no method %q here", name)}
}

// maxRequests is how many requests may be in flight. Each holds a goroutine.
const maxRequests = 512

// requests knows what is in flight, so that the client can cancel it.
type requests struct {
	mu     sync.Mutex // guards the fields below
	cancel map[jsonrpc2.ID]context.CancelCauseFunc
	empty  chan struct{} // closed when nothing is in flight; nil while nobody waits for that
}

// enter registers a request. done must be called when its answer is known.
func (r *requests) enter(base context.Context, id jsonrpc2.ID) (ctx context.Context, done func(), err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		r.cancel = make(map[jsonrpc2.ID]context.CancelCauseFunc)
	}
	if len(r.cancel) >= maxRequests {
		return nil, nil, &codedError{code: jsonrpc2.Code(lsp.LSPErrorCodesRequestFailed), reason: "too_many_requests", err: fmt.Errorf("%d requests are waiting for their answers: wait for one of them", maxRequests)}
	}
	if _, twice := r.cancel[id]; twice {
		return nil, nil, &codedError{code: jsonrpc2.InvalidRequest, reason: "id_in_use", err: fmt.Errorf("a request with the id %q is in flight: give each its own", id)}
	}
	ctx, cancel := context.WithCancelCause(base)
	r.cancel[id] = cancel
	return ctx, func() { r.leave(id, cancel) }, nil
}

func (r *requests) leave(id jsonrpc2.ID, cancel context.CancelCauseFunc) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.cancel, id)
	cancel(nil)
	if len(r.cancel) == 0 && r.empty != nil {
		close(r.empty)
		r.empty = nil
	}
}

// idle waits until nothing is in flight, or ctx ends.
func (r *requests) idle(ctx context.Context) {
	r.mu.Lock()
	if len(r.cancel) == 0 {
		r.mu.Unlock()
		return
	}
	if r.empty == nil {
		r.empty = make(chan struct{})
	}
	empty := r.empty
	r.mu.Unlock()
	select {
	case <-empty:
	case <-ctx.Done():
	}
}

// stop cancels a request that is in flight; others are left alone.
func (r *requests) stop(id jsonrpc2.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel, ok := r.cancel[id]; ok {
		cancel(errRequestCancelled)
	}
}
