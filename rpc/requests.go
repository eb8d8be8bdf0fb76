package rpc

import (
	"context"
	"fmt"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

// maxRequests is how many requests may be in flight. Each holds a goroutine.
const maxRequests = 512

// requests knows what is in flight, so that the client can cancel it.
type requests struct {
	mu     sync.Mutex // guards cancel
	cancel map[jsonrpc2.ID]context.CancelCauseFunc
	flying tally
}

// enter registers a request. leave must be called when its answer is known.
func (r *requests) enter(id jsonrpc2.ID) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cancel == nil {
		r.cancel = make(map[jsonrpc2.ID]context.CancelCauseFunc)
	}
	if len(r.cancel) >= maxRequests {
		return fmt.Errorf("take request %q beside %d others: %w", id, maxRequests, errTooMany)
	}
	if _, twice := r.cancel[id]; twice {
		return fmt.Errorf("take request %q while one with that id waits for its answer: %w", id, errIDInUse)
	}
	r.cancel[id] = nil
	r.flying.add()
	return nil
}

// cancellable returns the context of a request that waits. It is called before the next message is read, so that no cancellation comes too early.
func (r *requests) cancellable(base context.Context, id jsonrpc2.ID) context.Context {
	ctx, cancel := context.WithCancelCause(base)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cancel[id] = cancel
	return ctx
}

func (r *requests) leave(id jsonrpc2.ID) {
	r.mu.Lock()
	cancel := r.cancel[id]
	delete(r.cancel, id)
	r.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	r.flying.done()
}

// stop cancels a request that is in flight; others are left alone.
func (r *requests) stop(id jsonrpc2.ID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if cancel := r.cancel[id]; cancel != nil {
		cancel(errRequestCancelled)
	}
}
