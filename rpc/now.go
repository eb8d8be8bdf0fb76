package rpc

import (
	"context"
	"fmt"
)

// maxNow is the largest frame that is written beside the queue; Config.Writable speaks of that much.
const maxNow = 4096

// frameHead is more than the header of a frame takes.
const frameHead = 64

// expect promises that the message with this context will not wait, and reports whether it could: while something waits for the client, nothing is promised. So the queue is never more than one message over its bound, and the read path can answer by itself.
func (o *outbox) expect(ctx context.Context) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.exempt = nil
	if len(o.queue) > 0 || o.now {
		return false
	}
	o.exempt = ctx
	return true
}

// begin reports whether the message with this context can be written by whoever has it, which spares the way through the writer: it was promised, nothing stands before it, and the client reads. writeNow has to follow.
func (o *outbox) begin(ctx context.Context, size int) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.exempt == nil || o.exempt != ctx || o.err != nil || o.now || len(o.queue) > 0 {
		return false
	}
	if size > maxNow-frameHead || o.writable == nil {
		return false
	}
	o.exempt, o.now = nil, true
	return true
}

// writeNow writes a message that begin let through, or queues it when the client does not read after all.
func (o *outbox) writeNow(body []byte) error {
	var err error
	sent := o.writable()
	if sent {
		o.frame = appendFrame(o.frame[:0], body)
		_, err = o.w.Write(o.frame)
	}
	o.mu.Lock()
	o.now = false
	if !sent {
		o.queue = append(appendFrame(nil, body), o.queue...) // what came meanwhile stands behind it
	}
	if len(o.queue) > 0 || o.closed {
		o.signal()
	}
	o.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("write to client: %w", err)
		o.fail(err)
	}
	return err
}
