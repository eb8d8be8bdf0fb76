package rpc

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
)

// check returns the body when jsonrpc2 will accept it. Anything else would end the connection there, so it is answered here and nil is returned, or a body that says the same in a form that is accepted.
func (s *stream) check(body []byte) []byte {
	if len(body) == 0 {
		return nil // refused already
	}
	if rest := bytes.TrimLeft(body, " \t\r\n"); len(rest) > 0 && rest[0] == '[' {
		s.refuse(jsonrpc2.ID{}, jsonrpc2.InvalidRequest, "read message: batches are not part of the Language Server Protocol; send each message by itself")
		return nil
	}
	if _, err := jsonrpc2.DecodeMessage(body); err == nil {
		return body
	}
	if !jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		s.refuse(jsonrpc2.ID{}, jsonrpc2.ParseError, "read message: the body is not valid JSON")
		return nil
	}
	return s.invalid(body)
}

// envelope is what can be learned from a message that is no valid request or response.
type envelope struct {
	ID     jsontext.Value `json:"id"`
	Method jsontext.Value `json:"method"`
}

// invalid refuses a message that is JSON but not JSON-RPC. A malformed answer to a request of ours becomes an error answer: whoever waits for it must learn that nothing better will come.
func (s *stream) invalid(body []byte) []byte {
	var e envelope
	if err := json.Unmarshal(body, &e, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		s.refuse(jsonrpc2.ID{}, jsonrpc2.InvalidRequest, "read message: the body is not a JSON object")
		return nil
	}
	id := idOf(e.ID)
	if e.Method == nil && id.IsNumber() {
		s.refuse(jsonrpc2.ID{}, jsonrpc2.InvalidRequest, "read message: a response has \"jsonrpc\": \"2.0\" and either a result or an error object")
		return jsonrpc2.AppendResponse(nil, id, nil, jsonrpc2.NewError(jsonrpc2.InvalidRequest, "the client's response was malformed"))
	}
	if e.Method == nil {
		id = jsonrpc2.ID{}
	}
	s.refuse(id, jsonrpc2.InvalidRequest, "read message: a request has \"jsonrpc\": \"2.0\", a method and an id that is a string or a whole number")
	return nil
}

func idOf(raw jsontext.Value) jsonrpc2.ID {
	var n int64
	if json.Unmarshal(raw, &n) == nil && raw.Kind() == '0' {
		return jsonrpc2.NewNumberID(n)
	}
	var text string
	if json.Unmarshal(raw, &text) == nil && raw.Kind() == '"' {
		return jsonrpc2.NewStringID(text)
	}
	return jsonrpc2.ID{}
}
