package openai

import (
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func TestEncode(t *testing.T) {
	text := "package a\n"
	r := provider.Request{
		Model: "m/1",
		Context: event.Context{
			System: "Be <brief> & good.", Limits: event.Limits{Context: 8000, MaxOutput: 512}, Options: event.Options{Effort: "low"},
			Tools: []event.ToolSpec{{Name: "file-read", Description: "Reads.", Schema: event.RawJSON(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		},
		Messages: []view.Message{
			{Role: view.User, Text: "Fix it.", Attachments: []event.Attach{{Type: "file", Path: "a.go", Text: &text}}},
			{Role: view.Assistant, Thinking: "hm", Calls: []event.ModelCall{
				{ID: "c4-1", ProviderID: "call_a", Name: "file-read", Args: event.RawJSON(`{"path":"a.go","n":1.0}`)},
				{ID: "c4-2", Name: "file-read", Args: event.RawJSON(`"{\"path\":"`)},
			}},
			{Role: view.Tool, CallID: "c4-1", Text: "package a", OK: true},
			{Role: view.Tool, CallID: "c4-2", Text: ""},
			{Role: view.Assistant, Text: "Twice.", Calls: []event.ModelCall{
				{ID: "c9-1", ProviderID: "same", Name: "x", Args: event.RawJSON(`{}`)},
				{ID: "c9-2", ProviderID: "same", Name: "x", Args: event.RawJSON(`{}`)},
			}},
			{Role: view.Tool, CallID: "c9-1", Text: "1", OK: true},
			{Role: view.Tool, CallID: "c9-2", Text: "2", OK: true},
			{Role: view.Assistant, Text: "Done."},
		},
	}
	want := `{"model":"m/1",` +
		`"tools":[{"type":"function","function":{"name":"file-read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],` +
		`"max_tokens":512,"reasoning_effort":"low","stream":true,"stream_options":{"include_usage":true},"messages":[` +
		`{"role":"system","content":"Be <brief> & good."},` +
		`{"role":"user","content":"Fix it.\n\n<attachment type=\"file\" path=\"a.go\">\npackage a\n</attachment>"},` +
		`{"role":"assistant","content":null,"tool_calls":[` +
		`{"id":"call_a","type":"function","function":{"name":"file-read","arguments":"{\"path\":\"a.go\",\"n\":1.0}"}},` +
		`{"id":"c4-2","type":"function","function":{"name":"file-read","arguments":"{\"path\":"}}]},` +
		`{"role":"tool","content":"package a","tool_call_id":"call_a"},` +
		`{"role":"tool","content":"","tool_call_id":"c4-2"},` +
		`{"role":"assistant","content":"Twice.","tool_calls":[` +
		`{"id":"c9-1","type":"function","function":{"name":"x","arguments":"{}"}},` +
		`{"id":"c9-2","type":"function","function":{"name":"x","arguments":"{}"}}]},` +
		`{"role":"tool","content":"1","tool_call_id":"c9-1"},` +
		`{"role":"tool","content":"2","tool_call_id":"c9-2"},` +
		`{"role":"assistant","content":"Done."}]}`
	got, err := Encode(r)
	check(t, "error", err, nil)
	check(t, "body", string(got), want)
}

func TestEncodeLeavesOut(t *testing.T) {
	got, err := Encode(provider.Request{Model: "m"})
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m","stream":true,"stream_options":{"include_usage":true},"messages":[]}`)
}

func TestEncodeRefuses(t *testing.T) {
	_, err := Encode(provider.Request{Model: "m", Context: event.Context{Tools: []event.ToolSpec{{Name: "x", Schema: event.RawJSON("{")}}}})
	if err == nil || !strings.Contains(err.Error(), `encode openai-chat/1 request for model "m"`) {
		t.Errorf("a schema that is no JSON: got error %v", err)
	}
}
