package anthropic

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// decoder turns one stream into chunks.
type decoder struct {
	emit provider.Emit
	// id is the message that the stream began with.
	id provider.Word
	// again says that another message began when the first had content.
	again bool
	// open are the blocks that have not ended, by the server's index; seen are all indexes that there were.
	open map[int]*blockState
	seen map[int]bool
	// latest is the block that began last.
	latest *blockState
	// text counts the bytes of text, calls the calls.
	text, calls int
	usage       usage
	stop        string
	// explanation is why the server stopped the reply.
	explanation string
}

// blockState is a block that is arriving.
type blockState struct {
	kind provider.Word
	// call is the place of a tool_use among the calls; input is what it began with, and holds as long as no piece arrives.
	call  int
	input jsontext.Value
	// thought is a thinking block in the making, with text for its text.
	thought thought
	text    strings.Builder
}

// run reads the stream to its mark.
func (d *decoder) run(r io.Reader) error {
	for e, err := range provider.ServerEvents(r) {
		if err != nil {
			return provider.Broken(err.Error())
		}
		var p streamEvent
		if err := provider.Decode([]byte(e.Data), &p); err != nil || p.failed() || e.Name == "error" {
			return unusable(e, err)
		}
		if done, err := d.event(&p, cmp.Or(string(p.Type), e.Name)); done || err != nil {
			return err
		}
	}
	return provider.Broken("the stream ended without its message_stop")
}

// unusable returns the error of an event that is an error or nothing known.
func unusable(e provider.ServerEvent, err error) error {
	f := provider.ReadFailure([]byte(e.Data))
	if err != nil && !f.Found && e.Name != "error" {
		return provider.Broken(fmt.Sprintf("the stream holds what is no event: %v", err))
	}
	return provider.StreamError(f.Code, f.Message)
}

// event handles one event by its type. It reports whether the message is complete; types that nobody knows yet are passed over.
func (d *decoder) event(e *streamEvent, kind string) (done bool, err error) {
	switch kind {
	case "message_start":
		d.again = d.again || len(d.seen) > 0 && e.Message.ID != d.id
		d.id = e.Message.ID
		return false, d.count(e.Message.Usage)
	case "content_block_start":
		return false, d.begin(e)
	case "content_block_delta":
		return false, d.piece(e)
	case "content_block_stop":
		return false, d.end(d.index(e))
	case "message_delta":
		d.stop = cmp.Or(string(e.Delta.StopReason), d.stop)
		d.explanation = cmp.Or(string(e.Delta.StopDetails.Explanation), d.explanation)
		return false, d.count(e.Usage)
	case "message_stop":
		return true, d.done()
	}
	return false, nil
}

func (d *decoder) count(u *usage) error {
	if u == nil {
		return nil
	}
	d.usage.add(u)
	return d.emit(provider.Chunk{Usage: new(d.usage.neutral())})
}

// index is the server's index of the block that an event is about. Without one it is the block that began last.
func (d *decoder) index(e *streamEvent) int {
	if e.Index != nil {
		return *e.Index
	}
	for i, b := range d.open {
		if b == d.latest {
			return i
		}
	}
	return len(d.seen)
}

// begin opens a block. A second message that counts its blocks anew is another reply, and whoever put it there has lost the rest of the first; one that goes on is only noise. A server that gives each block the same index ends one with the next.
func (d *decoder) begin(e *streamEvent) error {
	i := len(d.seen)
	if e.Index != nil {
		i = *e.Index
	}
	if d.again && d.seen[i] {
		return provider.Broken("a second reply begins in the middle of the first")
	}
	if err := d.end(i); err != nil {
		return err
	}
	c := &e.Block
	b := &blockState{kind: c.Type, thought: thought{Text: d.text, Calls: d.calls}}
	d.open[i], d.seen[i], d.latest = b, true, b
	switch c.Type {
	case "text":
		return d.say(c.Text)
	case "thinking":
		return d.think(b, c.Thinking, c.Signature)
	case "redacted_thinking":
		b.thought.Block.Data = string(c.Data)
	case "tool_use":
		b.call, b.input = d.calls, c.Input
		d.calls++
		return d.emit(provider.Chunk{Call: &provider.CallPiece{Index: b.call, ID: string(c.ID), Name: string(c.Name)}})
	}
	return nil
}

// piece adds to a block. What belongs to a kind of block that was not asked for is passed over.
func (d *decoder) piece(e *streamEvent) error {
	b := d.open[d.index(e)]
	if b == nil {
		return provider.Broken("the stream goes on with a block that never began")
	}
	switch b.kind {
	case "text":
		return d.say(e.Delta.Text)
	case "thinking":
		return d.think(b, e.Delta.Thinking, e.Delta.Signature)
	case "tool_use":
		if e.Delta.PartialJSON == "" {
			return nil
		}
		b.input = nil
		return d.emit(provider.Chunk{Call: &provider.CallPiece{Index: b.call, Args: string(e.Delta.PartialJSON)}})
	}
	return nil
}

func (d *decoder) say(text provider.Word) error {
	d.text += len(text)
	return d.emit(provider.Chunk{Text: string(text)})
}

func (d *decoder) think(b *blockState, text, signature provider.Word) error {
	b.text.WriteString(string(text))
	b.thought.Block.Signature += string(signature)
	return d.emit(provider.Chunk{Thinking: string(text)})
}

// end closes a block if it is open. A thought without a signature broke off, and the API would not take it back.
func (d *decoder) end(i int) error {
	b := d.open[i]
	if b == nil {
		return nil
	}
	delete(d.open, i)
	switch {
	case b.kind == "tool_use" && len(b.input) > 0:
		return d.emit(provider.Chunk{Call: &provider.CallPiece{Index: b.call, Args: string(b.input)}})
	case b.kind == "thinking" && b.thought.Block.Signature != "":
		b.thought.Block.Thinking = new(b.text.String())
		return d.keep(b)
	case b.kind == "redacted_thinking":
		return d.keep(b)
	}
	return nil
}

func (d *decoder) keep(b *blockState) error {
	b.thought.Block.Type = string(b.kind)
	o, err := b.thought.keep()
	if err != nil {
		return provider.Broken(fmt.Sprintf("keep a block of thinking: %v", err))
	}
	return d.emit(provider.Chunk{Opaque: &o})
}

// done ends a message whose mark has come.
func (d *decoder) done() error {
	if d.stop == "" {
		return provider.Broken("the stream ended without a stop reason")
	}
	for _, i := range slices.Sorted(maps.Keys(d.open)) {
		if err := d.end(i); err != nil {
			return err
		}
	}
	stop := d.logStop()
	if stop == "refusal" && d.text == 0 {
		if err := d.emit(provider.Chunk{Text: d.explanation}); err != nil {
			return err
		}
	}
	return d.emit(provider.Chunk{Stop: stop, StopRaw: d.stop})
}

// logStop returns the log's word for the stop reason. A pause_turn is an end: it interrupts tools that run on the server, none of which is ever asked for, so there is nothing to go on with but the next request.
func (d *decoder) logStop() string {
	switch d.stop {
	case "max_tokens":
		return "length"
	case "refusal":
		return "refusal"
	case "model_context_window_exceeded":
		return "context"
	}
	if d.calls > 0 {
		return "tool_calls"
	}
	return "end"
}
