package ollama

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
	hello = `{"model":"m","created_at":"2026-11-30T12:00:00Z","message":{"role":"assistant","content":"Hello"},"done":false}`
	call1 = `{"message":{"role":"assistant","content":"","tool_calls":[{"id":"call_a","function":{"index":0,"name":"file-read","arguments":{"path": "a"}}}]},"done":false}`
	call2 = `{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"index":0,"name":"file-list","arguments":{}}},{"function":{"name":"file-list","arguments":null}}]},"done":false}`
	done  = `{"model":"m","message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","total_duration":60125000,"load_duration":1500000,"prompt_eval_count":1213,"prompt_eval_duration":19250000,"eval_count":2,"eval_duration":30500000}`
)

// counted is the usage of done.
func counted() event.Usage {
	return event.Usage{
		PromptTokens: new(int64(1213)), OutputTokens: new(int64(2)),
		PromptEvalMS: new(19.25), EvalMS: new(30.5), TotalMS: new(60.125), LoadMS: new(1.5),
	}
}

func TestReplies(t *testing.T) {
	calls := []event.ModelCall{
		{ID: "c1-1", ProviderID: "call_a", Name: "file-read", Args: event.RawJSON(`{"path":"a"}`)},
		{ID: "c1-2", Name: "file-list", Args: event.RawJSON(`{}`)},
		{ID: "c1-3", Name: "file-list", Args: event.RawJSON(`{}`)},
	}
	reason := func(word string) string { return strings.Replace(done, `"stop"`, word, 1) }
	for name, c := range map[string]struct {
		lines []string
		want  event.LLMResp
	}{
		"text":                   {[]string{hello, `{"message":{"content":", you"}}`, "", done}, event.LLMResp{Text: "Hello, you", Stop: "end", StopRaw: "stop"}},
		"thinking":               {[]string{`{"message":{"content":"","thinking":"hm"}}`, hello, done}, event.LLMResp{Text: "Hello", Thinking: "hm", Stop: "end", StopRaw: "stop"}},
		"calls, with a stop":     {[]string{hello, call1, call2, done}, event.LLMResp{Text: "Hello", ToolCalls: calls, Stop: "tool_calls", StopRaw: "stop"}},
		"calls in the last line": {[]string{strings.Replace(done, `"content":""`, `"content":"Hi","tool_calls":[{"id":"call_a","function":{"name":"file-read","arguments":"{\"path\":\"a\"}"}}]`, 1)}, event.LLMResp{Text: "Hi", ToolCalls: calls[:1], Stop: "tool_calls", StopRaw: "stop"}},
		"the output limit":       {[]string{hello, reason(`"length"`)}, event.LLMResp{Text: "Hello", Stop: "length", StopRaw: "length"}},
		"no reason":              {[]string{hello, reason(`null`)}, event.LLMResp{Text: "Hello", Stop: "end"}},
		"a reason nobody knows":  {[]string{hello, reason(`"later"`)}, event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "later"}},
		"unloaded at its end":    {[]string{hello, reason(`"unload"`)}, event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "unload"}},
		"nothing":                {[]string{done}, event.LLMResp{Stop: "end", StopRaw: "stop"}},
		"text behind the end":    {[]string{hello, done, hello}, event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "stop"}},
		"lines that end in CR":   {[]string{hello + "\r", done + "\r"}, event.LLMResp{Text: "Hello", Stop: "end", StopRaw: "stop"}},
	} {
		c.want.Req, c.want.Attempts, c.want.Usage = 1, 1, counted()
		got, err := ask(t, stream(c.lines...))
		check(t, name, got, c.want)
		check(t, name+" error", err, nil)
	}
}

func TestStreamThatCallsItselfJSON(t *testing.T) {
	got, err := ask(t, answer{200, "application/json; charset=utf-8", strings.NewReader(wire(hello, done))})
	check(t, "error", err, nil)
	check(t, "reply", got, event.LLMResp{Req: 1, Text: "Hello", Stop: "end", StopRaw: "stop", Attempts: 1, Usage: counted()})
}

func TestUsage(t *testing.T) {
	for name, c := range map[string]struct {
		counts string
		want   event.Usage
	}{
		"nothing":            {``, event.Usage{Unreported: true}},
		"a cache":            {`,"prompt_eval_count":1213,"prompt_eval_cached_count":1200,"eval_count":1`, event.Usage{PromptTokens: new(int64(1213)), CachedTokens: new(int64(1200)), OutputTokens: new(int64(1))}},
		"a cache of nothing": {`,"prompt_eval_count":1213,"prompt_eval_cached_count":0`, event.Usage{PromptTokens: new(int64(1213)), CachedTokens: new(int64(0))}},
		"no cache":           {`,"prompt_eval_count":1213`, event.Usage{PromptTokens: new(int64(1213))}},
		"times alone":        {`,"total_duration":2,"load_duration":0`, event.Usage{Unreported: true, TotalMS: new(0.000002), LoadMS: new(0.0)}},
	} {
		got, err := ask(t, stream(hello, `{"done":true,"done_reason":"stop"`+c.counts+`}`))
		check(t, name+" error", err, nil)
		check(t, name, got.Usage, c.want)
	}
}

