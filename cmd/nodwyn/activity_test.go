package main

import (
	"io"
	"testing"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

func TestActivityFollowsTheSession(t *testing.T) {
	a := &activity{screen: &display{out: io.Discard, err: io.Discard}}
	for i, step := range []struct {
		item agent.Item
		want string
	}{
		{happened(event.UserMsg{Turn: 1, Text: "x"}), ""},
		{happened(event.LLMReq{Turn: 1, Step: 1, Server: "local", Model: "qwen"}), "waiting for qwen"},
		{agent.Item{Delta: &agent.Delta{Turn: 1, Attempt: 1, Thinking: "hm"}}, "qwen thinks"},
		{agent.Item{Delta: &agent.Delta{Turn: 1, Attempt: 1, Text: "I"}}, "qwen writes"},
		{agent.Item{Delta: &agent.Delta{Turn: 1, Attempt: 2, Text: "I"}}, "qwen writes, attempt 2"},
		{happened(event.LLMResp{}), "finishing the turn"},
		{happened(event.ToolCall{Turn: 1, ID: "c1", Name: "shell-exec", Args: event.RawJSON(`{"argv":["make","test"]}`)}), "running make test"},
		{happened(event.PromptOpen{PromptID: "p1", Type: "permission"}), ""},
		{happened(event.PromptClose{PromptID: "p1", Answer: "allow_once"}), "running make test"},
		{happened(event.GuardDecision{ID: "c1", Op: "exec", Target: "make test", Decision: "allow"}), "running make test"},
		{happened(event.ToolResult{Turn: 1, ID: "c1", OK: true}), "going on"},
		{happened(event.LLMReq{Turn: 1, Step: 2, Server: "script"}), "waiting for script"},
		{happened(event.LLMResp{}), "finishing the turn"},
		{happened(event.GuardDecision{Op: "exec", Target: "go vet", Decision: "allow"}), "running go vet"},
		{happened(event.CloseoutItem{Turn: 1, Name: "vet", Outcome: "passed"}), "finishing the turn"},
		{happened(event.TurnEnd{Turn: 1, Outcome: "completed"}), "closing the session"},
	} {
		a.take(step.item)
		if a.what != step.want {
			t.Errorf("step %d: got %q, want %q", i+1, a.what, step.want)
		}
	}
}

func happened(p event.Payload) agent.Item { return agent.Item{Event: &event.Event{Payload: p}} }
