package script

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// check compares what a test got with what it wants, as whole values.
func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
	}
}

const text = `think The file
think is short.
call file-read {"path": "a.go"}
call shell-exec "go test"
usage {"prompt_tokens": 12, "output_tokens": 3}


say I left it
say
say  as it was.
`

func TestParse(t *testing.T) {
	got, err := Parse(text, "a.txt")
	check(t, "error", err, nil)
	check(t, "replies", got, []Reply{
		{
			Think: "The file\nis short.",
			Calls: []Call{{Name: "file-read", Args: jsontext.Value(`{"path": "a.go"}`)}, {Name: "shell-exec", Args: jsontext.Value(`"go test"`)}},
			Usage: &event.Usage{PromptTokens: new(int64(12)), OutputTokens: new(int64(3))},
		},
		{Say: "I left it\n\n as it was."},
	})
	windows, err := Parse(strings.ReplaceAll(text, "\n", "\r\n"), "a.txt")
	check(t, "error with CRLF", err, nil)
	check(t, "replies with CRLF", windows, got)
}

func TestParseRefuses(t *testing.T) {
	for line, why := range map[string]string{
		"shout hi":           `"shout" is no word of a script; lines begin with say, think, call or usage`,
		"call":               `a call needs a tool's name: call NAME JSON`,
		"call x":             `the arguments of call "x" are not one JSON value: ""`,
		"call x {":           `the arguments of call "x" are not one JSON value: "{"`,
		"usage {}\nusage {}": `a reply has one usage line`,
	} {
		_, err := Parse("say hi\n\n"+line, "a.txt")
		want := "script a.txt: line 3: " + why
		if strings.Contains(line, "\n") {
			want = "script a.txt: line 4: " + why
		}
		if err == nil || err.Error() != want {
			t.Errorf("%q: got %v, want %s", line, err, want)
		}
	}
	if _, err := Parse(`usage {"tokens":1}`, "a.txt"); err == nil || !strings.Contains(err.Error(), "tokens") {
		t.Errorf("an unknown count: got %v", err)
	}
	if _, err := New("think hm", "a.txt"); err == nil || !strings.Contains(err.Error(), "script a.txt: reply 1 says nothing") {
		t.Errorf("a reply that leaves no trace: got %v", err)
	}
}

// ask streams the reply to a window of so many replies.
func ask(t *testing.T, ctx context.Context, p *Provider, replies int) (event.LLMResp, int, error) {
	t.Helper()
	r := provider.Request{Messages: []view.Message{{Role: view.User, Text: "hi"}}}
	for range replies {
		r.Messages = append(r.Messages, view.Message{Role: view.Assistant, Text: "x"}, view.Message{Role: view.Tool, Text: "y"})
	}
	body, err := p.Encode(r)
	check(t, "encode", err, nil)
	var reply provider.Reply
	n := 0
	for c, err := range p.Stream(ctx, body) {
		if err != nil {
			return reply.Resp(5), n, err
		}
		n++
		reply.Add(c)
	}
	resp := reply.Resp(5)
	resp.Usage.WallMS = 0
	return resp, n, nil
}

func TestStream(t *testing.T) {
	p, err := New(text, "a.txt")
	check(t, "new", err, nil)
	for range 2 { // Asking again changes nothing: there is no state.
		got, chunks, err := ask(t, t.Context(), p, 0)
		check(t, "first error", err, nil)
		check(t, "first chunks", chunks, 7)
		check(t, "first", got, event.LLMResp{
			Req: 5, Thinking: "The file\nis short.", Stop: "tool_calls", Attempts: 1,
			ToolCalls: []event.ModelCall{{ID: "c5-1", Name: "file-read", Args: event.RawJSON(`{"path":"a.go"}`)}, {ID: "c5-2", Name: "shell-exec", Args: event.RawJSON(`"go test"`)}},
			Usage:     event.Usage{PromptTokens: new(int64(12)), OutputTokens: new(int64(3))},
		})
	}
	got, _, err := ask(t, t.Context(), p, 1)
	check(t, "second error", err, nil)
	check(t, "second", got, event.LLMResp{Req: 5, Text: "I left it\n\n as it was.", Stop: "end", Attempts: 1, Usage: event.Usage{Unreported: true}})
	_, _, err = ask(t, t.Context(), p, 2)
	check(t, "past the end", err.Error(), "script a.txt: reply 3 is asked for and the file has 2; add one, or a call less")
}

func TestStreamIsCancelled(t *testing.T) {
	p, err := New(text, "a.txt")
	check(t, "new", err, nil)
	stop := errors.New("stopped by a person")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	got, chunks, err := ask(t, ctx, p, 0)
	check(t, "error", err, stop)
	check(t, "chunks", chunks, 0)
	check(t, "stop", got.Stop, "")
}

func TestEncode(t *testing.T) {
	got, err := Encode(provider.Request{
		Model:   "demo",
		Context: event.Context{System: "Be good.", Tools: []event.ToolSpec{{Name: "t", Description: "d", Schema: event.RawJSON(`{"type":"object"}`)}}},
		Messages: []view.Message{
			{Role: view.User, Text: "hi"},
			{Role: view.Assistant, Calls: []event.ModelCall{{ID: "c1-1", Name: "t", Args: event.RawJSON(`{"n":1.0}`)}}},
			{Role: view.Tool, CallID: "c1-1", Text: "no"},
		},
	})
	check(t, "error", err, nil)
	check(t, "body", string(got), `{"model":"demo","system":"Be good.","tools":[{"name":"t","description":"d","schema":{"type":"object"}}],"limits":{},"options":{},"messages":[`+
		`{"role":"user","text":"hi"},`+
		`{"role":"assistant","text":"","calls":[{"id":"c1-1","name":"t","args":{"n":1.0}}]},`+
		`{"role":"tool","text":"no","call_id":"c1-1","failed":true}]}`)
}

func FuzzParse(f *testing.F) {
	f.Add(text)
	f.Add("call x 1\nusage {\"cost\":1}\n\n\nsay")
	f.Fuzz(func(t *testing.T, in string) {
		replies, err := Parse(in, "f")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "script f: line ") {
				t.Errorf("the error %v does not say where", err)
			}
			return
		}
		for _, r := range replies {
			for _, c := range r.Calls {
				if c.Name == "" || !c.Args.IsValid() {
					t.Errorf("call %+v is not one", c)
				}
			}
		}
		// A reply has one line at least, and an empty one behind it.
		if len(replies) > (strings.Count(in, "\n")+2)/2 {
			t.Errorf("%d replies in %q", len(replies), in)
		}
	})
}