func TestErrors(t *testing.T) {
	for name, c := range map[string]struct {
		answer   answer
		want     provider.Error
		overflow bool
	}{
		"no such model": {answer{404, "application/json", strings.NewReader(`{"error":"model 'm' not found"}`)},
			provider.Error{Status: 404, Message: "model 'm' not found; `ollama list` shows what is there, `ollama pull` fetches more"}, false},
		"no such page":  {answer{404, "text/plain", strings.NewReader("404 page not found")}, provider.Error{Status: 404, Message: "404 page not found"}, false},
		"a bad request": {answer{400, "application/json", strings.NewReader(`{"error":"\"m\" does not support thinking"}`)}, provider.Error{Status: 400, Message: `"m" does not support thinking`}, false},
		"overflow":      {answer{400, "application/json", strings.NewReader(`{"error":"the input length exceeds the context length"}`)}, provider.Error{Status: 400, Code: "context_length_exceeded", Message: "the input length exceeds the context length"}, true},
		"overflow, by 500": {answer{500, "application/json", strings.NewReader(`{"error":"request (9000 tokens) exceeds the available context size (8192 tokens)"}`)},
			provider.Error{Status: 500, Code: "context_length_exceeded", Message: "request (9000 tokens) exceeds the available context size (8192 tokens)"}, true},
		"overflow in the stream": {stream(hello, `{"error":"input length exceeds maximum context length"}`), provider.Error{Code: "context_length_exceeded", Message: "input length exceeds maximum context length"}, true},
		"overflow, cut short":    {answer{200, "application/x-ndjson", strings.NewReader(`{"error":"the input length exceeds the context length"}`)}, provider.Error{Code: "context_length_exceeded", Message: "the input length exceeds the context length"}, true},
		"signed out":             {answer{401, "application/json", strings.NewReader(`{"error":"unauthorized","signin_url":"x"}`)}, provider.Error{Status: 401, Message: "unauthorized"}, false},
	} {
		got, err := ask(t, c.answer)
		check(t, name+" stop", got.Stop, "")
		var e *provider.Error
		if !errors.As(err, &e) {
			t.Errorf("%s: got error %v", name, err)
			continue
		}
		check(t, name, *e, c.want)
		check(t, name+" overflow", e.Overflow(), c.overflow)
	}
}

func TestRetries(t *testing.T) {
	for name, first := range map[string]answer{
		"busy":                       {503, "application/json", strings.NewReader(`{"error":"server busy, please try again.  maximum pending requests exceeded"}`)},
		"an error in the stream":     stream(hello, `{"error":"model runner has unexpectedly stopped"}`),
		"an error that is an object": stream(hello, `{"error":{"message":"overloaded","code":503}}`),
		"an error in another form":   stream(hello, `{"error":"x","message":"y"}`),
		"an error without an end":    {200, "application/json", strings.NewReader(`{"error":"model runner has unexpectedly stopped"}`)},
		"no line of a reply":         stream(hello, "<html>"),
		"two lines in one":           stream(hello + done),
		"nothing":                    {200, "application/x-ndjson", strings.NewReader("")},
		"no line that is done":       stream(hello),
		"the model was loaded only":  stream(strings.Replace(done, `"stop"`, `"load"`, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				got, err := ask(t, first, stream(hello, done))
				check(t, "reply", got, event.LLMResp{Req: 1, Text: "Hello", Stop: "end", StopRaw: "stop", Attempts: 2, Usage: counted()})
				check(t, "error", err, nil)
			})
		})
	}
}

func TestErrorInTheStreamThrice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const failed = `{"error":"error parsing tool call"}`
		got, err := ask(t, stream(failed), stream(hello, failed), stream(failed))
		check(t, "stop", got.Stop, "")
		check(t, "error", err.Error(), "3 attempts: error parsing tool call")
	})
}

func TestTruncatedAtEveryByte(t *testing.T) {
	whole := wire(hello, call1, done)
	for n := range whole {
		for name, rest := range map[string]io.Reader{"closed": strings.NewReader(""), "lost": iotest.ErrReader(io.ErrUnexpectedEOF)} {
			synctest.Test(t, func(t *testing.T) {
				var list []answer
				for range 3 {
					list = append(list, answer{200, "application/x-ndjson", io.MultiReader(strings.NewReader(whole[:n]), rest)})
				}
				got, err := ask(t, list...)
				var e *provider.Error
				if !errors.As(err, &e) || e.Code != "broken_stream" || got.Stop != "" || got.Attempts != 3 {
					t.Fatalf("%s after %d bytes: got stop %q in attempt %d and error %v", name, n, got.Stop, got.Attempts, err)
				}
			})
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(wire(hello, call1, call2, done))
	f.Add(wire(hello, `{"error":"x"}`))
	f.Fuzz(func(t *testing.T, in string) {
		var r provider.Reply
		err := decode(strings.NewReader(in), func(c provider.Chunk) error { r.Add(c); return nil })
		if resp := r.Resp(1); (err == nil) != (resp.Stop != "") {
			t.Errorf("error %v and stop %q", err, resp.Stop)
		}
		if err == nil && !strings.Contains(in, "true") {
			t.Error("a reply without its mark is complete")
		}
	})
}
