package tool

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
)

// arguments is a tool's arguments once they are decoded.
type arguments interface {
	// check says what a schema cannot, naming the field.
	check() error
}

// definition is what a tool's file says of it.
type definition struct {
	name        string
	description string
	schema      string
	// form is an example that shows every argument.
	form     string
	readOnly bool
}

// define makes a tool of a definition and the function that runs it.
func define[A arguments](d definition, run func(context.Context, Env, A) (Result, error)) Tool {
	return Tool{
		Name:        d.name,
		Description: strings.TrimSpace(d.description),
		Schema:      jsontext.Value(d.schema),
		ReadOnly:    d.readOnly,
		run: func(ctx context.Context, env Env, raw []byte) (Result, error) {
			var args A
			if err := decodeArguments(raw, &args); err != nil {
				return d.invalid(err), nil
			}
			if err := args.check(); err != nil {
				return d.invalid(err), nil
			}
			r, err := run(ctx, env, args)
			if err == nil {
				return r, nil
			}
			if r, ok := d.answer(err); ok {
				return r, nil
			}
			return Result{Text: r.Text}, fmt.Errorf("%s: %w", d.name, err)
		},
	}
}

func (d definition) invalid(err error) Result {
	return refuse(wordInvalid, fmt.Sprintf("wrong arguments for %s: %v. The right form is %s", d.name, err, d.form))
}

// answer turns an error into a result if the model can do something about it.
func (d definition) answer(err error) (Result, bool) {
	if denied, ok := errors.AsType[*guard.DeniedError](err); ok {
		return Result{Error: wordDenied, Text: denied.Error(), Stop: denied.Stop}, true
	}
	if query, ok := errors.AsType[*index.QueryError](err); ok {
		return d.invalid(query), true
	}
	if large, ok := errors.AsType[*guard.TooLargeError](err); ok {
		return refuse(wordTooLarge, large.Error()+"; find the part you need with code-search, or print it with shell-exec"), true
	}
	if errors.Is(err, guard.ErrNobody) {
		return refuse(wordUnanswered, err.Error()+"; go on with what you know, or say what you need"), true
	}
	if errors.Is(err, fs.ErrNotExist) {
		return refuse(wordNotFound, err.Error()+"; file-list shows what is there"), true
	}
	return Result{}, false
}

// decodeArguments decodes strictly: a misspelled argument that was dropped in silence would make a call do something else than was meant.
func decodeArguments(raw []byte, into any) error {
	if len(strings.TrimSpace(string(raw))) == 0 {
		raw = []byte("{}")
	}
	switch jsontext.Value(raw).Kind() {
	case '{':
	case '"':
		return explainText(raw)
	default:
		return errors.New("they are not a JSON object")
	}
	err := json.Unmarshal(raw, into, json.RejectUnknownMembers(true))
	if wrong, ok := errors.AsType[*json.SemanticError](err); ok {
		return explainMember(wrong)
	}
	if err != nil {
		return notJSON(err)
	}
	return nil
}

// explainText says what is wrong with arguments that are kept as a JSON string because they were no object.
func explainText(raw jsontext.Value) error {
	text, _ := jsontext.AppendUnquote(nil, raw) // what is not UTF-8 was replaced when it was quoted
	value, err := jsontext.NewDecoder(bytes.NewReader(text)).ReadValue()
	switch {
	case err != nil:
		return notJSON(err)
	case value.Kind() == '"':
		return errors.New("they are a string; send the JSON object itself")
	case value.Kind() == '{':
		return errors.New("something stands behind the JSON object")
	}
	return errors.New("they are not a JSON object")
}

func notJSON(err error) error {
	return fmt.Errorf("they are not valid JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
}

// explainMember says in words which argument is wrong, for a model knows nothing of Go types.
func explainMember(wrong *json.SemanticError) error {
	field := strings.ReplaceAll(strings.TrimPrefix(string(wrong.JSONPointer), "/"), "/", ".")
	if errors.Is(wrong, json.ErrUnknownName) {
		return fmt.Errorf("there is no argument %q", field)
	}
	return fmt.Errorf("%q is not %s", field, inWords(wrong.GoType))
}

func inWords(t reflect.Type) string {
	if t == nil {
		return "of the right form"
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list"
	case reflect.Struct:
		return "an object"
	}
	return "a string"
}

// missing says that an argument has no value.
func missing(field string) error { return fmt.Errorf("%q is missing or empty", field) }

// within says that a number is out of its bounds. Zero stands for an absent one.
func within(field string, n, most int) error {
	if n < 0 || n > most {
		return fmt.Errorf("%q is %d, want 1 to %d", field, n, most)
	}
	return nil
}
