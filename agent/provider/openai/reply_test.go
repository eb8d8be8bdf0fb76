package openai

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

const (
	hello  = `{"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"}}]}`
	finish = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	count  = `{"choices":[],"usage":{"prompt_tokens":10,"completion_tokens":2,"total_tokens":12}}`
	done   = "[DONE]"
)

// counted is the usage of count.
func counted() event.Usage {
	return event.Usage{PromptTokens: new(int64(10)), OutputTokens: new(int64(2))}
}

func calls(id1, id2 string) []event.ModelCall {
	return []event.ModelCall{
		{ID: "c1-1", ProviderID: id1, Name: "file-read", Args: event.RawJSON(`{"path":"a"}`)},
		{ID: "c1-2", ProviderID: id2, Name: "file-list", Args: event.RawJSON(`{}`)},
	}
}

// said is a stream and the reply it makes.
type said struct {
	events []string
	want   event.LLMResp
}

func checkReplies(t *testing.T, cases map[string]said) {
	t.Helper()
	for name, c := range cases {
		c.want.Req, c.want.Attempts = 1, 1
		got, err := ask(t, t.Context(), stream(c.events...))
		check(t, name, got, c.want)
		check(t, name+" error", err, nil)
	}
}

func TestTexts(t *testing.T) {
	unreported := event.Usage{Unreported: true}
	checkReplies(t, map[string]said{
		"text": {
			[]string{`{"choices":[],"prompt_filter_results":[]}`, hello, `{"choices":[{"index":0,"delta":{"content":null}}]}`, `{"choices":[{"index":0,"delta":{"content":", you"}}]}`, finish, count, done},
			event.LLMResp{Text: "Hello, you", Stop: "end", StopRaw: "stop", Usage: counted()},
		},
		"no usage": {
			[]string{hello, finish, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "stop", Usage: unreported},
		},
		"reasoning in either member": {
			[]string{`{"choices":[{"delta":{"reasoning_content":"Let me "}}]}`, `{"choices":[{"delta":{"reasoning":"see."}}]}`, hello, finish, done},
			event.LLMResp{Text: "Hello", Thinking: "Let me see.", Stop: "end", StopRaw: "stop", Usage: unreported},
		},
		"cut by the output limit": {
			[]string{hello, `{"choices":[{"delta":{},"finish_reason":"length"}]}`, done},
			event.LLMResp{Text: "Hello", Stop: "length", StopRaw: "length", Usage: unreported},
		},
		"filtered": {
			[]string{hello, `{"choices":[{"delta":{},"finish_reason":"content_filter"}]}`, done},
			event.LLMResp{Text: "Hello", Stop: "refusal", StopRaw: "content_filter", Usage: unreported},
		},
		"refused": {
			[]string{`{"choices":[{"delta":{"refusal":"I won't."}}]}`, finish, done},
			event.LLMResp{Text: "I won't.", Stop: "refusal", StopRaw: "stop", Usage: unreported},
		},
		"another choice is none of ours": {
			[]string{hello, `{"choices":[{"index":1,"delta":{"content":"Bye"},"finish_reason":"length"}]}`, finish, done},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "stop", Usage: unreported},
		},
		"text behind the mark": {
			[]string{hello, finish, done, hello},
			event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "stop", Usage: unreported},
		},
	})
}

