package provider

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"time"
)

// The rules for retries are those of the vendors' own clients.
const (
	maxAttempts = 3
	firstPause  = 500 * time.Millisecond
	maxPause    = 8 * time.Second
	// maxAfter is the longest wait that a server can ask for; a longer one is not believed.
	maxAfter = time.Minute
)

// Retry runs a request until an attempt completes, at most three times. An attempt that fails with a retryable *Error is followed by a pause and the next one, which is announced by an empty chunk of a higher number that voids what was sent before. Any other error, the last attempt's error, and the cause of a cancelled ctx end the sequence.
func Retry(ctx context.Context, attempt func(context.Context) iter.Seq2[Chunk, error]) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		for n := 1; ; n++ {
			failed, stopped := run(ctx, n, attempt, yield)
			if stopped || failed == nil {
				return
			}
			if err := again(ctx, n, failed); err != nil {
				yield(Chunk{}, err)
				return
			}
		}
	}
}

// run passes one attempt on. It reports the attempt's error, and whether the consumer has had enough.
func run(ctx context.Context, n int, attempt func(context.Context) iter.Seq2[Chunk, error], yield func(Chunk, error) bool) (failed error, stopped bool) {
	if n > 1 && !yield(Chunk{Attempt: n}, nil) {
		return nil, true
	}
	for c, err := range attempt(ctx) {
		if err != nil {
			return err, false
		}
		c.Attempt = n
		if !yield(c, nil) {
			return nil, true
		}
	}
	return nil, false
}

// again waits for the next attempt. It returns an error when there is none.
func again(ctx context.Context, n int, failed error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	e, ok := errors.AsType[*Error](failed)
	if !ok || !e.Retry {
		return failed
	}
	if n == maxAttempts {
		return fmt.Errorf("%d attempts: %w", n, failed)
	}
	timer := time.NewTimer(pause(n, e.After))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// pause is how long to wait after the nth attempt. Up to a quarter is left to chance, so that clients which failed together do not come back together.
func pause(n int, after time.Duration) time.Duration {
	if after > 0 && after <= maxAfter {
		return after
	}
	full := min(firstPause<<(n-1), maxPause)
	return full - time.Duration(rand.Int64N(int64(full/4)))
}
