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
		event.GuardDecision{Turn: 1, Op: "exec", Target: "go vet", Decision: "allow", Rule: CheckRule},
		event.CloseoutItem{Turn: 1, Name: "vet", Outcome: "passed"},
		event.CloseoutItem{Turn: 1, Name: "slow", Outcome: "skipped"},
		call("f", "shell-exec", `{"command":"make\nall"}`),
		call("g", "frobnicate", `"no JSON"`), event.ToolResult{ID: "g"},
		event.GuardDecision{Turn: 1, Op: "exec", Target: "go test", Decision: "allow", Rule: CheckRule},
		event.SessionResume{},
		event.GuardDecision{Turn: 1, Op: "exec", Target: "go build", Decision: "allow", Rule: CheckRule},
		event.GuardDecision{Turn: 1, Op: "exec", Target: "go fmt", Decision: "allow", Rule: CheckRule},
	) {
		trail.Apply(e)
	}
	want := []TrailStep{
		{"read 2 files", "done", []string{"a", "b"}},
		{"searched for greet", "done", []string{"c"}},
		{"changed x (failed)", "failed", []string{"d"}},
		{"ran go test", "done", []string{"e"}},
		{"checked lint (failed)", "failed", []string{"check-12"}},
		{"checked vet", "done", []string{"check-13"}},
		{"checked slow (skipped)", "done", []string{"check-15"}},
		{"running make", "running", []string{"f"}},
		{"called frobnicate (failed)", "failed", []string{"g"}},
		{"checked go test (failed)", "failed", []string{"check-19"}},
		{"checked go build (failed)", "failed", []string{"check-21"}},
		{"checking go fmt", "running", []string{"check-22"}},
	}
	if got := trail.Turn(1); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := trail.Turn(2); len(got) != 0 {
		t.Errorf("got %+v for a turn that is not there", got)
	}
}

func TestOutputs(t *testing.T) {
	var outputs Outputs
	for _, e := range logOf(
		event.ToolCall{ID: "a"}, event.ToolResult{ID: "a", Text: "found"}, event.ToolCall{ID: "b"},
		event.GuardDecision{Op: "exec", Target: "go vet", Decision: "allow", Rule: CheckRule},
		event.CloseoutItem{Name: "vet", Outcome: "failed", OutputTail: "bad"},
		event.CloseoutItem{Name: "slow", Outcome: "skipped"},
		event.GuardDecision{Op: "exec", Target: "go build", Decision: "allow", Rule: CheckRule},
		event.GuardDecision{Op: "exec", Target: "go test", Decision: "allow", Rule: CheckRule},
	) {
		outputs.Apply(e)
	}
	type output struct {
		text         string
		ended, known bool
	}
	for call, want := range map[string]output{
		"a": {"found", true, true}, "b": {"", false, true}, "check-4": {"bad", true, true},
		"check-6": {"", true, true}, "check-7": {"", true, true}, "check-8": {"", false, true}, "c": {},
	} {
		var got output
		if got.text, got.ended, got.known = outputs.Of(call); got != want {
			t.Errorf("%s: got %+v, want %+v", call, got, want)
		}
	}
}
