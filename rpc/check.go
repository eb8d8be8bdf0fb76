package rpc

import (
	"bytes"
	"fmt"

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
		s.refuse(jsonrpc2.ID{}, malformed("the Language Server Protocol has no batches; send each message by itself", errEnvelope))
		return nil
	}
	if wellFormed(body) {
		return body
	}
	if !jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		s.refuse(jsonrpc2.ID{}, malformed("its body cannot be read", errSyntax))
		return nil
	}
	return s.invalid(body)
}

// wellFormed looks at the message without copying it where that is enough: names and ids with escapes, and errors, have to be decoded to be known.
func wellFormed(body []byte) bool {
	v, err := jsonrpc2.ScanMessageView(body)
	if err != nil {
		return false
	}
	if v.Kind != jsonrpc2.MessageViewResponseError && !v.MethodEscaped && !v.ID.StringEscaped() {
		return true
	}
	_, err = jsonrpc2.DecodeMessage(body)
	return err == nil
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
		s.refuse(jsonrpc2.ID{}, malformed("its body is no JSON object", errEnvelope))
		return nil
	}
	id := idOf(e.ID)
	if e.Method == nil && id.IsNumber() {
		err := malformed(`a response has "jsonrpc": "2.0" and either a result or an error object`, errEnvelope)
		s.refuse(jsonrpc2.ID{}, err)
		return jsonrpc2.AppendResponse(nil, id, nil, s.wire(err))
	}
	if e.Method == nil {
		id = jsonrpc2.ID{}
	}
	s.refuse(id, malformed(`a request has "jsonrpc": "2.0", a method and an id that is a string or a whole number`, errEnvelope))
	return nil
}

// malformed says what is wrong with a message that cannot be handled.
func malformed(why string, kind error) error {
	return fmt.Errorf("read message: %s: %w", why, kind)
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
