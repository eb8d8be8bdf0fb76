package anthropic

import (
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func TestEncode(t *testing.T) {
	text := "package a\n"
	schema := event.RawJSON(`{"type":"object","properties":{"path":{"type":"string"}}}`)
	got, err := Encode(provider.Request{
		Model: "m/1",
		Context: event.Context{
			System: "Be <brief> & good.", Limits: event.Limits{Context: 8000, MaxOutput: 512},
			Tools: []event.ToolSpec{{Name: "file-read", Description: "Reads.", Schema: schema}, {Name: "file-list", Description: "Lists.", Schema: event.RawJSON(`{"type":"object"}`)}},
		},
		Messages: []view.Message{
			{Role: view.User, Text: "Fix it.", Attachments: []event.Attach{{Type: "file", Path: "a.go", Text: &text}}},
			{Role: view.User, Text: " \n"},
			{Role: view.User, Text: "Please."},
			{Role: view.Assistant, Thinking: "hm", Calls: []event.ModelCall{
				{ID: "c4-1", ProviderID: "toolu_a", Name: "file-read", Args: event.RawJSON(`{"path":"a.go","n":1.0}`)},
				{ID: "c4-2", Name: "file read!", Args: event.RawJSON(`"{\"path\":"`)},
			}},
			{Role: view.Tool, CallID: "c4-1", Text: "package a", OK: true},
			{Role: view.Tool, CallID: "c4-2", Text: "\n"},
			{Role: view.User, Text: "Mind the tests."},
			{Role: view.Assistant, Text: "\n"},
			{Role: view.Assistant, Text: "Twice."},
			{Role: view.Assistant, Calls: []event.ModelCall{
				{ID: "c9-1", ProviderID: "toolu_a", Name: "", Args: event.RawJSON(`{}`)},
				{ID: "c9-2", ProviderID: "functions.x:0", Name: "x", Args: event.RawJSON(`{}`)},
			}},
			{Role: view.Tool, CallID: "c9-1", Text: "1", OK: true},
			{Role: view.Tool, CallID: "c9-2", Text: "2", OK: true},
		},
	})
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m/1","max_tokens":512,"stream":true,`+
		`"system":[{"type":"text","text":"Be <brief> & good.","cache_control":{"type":"ephemeral"}}],`+
		`"tools":[{"name":"file-read","description":"Reads.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}},`+
		`{"name":"file-list","description":"Lists.","input_schema":{"type":"object"},"cache_control":{"type":"ephemeral"}}],`+
		`"messages":[`+
		`{"role":"user","content":[{"type":"text","text":"Fix it.\n\n<attachment type=\"file\" path=\"a.go\">\npackage a\n</attachment>"},{"type":"text","text":"Please."}]},`+
		`{"role":"assistant","content":[`+
		`{"type":"tool_use","id":"toolu_a","name":"file-read","input":{"path":"a.go","n":1.0}},`+
		`{"type":"tool_use","id":"c4-2","name":"file_read_","input":{"_raw":"{\"path\":"}}]},`+
		`{"role":"user","content":[`+
		`{"type":"tool_result","tool_use_id":"toolu_a","content":"package a"},`+
		`{"type":"tool_result","tool_use_id":"c4-2","is_error":true},`+
		`{"type":"text","text":"Mind the tests."}]},`+
		`{"role":"assistant","content":[{"type":"text","text":"Twice."},`+
		`{"type":"tool_use","id":"c9-1","name":"unnamed","input":{}},`+
		`{"type":"tool_use","id":"c9-2","name":"x","input":{}}]},`+
		`{"role":"user","content":[`+
		`{"type":"tool_result","tool_use_id":"c9-1","content":"1"},`+
		`{"type":"tool_result","tool_use_id":"c9-2","content":"2","cache_control":{"type":"ephemeral"}}]}]}`)
}

func TestEncodeLeavesOut(t *testing.T) {
	got, err := Encode(provider.Request{Model: "m", Context: event.Context{System: "\n"}})
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m","max_tokens":8192,"stream":true,"messages":[]}`)
}

