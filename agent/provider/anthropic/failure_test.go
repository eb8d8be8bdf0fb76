package anthropic

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// plain is an answer that is no stream.
func plain(status int, body string) answer {
	return answer{status: status, body: strings.NewReader(body)}
}

func TestErrors(t *testing.T) {
	said := func(kind, message, details string) string {
		return `{"type":"error","error":{"type":"` + kind + `","message":"` + message + `","details":` + details + `},"request_id":"req_1"}`
	}
	for name, c := range map[string]struct {
		answer   answer
		want     provider.Error
		overflow bool
	}{
		"a bad request": {plain(400, said("invalid_request_error", "no", "null")), provider.Error{Status: 400, Code: "invalid_request_error", Message: "no"}, false},
		"a bad key":     {plain(401, said("authentication_error", "invalid x-api-key", "null")), provider.Error{Status: 401, Code: "authentication_error", Message: "invalid x-api-key"}, false},
		"no credit":     {plain(402, said("billing_error", "pay", "{}")), provider.Error{Status: 402, Code: "billing_error", Message: "pay"}, false},
		"too large":     {plain(413, said("request_too_large", "big", "null")), provider.Error{Status: 413, Code: "request_too_large", Message: "big"}, false},
		"details of another form": {plain(400, said("invalid_request_error", "no", `["error_code"]`)),
			provider.Error{Status: 400, Code: "invalid_request_error", Message: "no"}, false},
		"a spend limit": {answer{429, map[string]string{"X-Should-Retry": "true"}, strings.NewReader(said("rate_limit_error", "limit", `{"error_code":"enforced_spend_limit_reached"}`))},
			provider.Error{Status: 429, Code: "enforced_spend_limit_reached", Message: "limit"}, false},
		"a contract's spend limit": {plain(429, said("rate_limit_error", "limit", `{"error_code":"contract_spend_limit_reached"}`)),
			provider.Error{Status: 429, Code: "contract_spend_limit_reached", Message: "limit"}, false},
		"a ramp limit": {plain(429, said("rate_limit_error", "limit", `{"error_code":"ramp_limit_exceeded"}`)),
			provider.Error{Status: 429, Code: "ramp_limit_exceeded", Message: "limit"}, false},
		"a spend limit in the stream": {stream(start, said("rate_limit_error", "limit", `{"error_code":"linked_organization_spend_limit_reached"}`)),
			provider.Error{Code: "linked_organization_spend_limit_reached", Message: "limit"}, false},
		"the prompt is too long": {plain(400, said("invalid_request_error", "prompt is too long: 210118 tokens > 200000 maximum", "null")),
			provider.Error{Status: 400, Code: "context_length_exceeded", Message: "prompt is too long: 210118 tokens > 200000 maximum"}, true},
		"prompt and reply are too long": {plain(400, said("invalid_request_error", "input length and `max_tokens` exceed context limit: 1 + 2 > 2", "null")),
			provider.Error{Status: 400, Code: "context_length_exceeded", Message: "input length and `max_tokens` exceed context limit: 1 + 2 > 2"}, true},
		"the reply is too long": {plain(400, said("invalid_request_error", "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for m", "null")),
			provider.Error{Status: 400, Code: "invalid_request_error", Message: "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for m; set max_output = 8192 for this model"}, false},
		"another sentence on max_tokens": {plain(400, said("invalid_request_error", "max_tokens: Field required", "null")),
			provider.Error{Status: 400, Code: "invalid_request_error", Message: "max_tokens: Field required"}, false},
		"thinking of the old kind": {plain(400, said("invalid_request_error", "thinking.type.enabled is not supported for this model", "null")),
			provider.Error{Status: 400, Code: "invalid_request_error", Message: `thinking.type.enabled is not supported for this model; set effort = "adaptive" for this model, or one of its levels such as "adaptive-high"`}, false},
		"a proxy's words":          {plain(403, "Forbidden\n"), provider.Error{Status: 403, Message: "Forbidden"}, false},
		"a proxy's form":           {plain(400, `{"error":{"message":"no such model","code":"model_not_found"}}`), provider.Error{Status: 400, Code: "model_not_found", Message: "no such model"}, false},
		"inside the stream":        {stream(start, text0, sayHello, said("invalid_request_error", "no", "null")), provider.Error{Code: "invalid_request_error", Message: "no"}, false},
		"a bare error":             {stream(start, `{"type":"error","message":"no","code":"bad"}`), provider.Error{Code: "bad", Message: "no"}, false},
		"an error for a stream":    {answer{200, map[string]string{"Content-Type": "application/json"}, strings.NewReader(said("invalid_request_error", "no", "null"))}, provider.Error{Code: "invalid_request_error", Message: "no"}, false},
		"a message for a stream":   {answer{200, map[string]string{"Content-Type": "application/json"}, strings.NewReader(`{"type":"message"}`)}, provider.Error{Status: 200, Code: "no_stream", Message: `the server answered without a stream: {"type":"message"}`}, false},
		"a redirect, not followed": {answer{307, map[string]string{"Location": "http://elsewhere.test/"}, strings.NewReader("")}, provider.Error{Status: 307}, false},
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
	overloaded := `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"req_1"}`
	for name, c := range map[string]struct {
		first answer
		waits time.Duration
	}{
		"overloaded":               {plain(529, overloaded), 0},
		"timed out":                {plain(504, `{"type":"error","error":{"type":"timeout_error","message":"slow"}}`), 0},
		"rate":                     {answer{429, map[string]string{"Retry-After": "3"}, strings.NewReader(`{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}`)}, 3 * time.Second},
		"overloaded in the stream": {stream(start, text0, sayHello, overloaded), 0},
		"named an error":           {answer{200, nil, strings.NewReader(wire(start) + "event: error\ndata: {\"error\":{\"type\":\"api_error\",\"message\":\"x\"}}\n\n")}, 0},
		"no event":                 {stream(start, `{"type":"message_start"`), 0},
		"a type that is another":   {stream(`{"type":"message_start","message":[]}`), 0},
		"no stop reason":           {stream(start, text0, sayHello, stop0, done), 0},
		"a block that never began": {stream(start, sayHello, stop0, ended, done), 0},
		"a second reply spliced in": {stream(start, text0, sayHello,
			strings.Replace(start, "msg_1", "msg_2", 1), text0, sayHello, stop0, ended, done), 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				got, err := ask(t, c.first, stream(hello...))
				check(t, "reply", got, event.LLMResp{Req: 1, Text: "Hello", Stop: "end", StopRaw: "end_turn", Attempts: 2, Usage: counted()})
				check(t, "error", err, nil)
				if c.waits > 0 {
					check(t, "waited", time.Since(began), c.waits)
				}
			})
		})
	}
}

func TestNoStopReasonThriceIsBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		got, err := ask(t, stream(start, done), stream(start, done), stream(start, done))
		brokenStream(t, "no stop reason", got, err)
	})
}
