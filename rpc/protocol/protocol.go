// Package protocol declares what nodwyn says on the wire beside the Language Server Protocol: the params and results of its methods, its notifications, its capabilities and its error codes.
//
// Invariant: nothing here does I/O or keeps state, and nothing of nodwyn is imported. The comments of the types and their fields are the source of PROTOCOL.md. Names on the wire are camelCase, discriminator values are snake_case words, and a logged event alone keeps the spelling of the log.
package protocol

import (
	"fmt"
	"strings"
)

// Version is the number of the protocol that both sides name in their capabilities.
const Version = 1

// ServerCapabilities stands under experimental.nodwyn in the answer to initialize.
type ServerCapabilities struct {
	// Protocol is the number of this protocol.
	Protocol int `json:"protocol"`
	// Version is the version of the server.
	Version string `json:"version"`
}

// ClientCapabilities stands under experimental.nodwyn in the params of initialize. What a client does not name reaches it in the forms of the Language Server Protocol, where those have one.
type ClientCapabilities struct {
	// Permission says that session/requestPermission can be answered.
	Permission bool `json:"permission,omitzero"`
	// Question says that session/ask can be answered.
	Question bool `json:"question,omitzero"`
	// Events asks for session/event.
	Events bool `json:"events,omitzero"`
	// Deltas asks for session/delta.
	Deltas bool `json:"deltas,omitzero"`
	// Cards asks for session/card and session/status.
	Cards bool `json:"cards,omitzero"`
}

// Nothing is the params or the result of a method that needs none.
type Nothing struct{}

// Validate finds nothing wrong.
func (Nothing) Validate() error { return nil }

// Position is a place in a text document as in the Language Server Protocol.
type Position struct {
	// Line counts from 0.
	Line uint32 `json:"line"`
	// Character counts from 0, in units of the position encoding that initialize agreed on.
	Character uint32 `json:"character"`
}

// Range is a span of a text document as in the Language Server Protocol, the end exclusive.
type Range struct {
	// Start is the first position.
	Start Position `json:"start"`
	// End is the position after the last.
	End Position `json:"end"`
}

func (r Range) validate(at string) error {
	if r.End.Line < r.Start.Line || r.End.Line == r.Start.Line && r.End.Character < r.Start.Character {
		return &FieldError{Field: at + ".end", Reason: "lies before the start"}
	}
	return nil
}

// FieldError says which field of a request's params is wrong.
type FieldError struct {
	// Field is the path of the field, such as "attachments[0].type".
	Field string
	// Reason says what is wrong with it and what would be right.
	Reason string
}

func (e *FieldError) Error() string {
	return fmt.Sprintf("field %q: %s", e.Field, e.Reason)
}

// required refuses an empty value.
func required(field, value string) error {
	if value == "" {
		return &FieldError{Field: field, Reason: "is required and must not be empty"}
	}
	return nil
}

// maxName is the longest name of a branch or ref, in bytes.
const maxName = 1000

// name refuses what can name no branch and no ref. The empty value stands for the default.
func name(field, value string) error {
	if len(value) > maxName {
		return &FieldError{Field: field, Reason: fmt.Sprintf("is longer than %d bytes", maxName)}
	}
	return noNUL(field, value)
}

// noNUL refuses a text that no program can be given as an argument.
func noNUL(field, value string) error {
	if strings.ContainsRune(value, 0) {
		return &FieldError{Field: field, Reason: "holds a NUL character"}
	}
	return nil
}

// list refuses empty entries and more of them than anybody means.
func list(field string, values []string) error {
	const most = 10_000
	if len(values) > most {
		return &FieldError{Field: field, Reason: fmt.Sprintf("has %d entries, more than %d", len(values), most)}
	}
	for i, v := range values {
		if err := first(required(fmt.Sprintf("%s[%d]", field, i), v), noNUL(fmt.Sprintf("%s[%d]", field, i), v)); err != nil {
			return err
		}
	}
	return nil
}

// oneOf refuses a value that is not among the known words. The empty value stands for the default.
func oneOf[W ~string](field string, value W, words ...W) error {
	if value == "" {
		return nil
	}
	known := make([]string, 0, len(words))
	for _, w := range words {
		if w == value {
			return nil
		}
		known = append(known, fmt.Sprintf("%q", string(w)))
	}
	return &FieldError{Field: field, Reason: fmt.Sprintf("%q is not one of %s", string(value), strings.Join(known, ", "))}
}

// notNegative refuses a number below zero.
func notNegative[N ~int | ~int64](field string, value N) error {
	if value < 0 {
		return &FieldError{Field: field, Reason: fmt.Sprintf("%d is below zero", value)}
	}
	return nil
}

// first returns the first error of a validation, in the order of the fields.
func first(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
