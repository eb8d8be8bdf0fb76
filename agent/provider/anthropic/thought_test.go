package anthropic

import (
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// thinkingReply thinks, says something, thinks in secret, calls, and thinks once more without coming to an end.
var thinkingReply = []string{
	start,
	`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me "}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"see."}}`,
	`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"c2lnbmVk"}}`, stop0,
	`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"I read ünd "}}`, stop1,
	`{"type":"content_block_start","index":2,"content_block":{"type":"redacted_thinking","data":"aGlkZGVu"}}`, stop2,
	`{"type":"content_block_start","index":3,"content_block":{"type":"text","text":"list."}}`, `{"type":"content_block_stop","index":3}`,
	`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","id":"toolu_a","name":"file-list","input":{}}}`, `{"type":"content_block_stop","index":4}`,
	`{"type":"content_block_start","index":5,"content_block":{"type":"thinking","thinking":"","signature":"b21pdHRlZA"}}`, `{"type":"content_block_stop","index":5}`,
	`{"type":"content_block_start","index":6,"content_block":{"type":"tool_use","id":"toolu_b","name":"file-list","input":{}}}`, `{"type":"content_block_stop","index":6}`,
	`{"type":"content_block_start","index":7,"content_block":{"type":"thinking","thinking":"And th"}}`,
	endedTool, done,
}

// logged streams a reply and takes it through the log: it is encoded, redacted and read back.
func logged(t *testing.T, r *redact.Redactor, events ...string) event.LLMResp {
	t.Helper()
	resp, err := ask(t, stream(events...))
	check(t, "error", err, nil)
	raw, err := event.EncodePayload(resp)
	check(t, "encode", err, nil)
	raw, _, err = r.JSON(raw)
	check(t, "redact", err, nil)
	p, err := event.DecodePayload("llm.resp", raw)
	check(t, "decode", err, nil)
	return p.(event.LLMResp)
}

// again is the window behind a reply whose calls have results.
func again(reply event.LLMResp) provider.Request {
	r := provider.Request{
		Model:    "m",
		Context:  event.Context{Options: event.Options{Effort: "low"}},
		Messages: []view.Message{{Role: view.User, Text: "Go."}, {Role: view.Assistant, Text: reply.Text, Thinking: reply.Thinking, Opaque: reply.Opaque, Calls: reply.ToolCalls}},
	}
	for _, c := range reply.ToolCalls {
		r.Messages = append(r.Messages, view.Message{Role: view.Tool, CallID: c.ID, Text: "ok", OK: true})
	}
	return r
}

func TestThoughtsGoBackInTheirPlace(t *testing.T) {
	reply := logged(t, redact.New(), thinkingReply...)
	check(t, "thinking", reply.Thinking, "Let me see.And th")
	check(t, "text", reply.Text, "I read ünd list.")
	got, err := Encode(again(reply))
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m","max_tokens":10240,"stream":true,"thinking":{"type":"enabled","budget_tokens":2048},"messages":[`+
		`{"role":"user","content":[{"type":"text","text":"Go."}]},`+
		`{"role":"assistant","content":[`+
		`{"type":"thinking","thinking":"Let me see.","signature":"c2lnbmVk"},`+
		`{"type":"text","text":"I read ünd "},`+
		`{"type":"redacted_thinking","data":"aGlkZGVu"},`+
		`{"type":"text","text":"list."},`+
		`{"type":"tool_use","id":"toolu_a","name":"file-list","input":{}},`+
		`{"type":"thinking","thinking":"","signature":"b21pdHRlZA"},`+
		`{"type":"tool_use","id":"toolu_b","name":"file-list","input":{}}]},`+
		`{"role":"user","content":[`+
		`{"type":"tool_result","tool_use_id":"toolu_a","content":"ok"},`+
		`{"type":"tool_result","tool_use_id":"toolu_b","content":"ok","cache_control":{"type":"ephemeral"}}]}]}`)
}

// TestChangedThoughtsStayHere: the API refuses a block that its signature does not fit, and a step that began without a thought while it is asked to think.
func TestChangedThoughtsStayHere(t *testing.T) {
	secret := strings.Join([]string{"hush", "hush", "4711"}, "-")
	r := redact.New()
	check(t, "register", r.Register("key", "k", secret), nil)
	reply := logged(t, r,
		start, `{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"The key is `+secret+`","signature":"c2ln"}}`, stop0,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_a","name":"file-list","input":{}}}`, stop1, endedTool, done)
	check(t, "opaque", len(reply.Opaque), 1)
	got, err := Encode(again(reply))
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"m","max_tokens":10240,"stream":true,"messages":[`+
		`{"role":"user","content":[{"type":"text","text":"Go."}]},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_a","name":"file-list","input":{}}]},`+
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_a","content":"ok","cache_control":{"type":"ephemeral"}}]}]}`)
}

func TestThoughtsOfOthersStayHere(t *testing.T) {
	whole := logged(t, redact.New(), thinkingReply...).Opaque[0]
	for name, o := range map[string]event.Opaque{
		"another wire":     {Wire: "other/1", Data: whole.Data},
		"no thought":       {Wire: Wire, Data: event.RawJSON(`{"sum":"x","block":{"type":"text","text":"hi"}}`)},
		"another form":     {Wire: Wire, Data: event.RawJSON(`[1]`)},
		"another text":     {Wire: Wire, Data: event.RawJSON(strings.Replace(string(whole.Data), "Let me", "Let us", 1))},
		"a text cut short": {Wire: Wire, Data: event.RawJSON(strings.Replace(string(whole.Data), "see.", "", 1))},
	} {
		check(t, name, len(thoughts([]event.Opaque{o})), 0)
	}
	check(t, "our own", len(thoughts([]event.Opaque{whole})), 1)
}

// TestPlacesThatAreGone: text may have become shorter in the redactor; what the places then point at must not cost any of it.
func TestPlacesThatAreGone(t *testing.T) {
	keep := func(text, calls int) event.Opaque {
		o, err := thought{Text: text, Calls: calls, Block: block{Type: "redacted_thinking", Data: "x"}}.keep()
		check(t, "keep", err, nil)
		return o
	}
	w := window([]view.Message{{
		Role: view.Assistant, Text: "aüb", Opaque: []event.Opaque{keep(2, 0), keep(-1, -1), keep(99, 99), keep(0, 0)},
		Calls: []event.ModelCall{{ID: "c1-1", Name: "x", Args: event.RawJSON("{}")}},
	}})
	thought := block{Type: "redacted_thinking", Data: "x"}
	check(t, "blocks", w.messages, []message{{Role: "assistant", Content: []block{
		{Type: "text", Text: "a"}, thought, thought, {Type: "text", Text: "üb"}, {Type: "tool_use", ID: "c1-1", Name: "x", Input: event.RawJSON("{}")}, thought, thought,
	}}})
}
