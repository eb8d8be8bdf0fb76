package rpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// TestWrongParamsAreNamed: an error says which field of which method is wrong, for people and for programs.
func TestWrongParamsAreNamed(t *testing.T) {
	for _, c := range []struct {
		name, method, params string
		field, says          string
	}{
		{"unknown field", "session/new", `{"repo":"/r","colour":1}`, "colour", "not known"},
		{"field in other letters", "session/new", `{"Repo":"/r"}`, "Repo", "not known"},
		{"unknown field inside", "session/prompt", `{"session":"s","text":"t","attachments":[{"type":"text","text":"x","size":1}]}`, "attachments[0].size", "not known"},
		{"wrong type", "session/new", `{"repo":7}`, "repo", "number"},
		{"wrong type inside", "session/prompt", `{"session":"s","text":"t","attachments":[{"type":"text"},{"type":[]}]}`, "attachments[1].type", "array"},
		{"fraction for a count", "session/events", `{"session":"s","limit":1.5}`, "limit", "number"},
		{"twice", "session/view", `{"session":"a","session":"b"}`, "session", "twice"},
		{"missing", "session/prompt", `{"session":"s"}`, "text", "required"},
		{"empty", "session/view", `{"session":""}`, "session", "required"},
		{"no params", "session/view", `null`, "session", "required"},
		{"missing title", "session/title", `{"session":"s"}`, "title", "required"},
		{"word that is none of the known", "session/new", `{"repo":"/r","mode":"look"}`, "mode", `"look" is not one of "edit", "ask"`},
		{"below zero", "session/cancel", `{"session":"s","turn":-1}`, "turn", "below zero"},
		{"relative path", "session/new", `{"repo":"here"}`, "repo", "absolute"},
		{"URI of another scheme", "session/new", `{"repo":"https://example.org/x"}`, "repo", "absolute"},
		{"URI of another machine", "session/new", `{"repo":"file://other/x"}`, "repo", "not the URI"},
		{"attachment without a path", "session/prompt", `{"session":"s","text":"t","attachments":[{"type":"file"}]}`, "attachments[0].path", "required"},
		{"a moment that is none", "session/prompt", `{"session":"s","text":"t","when":"later"}`, "when", `not one of "now"`},
		{"range that ends before it starts", "session/prompt", `{"session":"s","text":"t","attachments":[{"type":"selection","path":"a","range":{"start":{"line":1,"character":2},"end":{"line":1,"character":1}}}]}`, "attachments[0].range.end", "before the start"},
		{"NUL in a base", "session/new", `{"repo":"/r","base":"a\u0000"}`, "base", "NUL"},
		{"NUL in a repository", "session/new", `{"repo":"/r\u0000"}`, "repo", "NUL"},
		{"branch that is too long", "session/new", `{"repo":"/r","branch":"` + strings.Repeat("b", 1001) + `"}`, "branch", "longer"},
		{"NUL in a target", "session/land", `{"session":"s","into":"a\u0000"}`, "into", "NUL"},
		{"NUL in a message", "session/land", `{"session":"s","message":"\u0000"}`, "message", "NUL"},
		{"strategy", "session/land", `{"session":"s","strategy":"cherry-pick"}`, "strategy", `"squash", "merge"`},
		{"mode of a session", "session/mode", `{"session":"s","mode":"look"}`, "mode", `"edit", "ask", "plan"`},
		{"no mode", "session/mode", `{"session":"s"}`, "mode", "required"},
		{"steer of no turn", "session/steer", `{"session":"s","text":"t"}`, "turn", "required"},
		{"steer without a text", "session/steer", `{"session":"s","turn":1}`, "text", "required"},
		{"edit of a queue without an id", "session/queue", `{"session":"s","edit":[{"id":"q1","text":"t"},{"text":"t"}]}`, "edit[1].id", "required"},
		{"edit of a queue without a text", "session/queue", `{"session":"s","edit":[{"id":"q1"}]}`, "edit[0].text", "required"},
		{"trail of a turn below zero", "session/trail", `{"session":"s","turn":-1}`, "turn", "below zero"},
		{"credential without a class", "cred/register", `{"value":"v"}`, "class", "required"},
		{"credential without a value", "cred/register", `{"class":"c"}`, "value", "required"},
		{"removal of no credential", "cred/remove", `{}`, "class", "required"},
		{"cursor that came with no page", "session/list", `{"cursor":"zz"}`, "cursor", "leave it out"},
		{"cursor of another form", "session/list", `{"cursor":"../s"}`, "cursor", "leave it out"},
		{"what a diff is against", "session/diff", `{"session":"s","against":"main"}`, "against", `"base", "target"`},
		{"array", "session/view", `[]`, "", "one JSON object"},
		{"string", "session/view", `"s"`, "", "one JSON object"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{}, nil)
			p.initialize("{}")
			for i, m := range []message{
				p.request(1, c.method, c.params),
				p.request(2, "workspace/executeCommand", fmt.Sprintf(`{"command":%q,"arguments":[%s]}`, commandOf(c.method), c.params)),
			} {
				check(t, "answer", m, fmt.Sprintf("%d -32602", i+1))
				if m.Error == nil {
					continue
				}
				var data protocol.ErrorDetail
				if err := json.Unmarshal(m.Error.Data, &data); err != nil {
					t.Fatal(err)
				}
				check(t, "data", data, protocol.ErrorDetail{Reason: "invalid_params", Field: c.field})
				for _, part := range []string{c.method, c.says, c.field} {
					if !strings.Contains(m.Error.Message, part) {
						t.Errorf("message %q does not say %q", m.Error.Message, part)
					}
				}
			}
		})
	}
}

func TestCommandsThatAreNone(t *testing.T) {
	for _, c := range []struct{ name, params, field string }{
		{"unknown", `{"command":"nodwyn.session.sing"}`, "command"},
		{"without the prefix", `{"command":"session.view"}`, "command"},
		{"name of the method", `{"command":"session/view"}`, "command"},
		{"two arguments", `{"command":"nodwyn.session.view","arguments":[{},{}]}`, "arguments"},
		{"no arguments", `{"command":"nodwyn.session.view"}`, "session"},
		{"command that is no string", `{"command":7}`, "command"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{}, nil)
			p.initialize("{}")
			m := p.request(1, "workspace/executeCommand", c.params)
			check(t, "answer", m, "1 -32602")
			var data protocol.ErrorDetail
			if err := json.Unmarshal(m.Error.Data, &data); err != nil {
				t.Fatal(err)
			}
			check(t, "field", data.Field, c.field)
		})
	}
}

// TestParamsThatAreNoJSON: the envelope is read by its braces, so that this is found only with the params.
func TestParamsThatAreNoJSON(t *testing.T) {
	p := connect(t, Config{}, nil)
	p.initialize("{}")
	check(t, "answer", p.request(1, "session/view", `{"session":tru}`), "1 -32700")
}

func TestLocalPath(t *testing.T) {
	for _, c := range []struct{ given, want string }{
		{"/a/b", "/a/b"},
		{"/a/../b/", "/b"},
		{"file:///a/b", "/a/b"},
		{"file://localhost/a%20b/%C3%A4", "/a b/ä"},
		{"a/b", `field "f": "a/b" is not an absolute path or a file URI`},
		{"", `field "f": "" is not an absolute path or a file URI`},
	} {
		got, err := localPath("f", c.given)
		if err != nil {
			got = err.Error()
		}
		check(t, c.given, got, c.want)
	}
}
