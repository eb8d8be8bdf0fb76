package provider

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"
	"time"
)

// attempts plays one error per attempt, each behind a chunk; nil completes.
func attempts(errs ...error) func(context.Context) iter.Seq2[Chunk, error] {
	n := 0
	return func(context.Context) iter.Seq2[Chunk, error] {
		return func(yield func(Chunk, error) bool) {
			err := errs[n]
			n++
			if yield(Chunk{Text: "x"}, nil) && err != nil {
				yield(Chunk{}, err)
			}
		}
	}
}

func TestRetry(t *testing.T) {
	again := &Error{Status: 503, Retry: true}
	later := &Error{Status: 429, Retry: true, After: 7 * time.Second}
	never := &Error{Status: 429, Retry: true, After: time.Hour}
	fatal := &Error{Status: 400}
	other := errors.New("denied")
	for name, c := range map[string]struct {
		errs     []error
		attempts int
		want     error
		least    time.Duration
		most     time.Duration
	}{
		"completes at once":           {[]error{nil}, 1, nil, 0, 0},
		"completes the second time":   {[]error{again, nil}, 2, nil, 375 * time.Millisecond, 500 * time.Millisecond},
		"completes the third time":    {[]error{again, again, nil}, 3, nil, 1125 * time.Millisecond, 1500 * time.Millisecond},
		"gives up":                    {[]error{again, again, again}, 3, again, 1125 * time.Millisecond, 1500 * time.Millisecond},
		"waits as it is told":         {[]error{later, nil}, 2, nil, 7 * time.Second, 7 * time.Second},
		"does not believe an hour":    {[]error{never, nil}, 2, nil, 375 * time.Millisecond, 500 * time.Millisecond},
		"a final error":               {[]error{fatal}, 1, fatal, 0, 0},
		"an error of somebody else's": {[]error{other}, 1, other, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				start, n, announced := time.Now(), 0, 0
				var failed error
				for chunk, err := range Retry(t.Context(), attempts(c.errs...)) {
					if err != nil {
						failed = err
						continue
					}
					if chunk == (Chunk{Attempt: n + 1}) {
						announced++
						continue
					}
					n++
					check(t, "attempt", chunk, Chunk{Attempt: n, Text: "x"})
				}
				check(t, "announced", announced, c.attempts-1)
				check(t, "attempts", n, c.attempts)
				if !errors.Is(failed, c.want) {
					t.Errorf("got error %v, want %v", failed, c.want)
				}
				if took := time.Since(start); took < c.least || took > c.most {
					t.Errorf("waited %v, want %v to %v", took, c.least, c.most)
				}
			})
		})
	}
}

func TestRetryIsCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stop := errors.New("stopped by a person")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(stop) })
		start := time.Now()
		var failed error
		for _, err := range Retry(ctx, attempts(&Error{Retry: true, After: 30 * time.Second}, nil)) {
			failed = err
		}
		check(t, "error", failed, stop)
		check(t, "waited", time.Since(start), time.Second)
	})
}

func TestRetryStopsWithItsConsumer(t *testing.T) {
	n := 0
	for range Retry(t.Context(), attempts(&Error{Retry: true}, nil)) {
		n++
		break
	}
	check(t, "chunks", n, 1)
}
