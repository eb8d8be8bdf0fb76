package sessionlog

import (
	"fmt"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// keptBuffer is the largest line buffer that is used again: one huge result must not hold its memory for the rest of the session.
const keptBuffer = 1 << 20

// batch is what one write and one sync make durable.
type batch struct {
	lines    []byte
	events   []event.Event
	receipts []*Receipt
}

// emptied returns b without content, ready to be filled again.
func (b batch) emptied() batch {
	clear(b.events)
	clear(b.receipts)
	if cap(b.lines) > keptBuffer {
		b.lines = nil
	}
	return batch{lines: b.lines[:0], events: b.events[:0], receipts: b.receipts[:0]}
}

// signal wakes the goroutine; one signal stands for all that come before it is heard.
func (w *Writer) signal() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// run is the writer's goroutine: it commits whatever is pending until the writer closes. Two batches take turns, one being filled while the other is written.
func (w *Writer) run() {
	defer close(w.done)
	var spare batch
	for {
		select {
		case <-w.wake:
		case <-w.delay.C:
		}
		b, last := w.take(spare)
		w.commit(b)
		if last {
			return
		}
		spare = b.emptied()
	}
}

// take returns the pending batch and puts spare in its place. last says that nothing can come after it.
func (w *Writer) take(spare batch) (b batch, last bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	b, w.pending = w.pending, spare
	if w.delayed {
		w.delayed = false
		w.delay.Stop()
	}
	w.room.Broadcast()
	return b, w.closing
}

// commit makes a batch durable, tells of its events in order, and then wakes those who wait for it.
func (w *Writer) commit(b batch) {
	err := w.store(b.lines)
	if err == nil {
		for _, e := range b.events {
			w.options.Applied(e)
		}
	}
	for _, r := range b.receipts {
		r.settle(err)
	}
}

// store writes and syncs lines. A log that is poisoned is not touched.
func (w *Writer) store(lines []byte) error {
	if err := w.Err(); err != nil || len(lines) == 0 {
		return err
	}
	_, err := w.file.Write(lines)
	if err == nil {
		err = syncData(w.file)
	}
	if err == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.poisonLocked(err)
	return w.poison
}

// poisonLocked ends the life of the log for good. What is pending is failed by the goroutine, which is the only one to settle receipts that were placed.
func (w *Writer) poisonLocked(err error) {
	if w.poison == nil {
		w.poison = fmt.Errorf("append to log of session %q: %w (the session stops here; mend the cause and resume it)", w.session, err)
	}
	w.room.Broadcast()
	w.signal()
}
