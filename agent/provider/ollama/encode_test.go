package ollama

import (
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func TestEncode(t *testing.T) {
	text := "package a\n"
	got, err := Encode(provider.Request{
		Model: "m:7b",
		Context: event.Context{
			System: "Be <brief> & good.", Limits: event.Limits{Context: 16000, MaxOutput: 512}, Options: event.Options{Effort: "low"},
			Tools: []event.ToolSpec{{Name: "file-read", Description: "Reads.", Schema: event.RawJSON(`{"type":"object","properties":{"path":{"type":"string"}}}`)}},
		},
		Messages: []view.Message{
			{Role: view.User, Text: "Fix it.", Attachments: []event.Attach{{Type: "file", Path: "a.go", Text: &text}}},
			{Role: view.Assistant, Thinking: "hm", Opaque: []event.Opaque{{Wire: "other/1", Data: event.RawJSON(`{}`)}}, Calls: []event.ModelCall{
				{ID: "c4-1", ProviderID: "call_a", Name: "file-read", Args: event.RawJSON(`{"path":"a.go","n":1.0}`)},
				{ID: "c4-2", Name: "file-list", Args: event.RawJSON(`"{\"path\":"`)},
			}},
			{Role: view.Tool, CallID: "c4-1", Text: "package a", OK: true},
			{Role: view.Tool, CallID: "c4-2", Text: ""},
			{Role: view.Assistant, Text: "Done.", Thinking: "well"},
			{Role: view.User, Text: "More."},
		},
	})
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m:7b","stream":true,"think":"low","truncate":false,"shift":false,"options":{"num_ctx":16000,"num_predict":512},`+
		`"tools":[{"type":"function","function":{"name":"file-read","description":"Reads.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],`+
		`"messages":[`+
		`{"role":"system","content":"Be <brief> & good."},`+
		`{"role":"user","content":"Fix it.\n\n<attachment type=\"file\" path=\"a.go\">\npackage a\n</attachment>"},`+
		`{"role":"assistant","content":"","thinking":"hm","tool_calls":[`+
		`{"id":"call_a","function":{"name":"file-read","arguments":{"path":"a.go","n":1.0}}},`+
		`{"function":{"name":"file-list","arguments":{"_raw":"{\"path\":"}}}]},`+
		`{"role":"tool","content":"package a","tool_name":"file-read","tool_call_id":"call_a"},`+
		`{"role":"tool","content":"","tool_name":"file-list"},`+
		`{"role":"assistant","content":"Done."},`+
		`{"role":"user","content":"More."}]}`)
}

func TestEncodeLeavesOut(t *testing.T) {
	got, err := Encode(provider.Request{Model: "m"})
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m","stream":true,"truncate":false,"shift":false,"options":{"num_ctx":8192},"messages":[]}`)
}

func TestEffort(t *testing.T) {
	for effort, want := range map[string]string{
		"true":   `"think":true,`,
		"false":  `"think":false,`,
		"none":   `"think":false,`,
		"high":   `"think":"high",`,
		"absurd": `"think":"absurd",`,
	} {
		got, err := Encode(provider.Request{Model: "m", Context: event.Context{Options: event.Options{Effort: effort}}})
		check(t, effort+" error", err, nil)
		check(t, effort, strings.Contains(string(got), want), true)
	}
}

// TestConsecutiveRequestsBeginAlike: what the server cached of the last request must stand at the head of the next.
func TestConsecutiveRequestsBeginAlike(t *testing.T) {
	r := provider.Request{Model: "m", Context: event.Context{System: "Be good."}, Messages: []view.Message{{Role: view.User, Text: "Go."}}}
	first, err := Encode(r)
	check(t, "error", err, nil)
	r.Messages = append(r.Messages, view.Message{Role: view.Assistant, Text: "Done."}, view.Message{Role: view.User, Text: "More."})
	second, err := Encode(r)
	check(t, "error", err, nil)
	check(t, "the second begins like the first", strings.HasPrefix(string(second), strings.TrimSuffix(string(first), "]}")), true)
}

func TestEncodeRefuses(t *testing.T) {
	_, err := Encode(provider.Request{Model: "m", Context: event.Context{Tools: []event.ToolSpec{{Name: "x", Schema: event.RawJSON("{")}}}})
	if err == nil || !strings.Contains(err.Error(), `encode ollama-chat/1 request for model "m"`) {
		t.Errorf("a schema that is no JSON: got error %v", err)
	}
}
