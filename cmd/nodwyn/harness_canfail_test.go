package main

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// editorOf makes an editor that was sent the frames.
func editorOf(t *testing.T, frames ...string) *editor {
	t.Helper()
	e := &editor{capabilities: every}
	for _, f := range frames {
		m := message{raw: []byte(f)}
		if err := json.Unmarshal(m.raw, &m); err != nil {
			m.raw = []byte("broken frame: " + f)
		}
		e.seen = append(e.seen, m)
	}
	return e
}

// The frames of which the tables below are made.
const (
	openedFrame = `{"method":"session/event","params":{"session":"s","event":{"seq":3,"kind":"prompt.open","payload":{"prompt_id":"p1"}}}}`
	endedFrame  = `{"method":"session/event","params":{"session":"s","event":{"seq":9,"kind":"turn.end","payload":{}}}}`
	askedFrame  = `{"id":1,"method":"session/requestPermission","params":{"session":"s","promptId":"p1"}}`
	answerFrame = `{"id":2,"result":{"turn":1,"outcome":"completed","revision":9}}`
	newerFrame  = `{"method":"session/card","params":{"session":"s","card":{"id":"c1","kind":"ask"},"revision":7}}`
	olderFrame  = `{"method":"session/card","params":{"session":"s","card":{"id":"c1","kind":"ask"},"revision":6}}`
)

// TestWireChecksCanFail holds each check of the wire to a conversation that it must refuse, and to its rightful twin.
func TestWireChecksCanFail(t *testing.T) {
	cards := func(e *editor) error {
		_, err := e.cards("s")
		return err
	}
	for _, c := range []struct {
		name   string
		check  func(*editor) error
		frames []string
		want   bool
	}{
		{"events in order", inLogOrder, []string{openedFrame, endedFrame}, true},
		{"events out of order", inLogOrder, []string{endedFrame, openedFrame}, false},
		{"an event twice", inLogOrder, []string{endedFrame, endedFrame}, false},
		{"asked behind the record", askedAfterRecord, []string{openedFrame, askedFrame}, true},
		{"asked before the record", askedAfterRecord, []string{askedFrame, openedFrame}, false},
		{"answered behind the news", answeredAfterNews, []string{endedFrame, answerFrame}, true},
		{"answered before the news", answeredAfterNews, []string{openedFrame, answerFrame}, false},
		{"a card that grows", cards, []string{olderFrame, newerFrame}, true},
		{"a card that goes back", cards, []string{newerFrame, olderFrame}, false},
		{"whole frames", wellFramed, []string{endedFrame}, true},
		{"text between frames", wellFramed, []string{"hello"}, false},
	} {
		err := c.check(editorOf(t, c.frames...))
		if got := err == nil; got != c.want {
			t.Errorf("%s: got passed %t (%v), want %t", c.name, got, err, c.want)
		}
	}
}

// TestCallCheckCanFail holds the check of calls and results to logs that lack one, or have one too many.
func TestCallCheckCanFail(t *testing.T) {
	call, result := event.ToolCall{ID: "c1-1"}, event.ToolResult{ID: "c1-1"}
	for _, c := range []struct {
		name     string
		payloads []event.Payload
		want     bool
	}{
		{"one result", []event.Payload{call, result}, true},
		{"no result", []event.Payload{call}, false},
		{"two results", []event.Payload{call, result, result}, false},
		{"no call", []event.Payload{result}, false},
	} {
		var events []event.Event
		for i, p := range c.payloads {
			events = append(events, event.Event{Seq: int64(i + 1), Payload: p})
		}
		err := new(scenario).callsAnswered("s", events)
		if got := err == nil; got != c.want {
			t.Errorf("%s: got passed %t (%v), want %t", c.name, got, err, c.want)
		}
	}
}

// TestKindsInLog holds the log verb's three ways to look to their difference.
func TestKindsInLog(t *testing.T) {
	log := []string{"a", "b", "c"}
	for _, c := range []struct {
		name string
		look func(got, want []string) bool
		want []string
		ok   bool
	}{
		{"in order with a gap", inOrder, []string{"a", "c"}, true},
		{"in the wrong order", inOrder, []string{"c", "a"}, false},
		{"twice what is there once", inOrder, []string{"a", "a"}, false},
		{"adjacent", adjacent, []string{"b", "c"}, true},
		{"adjacent with a gap", adjacent, []string{"a", "c"}, false},
		{"beyond the end", adjacent, []string{"c", "d"}, false},
		{"at the start", begins, []string{"a", "b"}, true},
		{"behind the start", begins, []string{"b"}, false},
	} {
		if got := c.look(log, c.want); got != c.ok {
			t.Errorf("%s: got %t, want %t", c.name, got, c.ok)
		}
	}
}