func TestEffort(t *testing.T) {
	budget := func(maxTokens, n int) plan {
		return plan{maxTokens: maxTokens, thinking: &thinking{Type: "enabled", Budget: n}}
	}
	adaptive := func(maxTokens int, level *outputConfig) plan {
		return plan{maxTokens: maxTokens, thinking: &thinking{Type: "adaptive", Display: "summarized"}, output: level}
	}
	for name, c := range map[string]struct {
		effort    string
		maxOutput int
		want      plan
	}{
		"none configured":          {"", 0, plan{maxTokens: 8192}},
		"none wanted":              {"none", 99, plan{maxTokens: 99}},
		"least":                    {"minimal", 0, budget(9216, 1024)},
		"low":                      {"low", 0, budget(10240, 2048)},
		"medium":                   {"medium", 0, budget(16384, 8192)},
		"high":                     {"high", 0, budget(24576, 16384)},
		"very high":                {"xhigh", 0, budget(32768, 24576)},
		"most":                     {"max", 0, budget(40960, 32768)},
		"a number":                 {"5000", 0, budget(13192, 5000)},
		"half of the output":       {"high", 20000, budget(20000, 10000)},
		"least of the output":      {"max", 2048, budget(2048, 1024)},
		"the model decides":        {"adaptive", 0, adaptive(32768, nil)},
		"the model decides a part": {"adaptive-high", 500, adaptive(500, &outputConfig{Effort: "high"})},
	} {
		got, err := planFor(c.effort, c.maxOutput)
		check(t, name+" error", err, nil)
		check(t, name, got, c.want)
	}
	for name, c := range map[string]struct {
		effort    string
		maxOutput int
		want      string
	}{
		"a word that is none":  {"hihg", 0, `encode anthropic-messages/1 request for model "m": effort "hihg": it is none of`},
		"too small a number":   {"100", 0, `effort "100" with max_output 0: thinking takes 1024 tokens at least`},
		"too small an output":  {"high", 2047, `effort "high" with max_output 2047: thinking takes 1024 tokens at least`},
		"a number below zero":  {"-5", 0, `effort "-5" with max_output 0`},
		"adaptive, misspelled": {"adaptative", 0, `effort "adaptative": it is none of`},
	} {
		_, err := Encode(provider.Request{Model: "m", Context: event.Context{Options: event.Options{Effort: c.effort}, Limits: event.Limits{MaxOutput: c.maxOutput}}})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got error %v, want %s", name, err, c.want)
		}
	}
}

// TestThinkingBeginsAnewWithAPrompt: only a step that is under way binds the next request to what its replies thought.
func TestThinkingBeginsAnewWithAPrompt(t *testing.T) {
	messages := []view.Message{
		{Role: view.User, Text: "Go."},
		{Role: view.Assistant, Calls: []event.ModelCall{{ID: "c1-1", Name: "x", Args: event.RawJSON("{}")}}},
		{Role: view.Tool, CallID: "c1-1", Text: "ok", OK: true},
		{Role: view.Assistant, Text: "Done."},
		{Role: view.User, Text: "More."},
	}
	for name, c := range map[string]struct {
		n      int
		effort string
		want   bool
	}{
		"at the first prompt":         {1, "low", true},
		"in a step without a thought": {3, "low", false},
		"the model decides":           {3, "adaptive", true},
		"at the next prompt":          {5, "low", true},
	} {
		got, err := Encode(provider.Request{Model: "m", Context: event.Context{Options: event.Options{Effort: c.effort}}, Messages: messages[:c.n]})
		check(t, name+" error", err, nil)
		check(t, name, strings.Contains(string(got), `"thinking":{"type":`), c.want)
	}
}

// TestConsecutiveRequestsBeginAlike: what the server cached of the last request must stand at the head of the next.
func TestConsecutiveRequestsBeginAlike(t *testing.T) {
	r := provider.Request{
		Model:    "m",
		Context:  event.Context{System: "Be good.", Tools: []event.ToolSpec{{Name: "x", Schema: event.RawJSON("{}")}}, Options: event.Options{Effort: "low"}},
		Messages: []view.Message{{Role: view.User, Text: "Go."}},
	}
	const end = `,"cache_control":{"type":"ephemeral"}}]}]}`
	first, err := Encode(r)
	check(t, "error", err, nil)
	r.Messages = append(r.Messages, view.Message{Role: view.Assistant, Text: "Done."}, view.Message{Role: view.User, Text: "More."})
	second, err := Encode(r)
	check(t, "error", err, nil)
	head, found := strings.CutSuffix(string(first), end)
	check(t, "the first ends in a mark", found, true)
	check(t, "the second begins like the first", strings.HasPrefix(string(second), head), true)
}

func TestEncodeRefuses(t *testing.T) {
	_, err := Encode(provider.Request{Model: "m", Context: event.Context{Tools: []event.ToolSpec{{Name: "x", Schema: event.RawJSON("{")}}}})
	if err == nil || !strings.Contains(err.Error(), `encode anthropic-messages/1 request for model "m"`) {
		t.Errorf("a schema that is no JSON: got error %v", err)
	}
}
