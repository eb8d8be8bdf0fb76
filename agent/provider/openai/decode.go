package openai

import (
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// decoder turns one stream into chunks.
type decoder struct {
	emit provider.Emit
	// finish is the first finish reason.
	finish string
	// refused says that the text is a refusal.
	refused bool
	calls   []*callState
}

// callState is a tool call in the order of the reply. Its place in the list is its index in chunks.
type callState struct {
	// index is what the server calls it by; -1 when it gives none.
	index int
	id    string
	args  strings.Builder
}

// run reads the stream to its mark.
func (d *decoder) run(r io.Reader) error {
	for e, err := range provider.ServerEvents(r) {
		if err != nil {
			return provider.Broken(err.Error())
		}
		if e.Data == "[DONE]" {
			return d.done()
		}
		if err := d.event(e); err != nil {
			return err
		}
	}
	if d.finish != "" {
		return provider.Broken("the stream ended without its [DONE] mark")
	}
	return provider.Broken("the stream ended in the middle of the reply")
}

func (d *decoder) event(e provider.ServerEvent) error {
	var p piece
	if err := provider.Decode([]byte(e.Data), &p); err != nil {
		if e.Name == "error" {
			return provider.StreamError("", e.Data)
		}
		return provider.Broken(fmt.Sprintf("the stream holds what is no chunk: %v", err))
	}
	if p.failed() || e.Name == "error" {
		f := provider.ReadFailure([]byte(e.Data))
		return provider.StreamError(f.Code, f.Message)
	}
	if u := p.anyUsage(); u != nil {
		if err := d.emit(provider.Chunk{Usage: new(u.neutral())}); err != nil {
			return err
		}
	}
	for _, c := range p.Choices {
		if c.Index != 0 {
			continue
		}
		if err := d.choice(c); err != nil {
			return err
		}
	}
	return nil
}

// anyUsage finds the usage where the servers put it.
func (p *piece) anyUsage() *usage {
	if p.Usage != nil {
		return p.Usage
	}
	if p.Groq != nil && p.Groq.Usage != nil {
		return p.Groq.Usage
	}
	for _, c := range p.Choices {
		if c.Usage != nil {
			return c.Usage
		}
	}
	return nil
}

func (d *decoder) choice(c choice) error {
	thinking := c.Delta.ReasoningContent
	if thinking == "" {
		thinking = c.Delta.Reasoning
	}
	d.refused = d.refused || c.Delta.Refusal != ""
	if err := d.emit(provider.Chunk{Thinking: string(thinking)}); err != nil {
		return err
	}
	if err := d.emit(provider.Chunk{Text: string(c.Delta.Content + c.Delta.Refusal)}); err != nil {
		return err
	}
	if f := c.Delta.FunctionCall; f != nil {
		c.Delta.ToolCalls = append(c.Delta.ToolCalls, toolCall{Index: new(int), Function: *f})
	}
	for _, t := range c.Delta.ToolCalls {
		if err := d.call(t); err != nil {
			return err
		}
	}
	if d.finish == "" {
		d.finish = string(c.FinishReason)
	}
	return nil
}

func (d *decoder) call(t toolCall) error {
	i := d.place(t)
	c := d.calls[i]
	if t.ID != "" {
		c.id = string(t.ID)
	}
	c.args.WriteString(string(t.Function.Arguments))
	return d.emit(provider.Chunk{Call: &provider.CallPiece{
		Index: i, ID: string(t.ID), Name: string(t.Function.Name), Args: string(t.Function.Arguments),
	}})
}

// place finds the call that a piece belongs to, or begins one. Servers count from 0 or from 1, or give every whole call the index 0, or give no index at all; then an id or a name begins a call.
func (d *decoder) place(t toolCall) int {
	index := -1
	if t.Index != nil {
		index = *t.Index
	}
	for i := len(d.calls) - 1; i >= 0; i-- {
		if d.calls[i].owns(t, index) {
			return i
		}
	}
	if index < 0 && t.ID == "" && t.Function.Name == "" && len(d.calls) > 0 {
		return len(d.calls) - 1
	}
	d.calls = append(d.calls, &callState{index: index, id: string(t.ID)})
	return len(d.calls) - 1
}

func (c *callState) owns(t toolCall, index int) bool {
	if index != c.index {
		return false
	}
	if index < 0 {
		return t.ID != "" && string(t.ID) == c.id
	}
	another := t.Function.Name != "" && t.ID != "" && string(t.ID) != c.id
	return !another || !jsontext.Value(c.args.String()).IsValid()
}

// done ends a reply whose mark has come.
func (d *decoder) done() error {
	if d.finish == "" {
		return provider.Broken("the stream ended without a finish reason")
	}
	stop, err := d.stop()
	if err != nil {
		return err
	}
	return d.emit(provider.Chunk{Stop: stop, StopRaw: d.finish})
}

// stop returns the log's word for the finish reason. One that nobody has heard of ends the reply: what the server completed is a reply.
func (d *decoder) stop() (string, error) {
	switch d.finish {
	case "length", "max_tokens", "model_length":
		return "length", nil
	case "content_filter":
		return "refusal", nil
	case "error", "insufficient_system_resource":
		return "", provider.Broken(fmt.Sprintf("the server gave up with finish reason %q", d.finish))
	}
	if len(d.calls) > 0 {
		return "tool_calls", nil
	}
	if d.refused {
		return "refusal", nil
	}
	return "end", nil
}
