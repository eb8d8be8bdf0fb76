package provider

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxMessage bounds what is kept of a server's words.
const maxMessage = 2000

// Word is a text that some servers send as null, as a number or as an object; those count as their JSON.
type Word string

// UnmarshalJSON implements the json package's Unmarshaler.
func (w *Word) UnmarshalJSON(raw []byte) error {
	switch v := jsontext.Value(raw); v.Kind() {
	case 'n':
		*w = ""
	case '"':
		// The value is valid; only bytes that are not UTF-8 are reported, and replaced.
		text, _ := jsontext.AppendUnquote(nil, raw)
		*w = Word(text)
	default:
		*w = Word(strings.TrimSpace(string(raw)))
	}
	return nil
}

// Decode reads what a server sent into v. It accepts what servers send in spite of JSON's rules: repeated names and bytes that are not UTF-8.
func Decode(raw []byte, v any) error {
	return json.Unmarshal(raw, v, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// Failure is what an answer says of a failure.
type Failure struct {
	// Found says that the answer has the form of an error.
	Found bool
	// Code is the most exact word that the server has for it.
	Code string
	// Message is the server's sentence, or the answer itself where there is none.
	Message string
}

// details are the members that servers describe a failure with.
type details struct {
	Object  Word           `json:"object"`
	Code    Word           `json:"code"`
	Type    Word           `json:"type"`
	Message Word           `json:"message"`
	Detail  Word           `json:"detail"`
	Error   jsontext.Value `json:"error"`
	Details jsontext.Value `json:"details"`
}

// ReadFailure reads the forms of errors in use: {"error":{…}}, {"error":"text"}, an object that is the error itself, and plain text. One reader serves all wires, because what stands between us and a server answers in a form of its own.
func ReadFailure(raw []byte) Failure {
	var d details
	if err := Decode(raw, &d); err != nil {
		return Failure{Message: short(string(raw))}
	}
	inner := d
	found := d.Object == "error" || d.Type == "error"
	switch d.Error.Kind() {
	case '{':
		found, inner = true, details{}
		if err := Decode(d.Error, &inner); err != nil {
			inner = details{Message: Word(d.Error)}
		}
	case '"':
		text, _ := jsontext.AppendUnquote(nil, d.Error)
		found, inner = true, details{Message: Word(text)}
	}
	message := cmp.Or(inner.Message, inner.Detail)
	if message == "" {
		message = Word(raw)
	}
	return Failure{Found: found, Code: string(cmp.Or(inner.exact(), inner.Code, inner.Type)), Message: short(string(message))}
}

// exact returns the code that some errors keep one level further down, beside a code for their whole class.
func (d *details) exact() Word {
	var more struct {
		ErrorCode Word `json:"error_code"`
	}
	// Details of another form hold no such code.
	if d.Details.Kind() != '{' || Decode(d.Details, &more) != nil {
		return ""
	}
	return more.ErrorCode
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
