package rpc

import (
	"context"
	"sync"
)

// tally counts what is under way. Unlike a sync.WaitGroup it can be waited for with a limit and without a goroutine.
type tally struct {
	mu    sync.Mutex // guards the fields below
	n     int
	empty chan struct{} // closed when n is 0 again; nil while nobody waits for that
}

// Go runs f and counts it.
func (t *tally) Go(f func()) {
	t.add()
	go func() {
		defer t.done()
		f()
	}()
}

func (t *tally) add() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n++
}

func (t *tally) done() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if t.n == 0 && t.empty != nil {
		close(t.empty)
		t.empty = nil
	}
}

// none waits until nothing is under way, and reports whether that came before the end of ctx.
func (t *tally) none(ctx context.Context) bool {
	t.mu.Lock()
	if t.n == 0 {
		t.mu.Unlock()
		return true
	}
	if t.empty == nil {
		t.empty = make(chan struct{})
	}
	empty := t.empty
	t.mu.Unlock()
	select {
	case <-empty:
		return true
	case <-ctx.Done():
		return false
	}
}
