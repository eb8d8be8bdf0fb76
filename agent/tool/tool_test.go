package tool

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/guard"
)

func TestTheListOfTools(t *testing.T) {
	var got []string
	for _, tool := range All() {
		name := tool.Name
		if tool.ReadOnly {
			name += " reads"
		}
		got = append(got, name)
	}
	want := []string{"file-read reads", "file-list reads", "code-search reads", "file-write", "file-edit", "shell-exec", "shell-output reads", "shell-kill", "ask-person"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, ok := Find("file_read"); ok {
		t.Error("a name in another spelling was found")
	}
}

// schema is as much of JSON Schema as the tools use.
type schema struct {
	Type        string            `json:"type"`
	Description string            `json:"description"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Closed      *bool             `json:"additionalProperties"`
	Items       *schema           `json:"items"`
	Enum        []string          `json:"enum"`
	Minimum     *int              `json:"minimum"`
	Maximum     *int              `json:"maximum"`
	MinItems    *int              `json:"minItems"`
	MaxItems    *int              `json:"maxItems"`
}

func TestSchemasDescribeTheArguments(t *testing.T) {
	types := map[string]any{
		"file-read": fileReadArguments{}, "file-list": fileListArguments{}, "code-search": codeSearchArguments{},
		"file-write": fileWriteArguments{}, "file-edit": fileEditArguments{}, "shell-exec": shellExecArguments{},
		"shell-output": shellOutputArguments{}, "shell-kill": shellKillArguments{}, "ask-person": askPersonArguments{},
	}
	for _, tool := range All() {
		t.Run(tool.Name, func(t *testing.T) {
			var s schema
			if err := json.Unmarshal(tool.Schema, &s, json.RejectUnknownMembers(true)); err != nil {
				t.Fatal(err)
			}
			checkSchema(t, s, reflect.TypeOf(types[tool.Name]))
			if tool.Description == "" {
				t.Error("there is no description")
			}
		})
	}
}

// checkSchema compares the names and types of an object's properties with the fields of a struct.
func checkSchema(t *testing.T, s schema, typ reflect.Type) {
	t.Helper()
	if s.Type != "object" || s.Closed == nil || *s.Closed {
		t.Errorf("schema of %s is not that of a closed object", typ)
	}
	got, want := map[string]string{}, map[string]string{}
	for name, p := range s.Properties {
		got[name] = p.Type
	}
	for field := range typ.Fields() {
		name := field.Tag.Get("json")
		want[name] = schemaType(field.Type)
		if items := s.Properties[name].Items; items != nil && items.Type == "object" {
			checkSchema(t, *items, field.Type.Elem())
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for _, name := range s.Required {
		if _, ok := s.Properties[name]; !ok {
			t.Errorf("required %q is no property", name)
		}
	}
}

func schemaType(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return schemaType(t.Elem())
	case reflect.Int:
		return "integer"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		return "array"
	}
	return "string"
}

// What is sent with every request must stay small.
func TestWhatEveryRequestCarriesIsBounded(t *testing.T) {
	system, err := os.ReadFile("../prompts/system.md")
	if err != nil {
		t.Fatal(err)
	}
	total := len(system)
	for _, tool := range All() {
		total += len(tool.Name) + len(tool.Description) + len(tool.Schema)
	}
	if len(system) > 4<<10 || total > 12<<10 {
		t.Errorf("system text has %d bytes, with tools %d; at most %d and %d", len(system), total, 4<<10, 12<<10)
	}
}

func TestWrongArgumentsNameTheFieldAndShowTheForm(t *testing.T) {
	for _, c := range []struct{ tool, args, says string }{
		{"file-read", ``, `"path" is missing`},
		{"file-read", `{}`, `"path" is missing`},
		{"file-read", `{"path": null}`, `"path" is missing`},
		{"file-read", `{"path": 1}`, `"path" is not a string`},
		{"file-read", `{"path": "a", "limit": "10"}`, `"limit" is not a whole number`},
		{"file-read", `{"path": "a", "limit": 1.5}`, `"limit" is not a whole number`},
		{"file-read", `{"path": "a", "limit": 2001}`, `"limit" is 2001, want 1 to 2000`},
		{"file-read", `{"path": "a", "offset": -1}`, `"offset" is -1`},
		{"file-read", `{"path": "a", "lines": 5}`, `no argument "lines"`},
		{"file-read", `{"Path": "a"}`, `no argument "Path"`},
		{"file-read", `{"path": "a", "path": "b"}`, `not valid JSON: duplicate`},
		{"file-read", `{"path": "a"`, `unexpected EOF`},
		{"file-read", `["a"]`, "not a JSON object"},
		// The log keeps text that was no object as a JSON string, so that is what a tool is given of it.
		{"file-read", `"{broken"`, "not valid JSON: invalid character"},
		{"file-read", `"{\"path\": \"a"`, "not valid JSON: unexpected EOF"},
		{"file-read", `"{\"path\": \"a\", \"path\": \"b\"}"`, "not valid JSON: duplicate"},
		{"file-read", `"{\"path\": \"a\"}{}"`, "something stands behind"},
		{"file-read", `"\"{}\""`, "they are a string"},
		{"file-read", `"[\"a\"]"`, "not a JSON object"},
		{"file-list", `{"depth": 99}`, `"depth" is 99`},
		{"code-search", `{"query": ""}`, `"query" is missing`},
		{"code-search", `{"query": "(", "kind": "regex"}`, "missing closing )"},
		{"code-search", `{"query": "a", "kind": "symbol"}`, "later index"},
		{"code-search", `{"query": "a", "include": "*.go"}`, `"include" is not a list`},
		{"code-search", `{"query": "a", "include": ["["]}`, "not a glob"},
		{"file-write", `{"path": "a"}`, `"content" is missing`},
		{"file-write", `{"content": "a"}`, `"path" is missing`},
		{"file-edit", `{"path": "a"}`, `"edits" is missing`},
		{"file-edit", `{"path": "a", "edits": []}`, `"edits" is missing`},
		{"file-edit", `{"path": "a", "edits": [{"old": "x"}]}`, `edits.0 needs both`},
		{"file-edit", `{"path": "a", "edits": [{"old": "x", "new": "y", "all": "yes"}]}`, `"edits.0.all" is not true or false`},
		{"file-edit", `{"path": "a", "edits": [{"old": "x", "new": "y", "count": 1}]}`, `no argument "edits.0.count"`},
		{"file-edit", `{"path": "a", "edits": ["x"]}`, `"edits.0" is not an object`},
		{"shell-exec", `{}`, "exactly one of"},
		{"shell-exec", `{"command": "a", "argv": ["b"]}`, "exactly one of"},
		{"shell-exec", `{"argv": [""]}`, "names no program"},
		{"shell-exec", `{"command": "a", "timeout_sec": 3601}`, `"timeout_sec" is 3601`},
		{"shell-exec", `{"command": "a", "background": "yes"}`, `"background" is not true or false`},
		{"shell-output", `{"wait_sec": 5}`, `"wait_sec" needs an "id"`},
		{"shell-output", `{"id": "a", "wait_sec": 61}`, `"wait_sec" is 61`},
		{"shell-kill", `{}`, `"id" is missing`},
		{"ask-person", `{"text": " "}`, `"text" is missing`},
		{"ask-person", `{"text": "a", "choices": [""]}`, "empty answer"},
		{"ask-person", `{"text": "a", "choices": ["1","2","3","4","5","6","7","8","9","10","11"]}`, "more than 10"},
	} {
		t.Run(c.tool+" "+c.args, func(t *testing.T) {
			h := newHarness(t, nil)
			got := h.callRaw(c.tool, c.args)
			form := "wrong arguments for " + c.tool
			if got.OK || got.Error != wordInvalid || !strings.HasPrefix(got.Text, form) || !strings.Contains(got.Text, c.says) || !strings.Contains(got.Text, "right form is {") {
				t.Errorf("got %+v, want it to say %q", got, c.says)
			}
			if len(h.asked) > 0 {
				t.Errorf("the person was asked: %+v", h.asked)
			}
		})
	}
}

// The form that an error shows must itself be right, and show every argument.
func TestShownFormsAreRight(t *testing.T) {
	h := newHarness(t, nil)
	for _, tool := range All() {
		var s schema
		if err := json.Unmarshal(tool.Schema, &s); err != nil {
			t.Fatal(err)
		}
		text := h.callRaw(tool.Name, `{"?": 1}`).Text
		_, form, _ := strings.Cut(text, "The right form is ")
		for name := range s.Properties {
			if !strings.Contains(form, fmt.Sprintf("%q: ", name)) {
				t.Errorf("%s: the form does not show %q: %s", tool.Name, name, form)
			}
		}
		first, _, _ := strings.Cut(form, " or, for a shell, ")
		h.answer = func(guard.Prompt) (guard.Answer, error) { return guard.Answer{Option: guard.DenyOnce, Text: "x"}, nil }
		if got := h.callRaw(tool.Name, first); got.Error == wordInvalid {
			t.Errorf("%s refuses its own form: %s", tool.Name, got.Text)
		}
	}
}
