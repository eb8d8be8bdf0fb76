package openai

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMessage bounds what is kept of a server's words.
const maxMessage = 2000

// failed is what an answer says of a failure.
type failed struct {
	// found says that the answer has the form of an error.
	found         bool
	code, message string
}

// details are the members that servers describe a failure with.
type details struct {
	Object  word           `json:"object"`
	Code    word           `json:"code"`
	Type    word           `json:"type"`
	Message word           `json:"message"`
	Detail  word           `json:"detail"`
	Error   jsontext.Value `json:"error"`
}

// failure reads the forms of errors in use: {"error":{…}}, {"error":"text"}, an object that is the error itself, and plain text.
func failure(raw []byte) failed {
	var d details
	if err := json.Unmarshal(raw, &d, lenient); err != nil {
		return failed{message: short(string(raw))}
	}
	inner := d
	found := d.Object == "error"
	switch d.Error.Kind() {
	case '{':
		found, inner = true, details{}
		if err := json.Unmarshal(d.Error, &inner, lenient); err != nil {
			inner = details{Message: word(d.Error)}
		}
	case '"':
		text, _ := jsontext.AppendUnquote(nil, d.Error)
		found, inner = true, details{Message: word(text)}
	}
	message := cmp.Or(inner.Message, inner.Detail)
	if message == "" {
		message = word(raw)
	}
	return failed{found: found, code: string(cmp.Or(inner.Code, inner.Type)), message: short(string(message))}
}

// short cuts a text at a character.
func short(s string) string {
	s = strings.TrimSpace(s)
	if len(s) <= maxMessage {
		return s
	}
	n := maxMessage
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
