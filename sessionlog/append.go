package sessionlog

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"time"
	"unicode/utf8"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

const (
	// chunkDelay is how long a buffered chunk waits for company.
	chunkDelay = 250 * time.Millisecond
	// chunkBatch is the size at which buffered chunks stop waiting for chunkDelay.
	chunkBatch = 256 << 10
	// chunkLimit bounds the memory of chunks that a stalled disk does not take.
	chunkLimit = 8 << 20
	// envelope is more than the fields around a payload take in a line.
	envelope = 256
	// jsonDepth is how deep the decoder lets JSON nest. A payload just below it is too deep once it stands in a line.
	jsonDepth = 10_000
)

// Receipt stands for events that are placed in the log and not yet known to be on disk.
type Receipt struct {
	done   chan struct{}
	events []event.Event
	err    error
}

// Wait returns when the events are on disk and applied, or will never be. It returns one event for each payload of Enqueue, in order, as a reader of the file gets them; the redact.events that stand between them are left out.
func (r *Receipt) Wait() ([]event.Event, error) {
	<-r.done
	if r.err != nil {
		return nil, r.err
	}
	return r.events, nil
}

// settle tells the waiters; err is nil for events that are on disk.
func (r *Receipt) settle(err error) *Receipt {
	r.err = err
	close(r.done)
	return r
}

// Enqueue places payloads next to each other in the log, which fixes their seq, and does not wait for the disk. Either all of them are placed or none. A payload that cannot be encoded fails its Receipt and leaves the log as it was.
func (w *Writer) Enqueue(ps ...event.Payload) *Receipt {
	r := &Receipt{done: make(chan struct{})}
	drafts, err := w.drafts(ps)
	if err != nil {
		return r.settle(err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.refusalLocked(); err != nil {
		return r.settle(err)
	}
	r.events = make([]event.Event, 0, len(drafts))
	for _, d := range drafts {
		r.events = append(r.events, w.placeLocked(d))
	}
	w.pending.receipts = append(w.pending.receipts, r)
	w.signal()
	return r
}

// Append enqueues payloads and waits until they are on disk, all of them with one sync. Appending nothing is Flush.
func (w *Writer) Append(ps ...event.Payload) ([]event.Event, error) {
	return w.Enqueue(ps...).Wait()
}

// Flush waits until everything that was enqueued or buffered before it is on disk.
func (w *Writer) Flush() error {
	_, err := w.Append()
	return err
}

// Buffer places a chunk of a model's stream, which the stream redactor has already released, and lets it wait for the next durable event, a flush or 250 ms. It waits for the disk only while 8 MiB of earlier events do. It has no result: a chunk that cannot be kept poisons the writer, which shows in Err and in the next append. After that, and after Close, chunks are dropped.
func (w *Writer) Buffer(c event.LLMChunk) {
	d, err := w.draft(c, nil)
	w.mu.Lock()
	defer w.mu.Unlock()
	for err == nil && len(w.pending.lines) > chunkLimit && w.refusalLocked() == nil {
		w.signal()
		w.room.Wait()
	}
	if w.refusalLocked() != nil {
		return
	}
	if err != nil {
		w.poisonLocked(err)
		return
	}
	w.placeLocked(d)
	if len(w.pending.lines) > chunkBatch {
		w.signal()
	}
	if !w.delayed {
		w.delayed = true
		w.delay.Reset(chunkDelay)
	}
}

// draft is an event that lacks only its place in the log.
type draft struct {
	event   event.Event
	removed []redact.Count
}

func (w *Writer) drafts(ps []event.Payload) ([]draft, error) {
	out := make([]draft, 0, len(ps))
	for _, p := range ps {
		d, err := w.draft(p, w.options.Redactor)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

// draft encodes, redacts and reads back a payload. It needs no lock, so large payloads hold up nobody.
func (w *Writer) draft(p event.Payload, r *redact.Redactor) (draft, error) {
	d, err := w.encode(p, r)
	if err != nil {
		return draft{}, fmt.Errorf("append %s to log of session %q: %w", event.KindOf(p), w.session, err)
	}
	return d, nil
}

func (w *Writer) encode(p event.Payload, r *redact.Redactor) (draft, error) {
	raw, err := event.EncodePayload(p)
	if err != nil {
		return draft{}, err
	}
	var removed []redact.Count
	if r != nil {
		out, counts, err := r.JSON(raw)
		if err != nil {
			return draft{}, fmt.Errorf("redact: %w", err)
		}
		raw, removed = out, counts
	}
	if len(raw) > MaxLine-envelope {
		return draft{}, fmt.Errorf("%d bytes are more than the %d that a line holds: shorten it", len(raw), MaxLine-envelope)
	}
	if !utf8.Valid(raw) || bytes.IndexByte(raw, '\n') >= 0 {
		return draft{}, errors.New("encoded payload is not one line of UTF-8")
	}
	e, err := w.readBack(p, raw)
	return draft{event: e, removed: removed}, err
}

// readBack returns the event of an encoded payload as a reader gets it. What the reader would refuse must not reach the file, since it would cost the session everything behind it.
func (w *Writer) readBack(p event.Payload, raw []byte) (event.Event, error) {
	e := event.Event{Seq: 1, Session: w.session, Payload: p, Raw: raw}
	if bytes.Count(raw, []byte("{"))+bytes.Count(raw, []byte("[")) >= jsonDepth {
		line, err := event.AppendLine(nil, e)
		if err != nil {
			return e, err
		}
		return event.DecodeLine(line[:len(line)-1])
	}
	// Otherwise the payload alone decides. Decoding a whole line each time would double what an append costs beside the disk.
	read, err := event.DecodePayload(event.KindOf(p), raw)
	e.Payload = read
	return e, err
}

// placeLocked gives a draft its seq and time and adds its line to the pending batch, followed by a redact.event for each class that was taken out of it.
func (w *Writer) placeLocked(d draft) event.Event {
	d.event.TS = w.options.Now().UTC().Round(0)
	placed := w.addLocked(d.event)
	for _, c := range d.removed {
		where := fmt.Sprintf("%s %d", placed.Kind(), placed.Seq)
		p := event.RedactEvent{Where: where, Class: c.Class, Count: c.N}
		raw, err := event.EncodePayload(p)
		if err != nil {
			w.poisonLocked(err)
		}
		w.addLocked(event.Event{TS: placed.TS, Session: w.session, Payload: p, Raw: raw})
	}
	return placed
}

// addLocked adds the line of e with the next seq. An error poisons, so that a batch which is broken in memory never reaches the file.
func (w *Writer) addLocked(e event.Event) event.Event {
	w.seq++
	e.Seq = w.seq
	lines, err := event.AppendLine(w.pending.lines, e)
	if err != nil {
		w.poisonLocked(err)
	}
	w.pending.lines = lines
	w.pending.events = append(w.pending.events, e)
	return e
}

// refusalLocked says why the writer takes nothing more; nil while it does.
func (w *Writer) refusalLocked() error {
	if w.poison != nil {
		return w.poison
	}
	if w.closing {
		return fmt.Errorf("append to log of session %q: %w", w.session, fs.ErrClosed)
	}
	return nil
}
