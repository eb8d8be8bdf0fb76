// Package provider is what a turn knows of models: a request in neutral form goes in, chunks of a reply come out. Each wire API is a subpackage; what all of them need, such as the rules for retries and the form of an attachment, is here.
//
// Invariant: the bytes of a request depend on the Request alone, so a log can rebuild each one years later; what changes them is a new wire version beside the old one. A reply is complete only when its last chunk names a stop; anything else is a broken attempt, never a short answer. Nothing here reads configuration, opens a connection of its own or keeps state between requests.
package provider

import (
	"context"
	"iter"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// Request is one request to a model, free of any provider's form.
type Request struct {
	// Model is the id as the provider names it.
	Model string
	// Context holds the system text, the tools, the limits and the options.
	Context event.Context
	// Messages is the window.
	Messages []view.Message
}

// Chunk is a piece of a reply. Beside Attempt, one of its groups is set, or none on the chunk that announces a later attempt.
type Chunk struct {
	// Attempt counts from 1. A higher one voids what the earlier ones sent.
	Attempt int
	// Text is answer text.
	Text string
	// Thinking is reasoning text.
	Thinking string
	// Call is a piece of a tool call.
	Call *CallPiece
	// Opaque is provider state that goes back to the same wire.
	Opaque *event.Opaque
	// Usage is what the attempt cost as far as it is known. The latest value of each field counts.
	Usage *event.Usage
	// Stop is set on the last chunk of a complete reply and nowhere else. It is the log's word: "end", "tool_calls", "length", "refusal" or "context".
	Stop string
	// StopRaw is the provider's own word for Stop.
	StopRaw string
}

// CallPiece is a piece of a tool call.
type CallPiece struct {
	// Index is the position of the call in the reply, from 0.
	Index int
	// ID is the provider's id; empty when it gave none, or gave it on an earlier piece.
	ID string
	// Name is set on the first piece.
	Name string
	// Args is a piece of the arguments' JSON text.
	Args string
}

// Provider talks to one server in one wire format.
type Provider interface {
	// Wire names the format and its version, such as "openai-chat/1".
	Wire() string
	// Host is the host and port that requests go to, or empty when they stay in the process.
	Host() string
	// Encode returns the request body. It is pure, and each wire also has it as a function, so that a replay needs no configuration.
	Encode(Request) ([]byte, error)
	// Stream sends a body and returns the reply as it arrives. It retries by the rules of Retry; an error ends the sequence.
	Stream(ctx context.Context, body []byte) iter.Seq2[Chunk, error]
}