func TestCalls(t *testing.T) {
	unreported := event.Usage{Unreported: true}
	checkReplies(t, map[string]said{
		"calls in pieces": {
			[]string{
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"file-read","arguments":""}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"path\""}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"changed","function":{"arguments":":\"a\"}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"file-list","arguments":""}}]}}]}`,
				`{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}`, done,
			},
			event.LLMResp{ToolCalls: calls("a", "b"), Stop: "tool_calls", StopRaw: "tool_calls", Usage: unreported},
		},
		"calls from 1, without ids, with a finish of stop": {
			[]string{
				`{"choices":[{"delta":{"tool_calls":[{"index":1,"function":{"name":"file-read","arguments":"{\"path\":\"a\"}"}},{"index":2,"function":{"name":"file-list"}}]}}]}`,
				finish, done,
			},
			event.LLMResp{ToolCalls: calls("", ""), Stop: "tool_calls", StopRaw: "stop", Usage: unreported},
		},
		"whole calls that all have index 0": {
			[]string{
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"file-read","arguments":"{\"path\":\"a\"}"}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"b","function":{"name":"file-list","arguments":"{}"}}]}}]}`,
				finish, done,
			},
			event.LLMResp{ToolCalls: calls("a", "b"), Stop: "tool_calls", StopRaw: "stop", Usage: unreported},
		},
		"calls without an index, arguments as an object": {
			[]string{
				`{"choices":[{"delta":{"tool_calls":[{"id":"a","function":{"name":"file-read","arguments":{"path":"a"}}}]}}]}`,
				`{"choices":[{"delta":{"tool_calls":[{"function":{"name":"file-list","arguments":null}}]}}]}`,
				finish, done,
			},
			event.LLMResp{ToolCalls: calls("a", ""), Stop: "tool_calls", StopRaw: "stop", Usage: unreported},
		},
		"the old form of a call": {
			[]string{
				`{"choices":[{"delta":{"function_call":{"name":"file-list","arguments":"{"}}}]}`, `{"choices":[{"delta":{"function_call":{"arguments":"}"}},"finish_reason":"function_call"}]}`, done,
			},
			event.LLMResp{ToolCalls: []event.ModelCall{{ID: "c1-1", Name: "file-list", Args: event.RawJSON("{}")}}, Stop: "tool_calls", StopRaw: "function_call", Usage: unreported},
		},
	})
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		events []string
		want   event.Usage
	}{
		"all details": {
			[]string{`{"choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"total_tokens":120,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":8},"completion_tokens_details":{"reasoning_tokens":7},"cost":0.0025}}`},
			event.Usage{PromptTokens: new(int64(100)), OutputTokens: new(int64(20)), CachedTokens: new(int64(64)), CacheWriteTokens: new(int64(8)), ReasoningTokens: new(int64(7)), Cost: new(0.0025)},
		},
		"a reported zero": {
			[]string{`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":0,"prompt_tokens_details":{"cached_tokens":0}}}`},
			event.Usage{PromptTokens: new(int64(9)), OutputTokens: new(int64(0)), CachedTokens: new(int64(0))},
		},
		"reasoning on top of the completion": {
			[]string{`{"choices":[],"usage":{"prompt_tokens":307,"completion_tokens":26,"total_tokens":560,"completion_tokens_details":{"reasoning_tokens":227}}}`},
			event.Usage{PromptTokens: new(int64(307)), OutputTokens: new(int64(253)), ReasoningTokens: new(int64(227))},
		},
		"a cache hit by its old name": {
			[]string{`{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"prompt_cache_hit_tokens":5,"prompt_cache_miss_tokens":4}}`},
			event.Usage{PromptTokens: new(int64(9)), OutputTokens: new(int64(1)), CachedTokens: new(int64(5))},
		},
		"in another place": {
			[]string{`{"choices":[],"x_groq":{"usage":{"prompt_tokens":9,"completion_tokens":1}}}`},
			event.Usage{PromptTokens: new(int64(9)), OutputTokens: new(int64(1))},
		},
		"on a chunk with a choice, corrected later": {
			[]string{`{"choices":[{"delta":{"content":"."},"usage":{"prompt_tokens":43,"completion_tokens":1}}],"usage":null}`, `{"choices":[],"usage":{"prompt_tokens":61}}`},
			event.Usage{PromptTokens: new(int64(61)), OutputTokens: new(int64(1))},
		},
	} {
		got, err := ask(t, t.Context(), stream(append(c.events, finish, done)...))
		check(t, name+" error", err, nil)
		check(t, name, got.Usage, c.want)
	}
}

func TestTruncatedAtEveryByte(t *testing.T) {
	whole := wire(hello, finish, count, done)
	for n := range whole {
		for name, rest := range map[string]io.Reader{"closed": strings.NewReader(""), "lost": iotest.ErrReader(io.ErrUnexpectedEOF)} {
			synctest.Test(t, func(t *testing.T) {
				var list []answer
				for range 3 {
					a := stream()
					a.body = io.MultiReader(strings.NewReader(whole[:n]), rest)
					list = append(list, a)
				}
				got, err := ask(t, t.Context(), list...)
				var e *provider.Error
				if !errors.As(err, &e) || e.Code != "broken_stream" || got.Stop != "" || got.Attempts != 3 {
					t.Fatalf("%s after %d bytes: got stop %q in attempt %d and error %v", name, n, got.Stop, got.Attempts, err)
				}
			})
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(wire(hello, finish, count, done))
	f.Add(wire(`{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"n","arguments":"{}"}}]}}]}`, finish, done))
	f.Fuzz(func(t *testing.T, in string) {
		var r provider.Reply
		err := decode(strings.NewReader(in), func(c provider.Chunk) error { r.Add(c); return nil })
		if resp := r.Resp(1); (err == nil) != (resp.Stop != "") {
			t.Errorf("error %v and stop %q", err, resp.Stop)
		}
		if err == nil && !strings.Contains(in, "[DONE]") {
			t.Error("a reply without its mark is complete")
		}
	})
}
