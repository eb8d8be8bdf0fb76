package anthropic

import (
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

const (
	start     = `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"stop_reason":null,"usage":{"input_tokens":10,"output_tokens":1}}}`
	text0     = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`
	sayHello  = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`
	stop0     = `{"type":"content_block_stop","index":0}`
	stop1     = `{"type":"content_block_stop","index":1}`
	stop2     = `{"type":"content_block_stop","index":2}`
	ended     = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}`
	endedTool = `{"type":"message_delta","delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":2}}`
	done      = `{"type":"message_stop"}`
	ping      = `{"type":"ping"}`
)

// hello is a whole reply that says so.
var hello = []string{start, ping, text0, sayHello, stop0, ended, done}

// counted is the usage of hello.
func counted() event.Usage {
	return event.Usage{PromptTokens: new(int64(10)), OutputTokens: new(int64(2))}
}

// stopped is a reply without content that stops for a reason.
func stopped(reason string) []string {
	return []string{start, strings.Replace(ended, `"end_turn"`, reason, 1), done}
}

// said is a stream and the reply it makes.
type said struct {
	events []string
	want   event.LLMResp
}

func checkReplies(t *testing.T, cases map[string]said) {
	t.Helper()
	for name, c := range cases {
		c.want.Req, c.want.Attempts, c.want.Usage = 1, 1, counted()
		got, err := ask(t, stream(c.events...))
		check(t, name, got, c.want)
		check(t, name+" error", err, nil)
	}
}

func TestTexts(t *testing.T) {
	checkReplies(t, map[string]said{
		"text": {hello, event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"}},
		"text in two blocks, from 1": {
			[]string{start, `{"type":"content_block_start","index":1,"content_block":{"type":"text","text":"Hel"}}`, stop1, `{"type":"content_block_start","index":2,"content_block":{"type":"text","text":""}}`,
				`{"type":"content_block_delta","index":2,"delta":{"type":"text_delta","text":"lo"}}`, stop2, ended, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
		"blocks that do not end": {
			[]string{start, text0, sayHello, ended, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
		"blocks without an index": {
			[]string{start, `{"type":"content_block_start","content_block":{"type":"text","text":""}}`, `{"type":"content_block_delta","delta":{"text":"Hello"}}`, `{"type":"content_block_stop"}`, ended, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
		"a message that begins twice": {
			[]string{start, start, text0, sayHello, stop0, ended, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
		"a start in the middle": {
			[]string{start, text0, strings.Replace(start, "msg_1", "msg_2", 1), sayHello, stop0, ended, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
		"what nobody knows yet": {
			[]string{start, `{"type":"later","x":1}`, `{"type":"content_block_start","index":1,"content_block":{"type":"server_tool_use","id":"s","name":"web","input":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{}"}}`, stop1, text0, sayHello,
				`{"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"type":"x"}}}`, stop0, ended, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
		"text behind the mark":    {append(slices.Clone(hello), text0, sayHello), event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"}},
		"a stop sequence":         {stopped(`"stop_sequence"`), event.LLMResp{Stop: "end", StopRaw: "stop_sequence"}},
		"the output limit":        {stopped(`"max_tokens"`), event.LLMResp{Stop: "length", StopRaw: "max_tokens"}},
		"the context limit":       {stopped(`"model_context_window_exceeded"`), event.LLMResp{Stop: "context", StopRaw: "model_context_window_exceeded"}},
		"a pause":                 {stopped(`"pause_turn"`), event.LLMResp{Stop: "end", StopRaw: "pause_turn"}},
		"a reason nobody knows":   {stopped(`"later"`), event.LLMResp{Stop: "end", StopRaw: "later"}},
		"tool use without a tool": {stopped(`"tool_use"`), event.LLMResp{Stop: "end", StopRaw: "tool_use"}},
		"a refusal":               {stopped(`"refusal"`), event.LLMResp{Stop: "refusal", StopRaw: "refusal"}},
		"a refusal that explains": {stopped(`"refusal","stop_details":{"type":"refusal","explanation":"Not that."}`), event.LLMResp{Text: "Not that.", Stop: "refusal", StopRaw: "refusal"}},
		"a reason that is said once": {
			[]string{start, text0, sayHello, stop0, ended, `{"type":"message_delta","delta":{"stop_reason":null},"usage":null}`, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "end_turn"},
		},
	})
}

