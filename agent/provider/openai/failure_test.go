package openai

import (
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

func TestErrors(t *testing.T) {
	plain := func(status int, body string) answer { return answer{status: status, body: strings.NewReader(body)} }
	const kept = 2000
	long := strings.Repeat("é", kept)
	for name, c := range map[string]struct {
		answer   answer
		want     provider.Error
		overflow bool
	}{
		"OpenAI":                  {plain(401, `{"error":{"message":"bad key","type":"invalid_request_error","code":"invalid_api_key","param":null}}`), provider.Error{Status: 401, Code: "invalid_api_key", Message: "bad key"}, false},
		"a type and no code":      {plain(400, `{"error":{"message":"no","type":"invalid_request_error","code":null}}`), provider.Error{Status: 400, Code: "invalid_request_error", Message: "no"}, false},
		"a code that is a number": {plain(402, `{"error":{"code":402,"message":"no credit","metadata":{}}}`), provider.Error{Status: 402, Code: "402", Message: "no credit"}, false},
		"vLLM":                    {plain(400, `{"object":"error","message":"This model's maximum context length is 8 tokens.","type":"BadRequestError","code":400}`), provider.Error{Status: 400, Code: "context_length_exceeded", Message: "This model's maximum context length is 8 tokens."}, true},
		"overflow":                {plain(400, `{"error":{"message":"too long","code":"context_length_exceeded"}}`), provider.Error{Status: 400, Code: "context_length_exceeded", Message: "too long"}, true},
		"a text for an error":     {plain(404, `{"error":"model \"x\" not found"}`), provider.Error{Status: 404, Message: `model "x" not found`}, false},
		"a detail":                {plain(422, `{"detail":"no such field"}`), provider.Error{Status: 422, Message: "no such field"}, false},
		"plain text":              {plain(403, "Forbidden by the proxy\n"), provider.Error{Status: 403, Message: "Forbidden by the proxy"}, false},
		"a long text":             {plain(403, long), provider.Error{Status: 403, Message: long[:kept] + "…"}, false},
		"nothing":                 {plain(418, ""), provider.Error{Status: 418}, false},
		"quota":                   {plain(429, `{"error":{"message":"pay","code":"insufficient_quota"}}`), provider.Error{Status: 429, Code: "insufficient_quota", Message: "pay"}, false},
		"a redirect":              {answer{status: 307, header: map[string]string{"Location": "http://elsewhere.test/"}, body: strings.NewReader("")}, provider.Error{Status: 307}, false},
		"inside a stream":         {stream(hello, `{"error":{"message":"bad","code":"invalid_prompt"}}`), provider.Error{Code: "invalid_prompt", Message: "bad"}, false},
		"overflow in a stream":    {stream(`{"error":{"message":"Your input exceeds the context window of this model"}}`), provider.Error{Code: "context_length_exceeded", Message: "Your input exceeds the context window of this model"}, true},
		"vLLM inside a stream":    {stream(`{"object":"error","message":"bad","code":400}`), provider.Error{Code: "400", Message: "bad"}, false},
		"an error for a stream":   {answer{status: 200, header: map[string]string{"Content-Type": "application/json; charset=utf-8"}, body: strings.NewReader(`{"error":{"message":"bad","code":"x"}}`)}, provider.Error{Code: "x", Message: "bad"}, false},
		"a reply for a stream":    {answer{status: 200, header: map[string]string{"Content-Type": "application/json"}, body: strings.NewReader(`{"choices":[]}`)}, provider.Error{Status: 200, Code: "no_stream", Message: `the server answered without a stream: {"choices":[]}`}, false},
	} {
		got, err := ask(t, t.Context(), c.answer)
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
		"overloaded":             {status: 529, body: strings.NewReader("busy")},
		"rate":                   {status: 429, header: map[string]string{"Retry-After": "3"}, body: strings.NewReader("{}")},
		"connection lost":        {err: io.ErrUnexpectedEOF},
		"an error in the stream": stream(hello, `{"error":{"message":"busy","type":"overloaded_error"}}`),
		"a number for a code":    stream(hello, `{"error":{"message":"busy","code":502}}`),
		"no chunk":               stream(hello, `<html>`),
		"no finish reason":       stream(hello, done),
		"no mark":                stream(hello, finish, count),
		"the server gave up":     stream(hello, `{"choices":[{"delta":{},"finish_reason":"insufficient_system_resource"}]}`, done),
	} {
		synctest.Test(t, func(t *testing.T) {
			got, err := ask(t, t.Context(), first, stream(hello, finish, count, done))
			check(t, name, got, event.LLMResp{Req: 1, Text: "Hello", Stop: "end", StopRaw: "stop", Attempts: 2, Usage: counted()})
			check(t, name+" error", err, nil)
		})
	}
}

func TestRefusalToConnectIsFinal(t *testing.T) {
	denied := errors.New("the guard says no")
	_, err := ask(t, t.Context(), answer{err: denied})
	check(t, "error", err, denied)
}
