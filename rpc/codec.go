package rpc

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// codec encodes what this side sends: types of the Language Server Protocol and types of rpc/protocol alike. What this side receives as a request is decoded by decode instead.
type codec struct{}

// Marshal encodes v. Text that is already JSON passes as it is.
func (codec) Marshal(v any) ([]byte, error) {
	if raw, ok := v.(jsontext.Value); ok {
		return raw, nil
	}
	return lsp.Marshal(v)
}

// Unmarshal decodes a client's answer into v.
func (codec) Unmarshal(data []byte, v any) error {
	if raw, ok := v.(*jsontext.Value); ok {
		*raw = jsontext.Value(data).Clone()
		return nil
	}
	return lsp.Unmarshal(data, v)
}

// encode gives the result of one of our methods its JSON. It encodes in one go what lsp.Marshal would copy once more, on its terms: text that is no UTF-8 is mended.
func encode(method string, result any) (jsontext.Value, error) {
	raw, err := json.Marshal(result, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode result of %s: %w", method, err)
	}
	return raw, nil
}

// params is a type of rpc/protocol that a client sends.
type params interface {
	Validate() error
}

// decode reads the params of one of our methods. A field that is unknown, of the wrong type or without a value that it needs is named in the error.
func decode[P params](method string, raw jsontext.Value) (P, error) {
	var p P
	if len(raw) == 0 {
		raw = jsontext.Value("{}")
	}
	err := json.Unmarshal(raw, &p, json.RejectUnknownMembers(true))
	if err == nil {
		err = p.Validate()
	}
	if err == nil {
		return p, nil
	}
	return p, &paramsError{method: method, err: fieldError(err)}
}

// paramsError says that the params of a method are wrong.
type paramsError struct {
	method string
	err    error
}

func (e *paramsError) Error() string { return fmt.Sprintf("read params of %s: %v", e.method, e.err) }

func (e *paramsError) Unwrap() error { return e.err }

// named adds the method to an error about its params that was found behind decode. Other errors say what they are about.
func named(method string, err error) error {
	_, invalid := errors.AsType[*agent.InvalidError](err)
	if _, wrong := errors.AsType[*protocol.FieldError](err); wrong || invalid {
		return &paramsError{method: method, err: err}
	}
	return err
}

// fieldError says in the protocol's terms where decoding failed.
func fieldError(err error) error {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return &protocol.FieldError{Field: fieldPath(syntax.JSONPointer), Reason: "is given twice"}
		}
		return fmt.Errorf("%w: %w", errSyntax, syntax.Err)
	}
	var semantic *json.SemanticError
	if !errors.As(err, &semantic) {
		return err
	}
	field := fieldPath(semantic.JSONPointer)
	if errors.Is(err, json.ErrUnknownName) {
		return &protocol.FieldError{Field: field, Reason: "is not known here; leave it out"}
	}
	if field == "" {
		return errors.New("params must be one JSON object")
	}
	return &protocol.FieldError{Field: field, Reason: fmt.Sprintf("a JSON %s does not fit here", kindName(semantic.JSONKind))}
}

// fieldPath turns a JSON pointer into the form that people write: attachments[0].type.
func fieldPath(p jsontext.Pointer) string {
	var b strings.Builder
	for token := range p.Tokens() {
		switch {
		case strings.Trim(token, "0123456789") == "":
			b.WriteString("[" + token + "]")
		case b.Len() > 0:
			b.WriteString("." + token)
		default:
			b.WriteString(token)
		}
	}
	return b.String()
}

func kindName(k jsontext.Kind) string {
	switch k {
	case '{':
		return "object"
	case '[':
		return "array"
	case '"':
		return "string"
	case '0':
		return "number"
	case 't', 'f':
		return "boolean"
	}
	return "null"
}
