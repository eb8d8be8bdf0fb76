package main

import (
	"bytes"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestPrintStream has a reply to a request beside the conversation between the pieces of a turn's reply, and a second attempt at that.
func TestPrintStream(t *testing.T) {
	a := agent.New(agent.Config{DataDir: t.TempDir()})
	id := sessionlog.NewID(time.Unix(0, 0))
	log, err := sessionlog.Create(a.SessionsDir(), id, sessionlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range []event.Payload{
		event.LLMReq{Purpose: "title", Aside: &event.Aside{}},
		event.LLMReq{Purpose: "turn", Turn: 2, Step: 1},
		event.LLMChunk{Req: 2, Delta: event.Delta{Text: "void"}},
		event.LLMChunk{Req: 2, Attempt: 2, Delta: event.Delta{Text: "one "}},
		event.LLMResp{Req: 1, Text: "A title", Stop: "end"},
		event.LLMChunk{Req: 2, Attempt: 2, Delta: event.Delta{Text: "line"}},
		event.LLMResp{Req: 2, Text: "one line", Stop: "end"},
	} {
		if _, err := log.Append(p); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := printStream(&console{out: &out}, a, id); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "one line\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
