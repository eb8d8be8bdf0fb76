// Package script is a model that says what a file tells it to: the demo and the scenarios need no network.
//
// Invariant: a Provider has no state. Which reply comes next follows from the window alone, by how many replies stand in it, so a resumed session goes on where it was.
package script

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// Wire is the request format and its version.
const Wire = "script/1"

// Provider is a scripted model. It is safe for concurrent use.
type Provider struct {
	name    string
	replies []Reply
}

var _ provider.Provider = (*Provider)(nil)

// New returns the model that the text of a file describes. Name stands for the file in errors.
func New(text, name string) (*Provider, error) {
	replies, err := Parse(text, name)
	if err != nil {
		return nil, err
	}
	for i, r := range replies {
		if r.Say == "" && len(r.Calls) == 0 {
			return nil, fmt.Errorf("script %s: reply %d says nothing and calls nothing, so the window would not show that it was given; add a say line", name, i+1)
		}
	}
	return &Provider{name: name, replies: replies}, nil
}

// Wire implements provider.Provider.
func (p *Provider) Wire() string { return Wire }

// Host implements provider.Provider: nothing leaves the process.
func (p *Provider) Host() string { return "" }

// Encode implements provider.Provider.
func (p *Provider) Encode(r provider.Request) ([]byte, error) { return Encode(r) }

// body is the window in neutral form.
type body struct {
	Model    string           `json:"model"`
	System   string           `json:"system"`
	Tools    []event.ToolSpec `json:"tools"`
	Limits   event.Limits     `json:"limits"`
	Options  event.Options    `json:"options"`
	Messages []message        `json:"messages"`
}

type message struct {
	Role     view.Role         `json:"role"`
	Text     string            `json:"text"`
	Thinking string            `json:"thinking,omitzero"`
	Calls    []event.ModelCall `json:"calls,omitempty"`
	CallID   string            `json:"call_id,omitzero"`
	Failed   bool              `json:"failed,omitzero"`
}

// Encode returns the request body of version 1 of the wire.
func Encode(r provider.Request) ([]byte, error) {
	b := body{
		Model: r.Model, System: r.Context.System, Tools: r.Context.Tools,
		Limits: r.Context.Limits, Options: r.Context.Options, Messages: []message{},
	}
	for _, m := range r.Messages {
		b.Messages = append(b.Messages, message{
			Role: m.Role, Text: provider.UserText(m), Thinking: m.Thinking,
			Calls: m.Calls, CallID: m.CallID, Failed: m.Role == view.Tool && !m.OK,
		})
	}
	raw, err := json.Marshal(b, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode %s request: %w", Wire, err)
	}
	return raw, nil
}

// Stream implements provider.Provider. Text comes in words, as a model's does.
func (p *Provider) Stream(ctx context.Context, body []byte) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		start := time.Now()
		reply, err := p.next(body)
		if err != nil {
			yield(provider.Chunk{}, err)
			return
		}
		for _, c := range reply.chunks() {
			if ctx.Err() != nil {
				yield(provider.Chunk{}, context.Cause(ctx))
				return
			}
			if c.Usage != nil {
				c.Usage.WallMS = time.Since(start).Milliseconds()
			}
			c.Attempt = 1
			if !yield(c, nil) {
				return
			}
		}
	}
}

// next finds the reply to a request: the one behind those that its window holds.
func (p *Provider) next(raw []byte) (Reply, error) {
	var b body
	if err := json.Unmarshal(raw, &b, jsontext.AllowInvalidUTF8(true)); err != nil {
		return Reply{}, fmt.Errorf("script %s: read %s request: %w", p.name, Wire, err)
	}
	n := 0
	for _, m := range b.Messages {
		if m.Role == view.Assistant {
			n++
		}
	}
	if n >= len(p.replies) {
		return Reply{}, fmt.Errorf("script %s: reply %d is asked for and the file has %d; add one, or a call less", p.name, n+1, len(p.replies))
	}
	return p.replies[n], nil
}

// chunks returns the reply as a model would stream it.
func (r Reply) chunks() []provider.Chunk {
	var out []provider.Chunk
	for word := range strings.SplitAfterSeq(r.Think, " ") {
		if word != "" {
			out = append(out, provider.Chunk{Thinking: word})
		}
	}
	for word := range strings.SplitAfterSeq(r.Say, " ") {
		if word != "" {
			out = append(out, provider.Chunk{Text: word})
		}
	}
	for i, c := range r.Calls {
		out = append(out, provider.Chunk{Call: &provider.CallPiece{Index: i, Name: c.Name, Args: provider.ArgsText(c.Args)}})
	}
	used := event.Usage{Unreported: true}
	if r.Usage != nil {
		used = *r.Usage
	}
	stop := "end"
	if len(r.Calls) > 0 {
		stop = "tool_calls"
	}
	return append(out, provider.Chunk{Usage: &used}, provider.Chunk{Stop: stop})
}
