package rpc

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
)

// mouth is an output that takes a write when it is let.
type mouth struct {
	ready bool
	takes chan string
}

func (m *mouth) Write(b []byte) (int, error) {
	m.takes <- string(b)
	return len(b), nil
}

func (m *mouth) Close() error { return nil }

// TestPromisedMessageDoesNotWait: an answer from the read path is written at once or queued, never held up; and nothing is promised while something waits.
func TestPromisedMessageDoesNotWait(t *testing.T) {
	for _, c := range []struct {
		name  string
		ready bool
		body  string
		wrote bool // by whoever had the message
	}{
		{"the client reads", true, "short", true},
		{"the client does not read", false, "short", false},
		{"a long message", true, strings.Repeat("x", 2*maxQueued), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := &mouth{ready: c.ready, takes: make(chan string)}
				o := newOutbox(m, func() bool { return m.ready }, func(error) {})
				ctx, other := context.WithCancel(t.Context())
				defer other()
				check(t, "promise", o.expect(ctx), true)
				put := make(chan error, 1)
				go func() { put <- o.put(ctx, []byte(c.body)) }()
				synctest.Wait()
				check(t, "put is over before anything was taken", len(put) == 1, !c.wrote)
				if c.wrote {
					check(t, "promise while a message is being written", o.expect(ctx), false)
				}
				check(t, "frame", <-m.takes == frame(c.body), true)
				check(t, "error", <-put, nil)
				o.close()
				<-o.done
			})
		})
	}
}

// TestQueueIsOverItsBoundByOneAtMost: a second promise is refused while the first message waits, and a message without one waits for room.
func TestQueueIsOverItsBoundByOneAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &mouth{takes: make(chan string)}
		o := newOutbox(m, nil, func(error) {})
		ctx, stop := context.WithCancel(t.Context())
		body := []byte(strings.Repeat("x", maxQueued-frameHead))
		check(t, "first", o.put(t.Context(), body), nil)
		synctest.Wait() // the writer has taken it, and is stuck
		check(t, "promise", o.expect(ctx), true)
		check(t, "second, which overtook the promise", o.put(t.Context(), body), nil)
		check(t, "promised message", o.put(ctx, body), nil)
		check(t, "another promise", o.expect(ctx), false)
		stop()
		check(t, "message without a promise", fmt.Sprint(o.put(ctx, body)), "wait for the client to read: context canceled")
		for range 2 {
			<-m.takes
		}
		o.close()
		<-o.done
	})
}

// TestWhatCameMeanwhileFollows: messages keep their order around one that is written beside the queue.
func TestWhatCameMeanwhileFollows(t *testing.T) {
	for _, ready := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			m := &mouth{takes: make(chan string)}
			asked := make(chan bool)
			o := newOutbox(m, func() bool { return <-asked }, func(error) {})
			check(t, "promise", o.expect(t.Context()), true)
			go func() { _ = o.put(t.Context(), []byte("first")) }()
			synctest.Wait()
			o.offer([]byte("second"))
			asked <- ready
			var got strings.Builder
			for got.Len() < len(frame("first")+frame("second")) {
				got.WriteString(<-m.takes)
			}
			check(t, fmt.Sprint("order when ready is ", ready), got.String(), frame("first")+frame("second"))
			o.close()
			<-o.done
		})
	}
}
