package rpc

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// TestTallyIsWaitedForWithALimit: whoever waits goes on when nothing is under way, or at the end of its time.
func TestTallyIsWaitedForWithALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var w tally
		check(t, "nothing was started", w.none(t.Context()), true)
		release := make(chan struct{})
		for range 2 {
			w.Go(func() { <-release })
		}
		short, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		check(t, "the time ends first", w.none(short), false)
		ended := make(chan bool, 2)
		for range 2 {
			go func() { ended <- w.none(t.Context()) }()
		}
		synctest.Wait()
		check(t, "waiters before the end", len(ended), 0)
		release <- struct{}{}
		synctest.Wait()
		check(t, "waiters before the last end", len(ended), 0)
		release <- struct{}{}
		check(t, "one waiter behind it", <-ended, true)
		check(t, "the other", <-ended, true)
		check(t, "nothing is left", w.none(t.Context()), true)
	})
}