func TestCalls(t *testing.T) {
	calls := []event.ModelCall{
		{ID: "c1-1", ProviderID: "toolu_a", Name: "file-read", Args: event.RawJSON(`{"path":"a"}`)},
		{ID: "c1-2", ProviderID: "toolu_b", Name: "file-list", Args: event.RawJSON(`{}`)},
	}
	checkReplies(t, map[string]said{
		"calls in pieces behind text": {
			[]string{start, text0, sayHello, stop0,
				`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_a","name":"file-read","input":{}}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"path\""}}`,
				`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":": \"a\"}"}}`, stop1,
				`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_b","name":"file-list","input":{}}}`, stop2, endedTool, done},
			event.LLMResp{Text: "Hello", ToolCalls: calls, Stop: "tool_calls", StopRaw: "tool_use"},
		},
		"whole calls at one index, with a stop of end_turn": {
			[]string{start,
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_a","name":"file-read","input":{"path":"a"}}}`,
				`{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_b","name":"file-list"}}`, ended, done},
			event.LLMResp{ToolCalls: calls, Stop: "tool_calls", StopRaw: "end_turn"},
		},
		"calls side by side, one without an id": {
			[]string{start,
				`{"type":"content_block_start","index":3,"content_block":{"type":"tool_use","id":"toolu_a","name":"file-read","input":{}}}`,
				`{"type":"content_block_start","index":4,"content_block":{"type":"tool_use","name":"file-list","input":{}}}`,
				`{"type":"content_block_delta","index":4,"delta":{"partial_json":"{}"}}`,
				`{"type":"content_block_delta","index":3,"delta":{"partial_json":"{\"path\":\"a\"}"}}`, endedTool, done},
			event.LLMResp{ToolCalls: []event.ModelCall{calls[0], {ID: "c1-2", Name: "file-list", Args: event.RawJSON(`{}`)}}, Stop: "tool_calls", StopRaw: "tool_use"},
		},
		"a call that the output limit cut": {
			[]string{start, `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"toolu_a","name":"file-read","input":{}}}`,
				`{"type":"content_block_delta","index":0,"delta":{"partial_json":"{\"path\":"}}`, stop0, strings.Replace(ended, "end_turn", "max_tokens", 1), done},
			event.LLMResp{ToolCalls: []event.ModelCall{{ID: "c1-1", ProviderID: "toolu_a", Name: "file-read", Args: event.RawJSON(`"{\"path\":"`)}}, Stop: "length", StopRaw: "max_tokens"},
		},
	})
}

func TestUsage(t *testing.T) {
	begun := func(usage string) string {
		return `{"type":"message_start","message":{"id":"m","usage":` + usage + `}}`
	}
	last := func(usage string) string {
		return `{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":` + usage + `}`
	}
	for name, c := range map[string]struct {
		events []string
		want   event.Usage
	}{
		"nothing": {[]string{begun(`null`), last(`null`)}, event.Usage{Unreported: true}},
		"the prompt includes the cache": {
			[]string{begun(`{"input_tokens":3,"cache_read_input_tokens":100,"cache_creation_input_tokens":20,"output_tokens":1}`), last(`{"output_tokens":9,"output_tokens_details":{"thinking_tokens":5}}`)},
			event.Usage{PromptTokens: new(int64(123)), CachedTokens: new(int64(100)), CacheWriteTokens: new(int64(20)), OutputTokens: new(int64(9)), ReasoningTokens: new(int64(5))},
		},
		"a reported zero": {
			[]string{begun(`{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":null,"output_tokens":0,"output_tokens_details":null}`), last(`{}`)},
			event.Usage{PromptTokens: new(int64(3)), CachedTokens: new(int64(0)), OutputTokens: new(int64(0))},
		},
		"corrected later, and a null corrects nothing": {
			[]string{begun(`{"input_tokens":43,"cache_read_input_tokens":7,"output_tokens":1}`), last(`{"input_tokens":61,"cache_read_input_tokens":null,"output_tokens":2}`), last(`{"input_tokens":null,"output_tokens":8}`)},
			event.Usage{PromptTokens: new(int64(68)), CachedTokens: new(int64(7)), OutputTokens: new(int64(8))},
		},
		"a cache write by its kinds": {
			[]string{begun(`{"input_tokens":1,"cache_creation":{"ephemeral_5m_input_tokens":4,"ephemeral_1h_input_tokens":8},"output_tokens":1}`), last(`{}`)},
			event.Usage{PromptTokens: new(int64(13)), CacheWriteTokens: new(int64(12)), OutputTokens: new(int64(1))},
		},
		"at the end only": {
			[]string{begun(`null`), last(`{"input_tokens":5,"output_tokens":6}`)},
			event.Usage{PromptTokens: new(int64(5)), OutputTokens: new(int64(6))},
		},
		"no prompt, whatever the cache": {
			[]string{begun(`{"cache_read_input_tokens":4}`), last(`{}`)},
			event.Usage{CachedTokens: new(int64(4)), Unreported: true},
		},
	} {
		got, err := ask(t, stream(append(c.events, done)...))
		check(t, name+" error", err, nil)
		check(t, name, got.Usage, c.want)
	}
}

func TestTruncatedAtEveryByte(t *testing.T) {
	whole := wire(start, text0, sayHello, stop0, `{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"a","name":"x","input":{}}}`, stop1, endedTool, done)
	for n := range whole {
		for name, rest := range map[string]io.Reader{"closed": strings.NewReader(""), "lost": iotest.ErrReader(io.ErrUnexpectedEOF)} {
			synctest.Test(t, func(t *testing.T) {
				var list []answer
				for range 3 {
					a := stream()
					a.body = io.MultiReader(strings.NewReader(whole[:n]), rest)
					list = append(list, a)
				}
				got, err := ask(t, list...)
				brokenStream(t, name, got, err)
			})
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(wire(hello...))
	f.Add(wire(thinkingReply...))
	f.Fuzz(func(t *testing.T, in string) {
		var r provider.Reply
		err := decode(strings.NewReader(in), func(c provider.Chunk) error { r.Add(c); return nil })
		if resp := r.Resp(1); (err == nil) != (resp.Stop != "") {
			t.Errorf("error %v and stop %q", err, resp.Stop)
		}
		if err == nil && !strings.Contains(in, "message_stop") && !strings.Contains(in, `\u`) {
			t.Error("a reply without its mark is complete")
		}
	})
}
