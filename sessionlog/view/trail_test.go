package view

import (
	"reflect"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

func TestTrail(t *testing.T) {
	call := func(id, name, args string) event.ToolCall {
		return event.ToolCall{Turn: 1, ID: id, Name: name, Args: event.RawJSON(args)}
	}
	var trail Trail
	for _, e := range logOf(
		event.UserMsg{Turn: 1},
		call("a", "file-read", `{"path":"x"}`), call("b", "file-read", `{"path":"y"}`),
		event.ToolResult{ID: "b", OK: true}, event.ToolResult{ID: "a", OK: true},
		call("c", "code-search", `{"query":"greet"}`), event.ToolResult{ID: "c", OK: true},
		call("d", "file-edit", `{"path":"x"}`), event.ToolResult{ID: "d", Error: "denied"},
		call("e", "shell-exec", `{"argv":["go","test"]}`), event.ToolResult{ID: "e", OK: true},
		event.CloseoutItem{Turn: 1, Name: "lint", Outcome: "failed"},
		call("f", "shell-exec", `{"command":"make\nall"}`),
		call("g", "frobnicate", `"no JSON"`), event.ToolResult{ID: "g"},
	) {
		trail.Apply(e)
	}
	want := []TrailStep{
		{"read 2 files", "done", []string{"a", "b"}},
		{"searched for greet", "done", []string{"c"}},
		{"changed x (failed)", "failed", []string{"d"}},
		{"ran go test", "done", []string{"e"}},
		{"checked lint (failed)", "failed", nil},
		{"running make", "running", []string{"f"}},
		{"called frobnicate (failed)", "failed", []string{"g"}},
	}
	if got := trail.Turn(1); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := trail.Turn(2); len(got) != 0 {
		t.Errorf("got %+v for a turn that is not there", got)
	}
}
