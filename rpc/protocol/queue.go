package protocol

import "fmt"

// QueuedPrompt is a request that waits for the running turn.
type QueuedPrompt struct {
	// ID names it in session/queue.
	ID string `json:"id"`
	// Text is the request.
	Text string `json:"text"`
}

// QueueParams are the params of session/queue. Without edit and drop it only lists.
type QueueParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Edit gives requests that wait another text.
	Edit []QueuedPrompt `json:"edit,omitempty"`
	// Drop are the ids of requests that will not run; each is answered with outcome "cancelled" and reason "dropped".
	Drop []string `json:"drop,omitempty"`
}

// Validate names the first wrong field.
func (p QueueParams) Validate() error {
	if err := required("session", p.Session); err != nil {
		return err
	}
	for i, e := range p.Edit {
		at := fmt.Sprintf("edit[%d]", i)
		if err := first(required(at+".id", e.ID), required(at+".text", e.Text)); err != nil {
			return err
		}
	}
	return nil
}

// QueueResult is the result of session/queue.
type QueueResult struct {
	// Queue is what waits, in order.
	Queue []QueuedPrompt `json:"queue"`
}

// SteerParams are the params of session/steer.
type SteerParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Turn is the turn that is meant; one that is over is not steered.
	Turn int `json:"turn"`
	// Text is the message.
	Text string `json:"text"`
}

// Validate names the first wrong field.
func (p SteerParams) Validate() error {
	if p.Turn < 1 {
		return &FieldError{Field: "turn", Reason: "is required: the number of the running turn"}
	}
	return first(required("session", p.Session), required("text", p.Text))
}

// TrailParams are the params of session/trail.
type TrailParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Turn is the turn that is meant; 0 or absent for the last one.
	Turn int `json:"turn,omitzero"`
	// Call asks for the output of one call beside the trail.
	Call string `json:"call,omitzero"`
}

// Validate names the first wrong field.
func (p TrailParams) Validate() error {
	return first(required("session", p.Session), notNegative("turn", p.Turn))
}

// TrailStep is something that a turn did or is doing.
type TrailStep struct {
	// Text says what in plain words, such as "read 3 files".
	Text string `json:"text"`
	// State is "running", "done" or "failed".
	State string `json:"state"`
	// Calls are the ids of the calls it stands for, for session/trail with call.
	Calls []string `json:"calls"`
}

// TrailResult is the result of session/trail.
type TrailResult struct {
	// Turn is the turn that was looked at.
	Turn int `json:"turn"`
	// Steps are what it did, in order.
	Steps []TrailStep `json:"steps"`
	// Output is what the call printed or found so far; absent unless a call was asked for.
	Output *string `json:"output,omitzero"`
	// Live says that the call has not ended, and that its result will take the place of the output.
	Live bool `json:"live,omitzero"`
}
