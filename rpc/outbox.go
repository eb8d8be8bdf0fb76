package rpc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"sync"
)

// maxQueued is how many bytes may wait for a client that does not read. One message may be larger when nothing else waits.
const maxQueued = 1 << 20

// errWriterClosed is given to a message that came after the end.
var errWriterClosed = errors.New("connection is closed")

// outbox is a bounded queue of framed messages with one goroutine that writes them.
type outbox struct {
	w io.WriteCloser
	// writable is Config.Writable.
	writable func() bool
	// broken is told why nothing more can be written.
	broken context.CancelCauseFunc
	// ready holds a token when the writer has something to look at.
	ready chan struct{}
	// done is closed when the writer has ended.
	done chan struct{}

	// mu guards the fields below. No I/O happens under it.
	mu     sync.Mutex
	queue  []byte
	err    error           // why nothing more is taken
	room   chan struct{}   // closed and replaced whenever the queue was taken
	exempt context.Context // the message with this context does not wait; nil for none
	now    bool            // a message is being written beside the writer, which waits for that
	closed bool

	// frame is the buffer of whoever set now.
	frame []byte
}

// newOutbox starts the writer goroutine, which flush waits for.
func newOutbox(w io.WriteCloser, writable func() bool, broken context.CancelCauseFunc) *outbox {
	o := &outbox{w: w, writable: writable, broken: broken, ready: make(chan struct{}, 1), done: make(chan struct{}), room: make(chan struct{})}
	go o.write()
	return o
}

// put queues a message. A full queue is waited for, until ctx ends.
func (o *outbox) put(ctx context.Context, body []byte) error {
	if o.begin(ctx, len(body)) {
		return o.writeNow(body)
	}
	for {
		room, err := o.try(ctx, body)
		if err != nil || room == nil {
			return err
		}
		select {
		case <-room:
		case <-ctx.Done():
			return fmt.Errorf("wait for the client to read: %w", context.Cause(ctx))
		}
	}
}

// offer queues a message if there is room.
func (o *outbox) offer(body []byte) {
	_, _ = o.try(context.Background(), body)
}

// try queues a message, or returns the channel that tells of room.
func (o *outbox) try(ctx context.Context, body []byte) (<-chan struct{}, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err != nil {
		return nil, o.err
	}
	waits := len(o.queue) > 0 && len(o.queue)+len(body) > maxQueued
	if waits && ctx != o.exempt {
		return o.room, nil
	}
	o.queue = appendFrame(o.queue, body)
	o.signal()
	return nil, nil
}

func appendFrame(dst, body []byte) []byte {
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}

// close refuses further messages and lets the writer end behind those that are queued.
func (o *outbox) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed = true
	if o.err == nil {
		o.err = errWriterClosed
	}
	o.signal()
}

// flush waits for the writer to end. A client that does not read until ctx ends loses the rest.
func (o *outbox) flush(ctx context.Context) error {
	select {
	case <-o.done:
		return nil
	case <-ctx.Done():
	}
	if err := o.w.Close(); err != nil {
		return fmt.Errorf("close output: %w", err)
	}
	return fmt.Errorf("write to client: %w", context.Cause(ctx))
}

// write is the writer goroutine. It swaps two buffers, so that messages are queued while others are written.
func (o *outbox) write() {
	defer close(o.done)
	var spare []byte
	for range o.ready {
		batch, last := o.take(spare)
		if len(batch) > 0 {
			if _, err := o.w.Write(batch); err != nil {
				o.fail(fmt.Errorf("write to client: %w", err))
				return
			}
		}
		if last {
			return
		}
		spare = batch[:0]
		if cap(spare) > maxQueued {
			spare = nil
		}
	}
}

// take returns what is queued, and whether nothing can follow.
func (o *outbox) take(spare []byte) ([]byte, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.now {
		return nil, false // whoever writes says when that is over
	}
	batch := o.queue
	o.queue = spare
	close(o.room)
	o.room = make(chan struct{})
	return batch, o.closed
}

func (o *outbox) fail(err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.err = err
	close(o.room)
	o.room = make(chan struct{})
	o.broken(err)
}

func (o *outbox) signal() {
	select {
	case o.ready <- struct{}{}:
	default:
	}
}
