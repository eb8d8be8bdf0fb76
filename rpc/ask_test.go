package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent"
)

func permission() agent.Prompt {
	return agent.Prompt{
		Session: "s1", ID: "p1", Turn: 2, Type: "permission", Op: "exec", Action: "Run go test", Argv: []string{"go", "test", "a\x1bb c"},
		Options: []agent.Option{{ID: "allow_once", Label: "Allow once", Scope: "once"}, {ID: "allow_session", Label: "S", Scope: "session"}, {ID: "deny", Label: "Deny"}, {ID: "deny_stop", Label: "Deny and stop"}},
	}
}

func trust() agent.Prompt {
	return agent.Prompt{Session: "s1", ID: "p1", Type: "choice", Op: "trust", Text: "Trust it?", Choices: []string{"trust", "skip"}}
}

func freeText() agent.Prompt {
	return agent.Prompt{Session: "s1", ID: "p1", Type: "question", Text: "Which?", FreeText: true}
}

// TestAsk follows a prompt to the client in each form and back with each kind of answer. Whatever is no answer must be an error, since the guard denies on errors.
func TestAsk(t *testing.T) {
	const ours = `{"permission":true,"question":true}`
	for _, c := range []struct {
		name, caps string
		prompt     agent.Prompt
		method     string
		answer     string // the member of the response
		want       string
	}{
		{"permission allowed", ours, permission(), "session/requestPermission", `"result":{"option":"allow_once"}`, "{allow_once  person }"},
		{"permission with a note", ours, permission(), "session/requestPermission", `"result":{"option":"deny","actor":"kim","note":"not now"}`, "{deny  kim not now}"},
		{"permission with a later field", ours, permission(), "session/requestPermission", `"result":{"option":"deny","new":1}`, "{deny  person }"},
		{"permission null", ours, permission(), "session/requestPermission", `"result":null`, "error"},
		{"permission without an option", ours, permission(), "session/requestPermission", `"result":{}`, "error"},
		{"permission of another type", ours, permission(), "session/requestPermission", `"result":{"option":1}`, "error"},
		{"permission refused", ours, permission(), "session/requestPermission", `"error":{"code":-32603,"message":"no"}`, "error"},
		{"permission not known after all", ours, permission(), "session/requestPermission", `"error":{"code":-32601,"message":"no"}`, "error"},
		{"permission malformed", ours, permission(), "session/requestPermission", `"result":{"option":"allow_once"},"error":{"code":1,"message":"m"}`, "error"},
		{"question", ours, freeText(), "session/ask", `"result":{"answer":"that"}`, "{ that person }"},
		{"question empty", ours, freeText(), "session/ask", `"result":{"answer":""}`, "error"},
		{"choice", ours, trust(), "session/ask", `"result":{"answer":"trust"}`, "{ trust person }"},
		{"message allowed", `{}`, permission(), "window/showMessageRequest", `"result":{"title":"Allow for this session"}`, "{allow_session  person }"},
		{"message denied", `{}`, permission(), "window/showMessageRequest", `"result":{"title":"Deny"}`, "{deny  person }"},
		{"message dismissed", `{}`, permission(), "window/showMessageRequest", `"result":null`, "error"},
		{"message with a title that was not offered", `{}`, permission(), "window/showMessageRequest", `"result":{"title":"Always allow"}`, "error"},
		{"message not known", `{}`, permission(), "window/showMessageRequest", `"error":{"code":-32601,"message":"no"}`, "nobody"},
		{"message choice", `{}`, trust(), "window/showMessageRequest", `"result":{"title":"trust"}`, "{ trust person }"},
		{"only permissions of ours", `{"permission":true}`, trust(), "window/showMessageRequest", `"result":{"title":"skip"}`, "{ skip person }"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{}, nil)
			p.initialize(c.caps)
			answers := make(chan string, 1)
			go func() { answers <- outcome(p.server.Ask(context.Background(), c.prompt)) }()
			m := p.next()
			check(t, "request", m.Method, c.method)
			p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%s}`, m.ID, c.answer))
			if strings.Contains(c.name, "malformed") {
				check(t, "complaint", p.next(), "null -32600")
			}
			check(t, "answer", <-answers, c.want)
		})
	}
}

func outcome(a agent.Answer, err error) string {
	switch {
	case errors.Is(err, agent.ErrNobody):
		return "nobody"
	case err != nil:
		return "error"
	}
	return fmt.Sprint(a)
}

// TestAskNobody: where no person can have answered, the guard must learn that it was nobody, and not that a person denied.
func TestAskNobody(t *testing.T) {
	server := New(Config{})
	check(t, "before serving", outcome(server.Ask(context.Background(), permission())), "nobody")

	p := connect(t, Config{}, nil)
	p.initialize(`{}`)
	check(t, "free text in a message", outcome(p.server.Ask(context.Background(), freeText())), "nobody")

	answers := make(chan string, 1)
	go func() { answers <- outcome(p.server.Ask(context.Background(), permission())) }()
	p.next()
	_ = p.in.Close()
	check(t, "client that goes while it is asked", <-answers, "nobody")
	<-p.done
	check(t, "after serving", outcome(p.server.Ask(context.Background(), permission())), "nobody")
}

// TestWithdrawnPrompt: the client's request is cancelled, so that whatever shows it can close.
func TestWithdrawnPrompt(t *testing.T) {
	p := connect(t, Config{}, nil)
	p.initialize(`{"permission":true}`)
	why := errors.New("the turn ended")
	ctx, cancel := context.WithCancelCause(context.Background())
	answers := make(chan error, 1)
	go func() {
		_, err := p.server.Ask(ctx, permission())
		answers <- err
	}()
	id := p.next().ID
	cancel(why)
	m := p.next()
	check(t, "notification", m.Method+string(m.Params), fmt.Sprintf(`$/cancelRequest{"id":%s}`, id))
	if err := <-answers; !errors.Is(err, why) {
		t.Errorf("withdrawn prompt: got %v, want the cause %v", err, why)
	}
}

func TestPermissionOnTheWire(t *testing.T) {
	p := connect(t, Config{}, nil)
	p.initialize(`{"permission":true}`)
	go func() { _, _ = p.server.Ask(context.Background(), permission()) }()
	check(t, "params", string(p.next().Params), `{"session":"s1","promptId":"p1","turn":2,"action":"Run go test","op":"exec","argv":["go","test","a\u001bb c"],"options":[{"id":"allow_once","label":"Allow once","scope":"once"},{"id":"allow_session","label":"S","scope":"session"},{"id":"deny","label":"Deny","scope":"once"},{"id":"deny_stop","label":"Deny and stop","scope":"once"}]}`)
}

// TestMessageShowsEverything: a denial stands first, nothing is invisible, and what is left out of a long diff is counted.
func TestMessageShowsEverything(t *testing.T) {
	p := connect(t, Config{}, nil)
	p.initialize(`{}`)
	ask := permission()
	ask.Cwd, ask.Why, ask.Diff = "/w", "It is protected.", strings.Repeat("+line\n", 2000)+"\x1b[0m"
	go func() { _, _ = p.server.Ask(context.Background(), ask) }()
	var got struct {
		Message string `json:"message"`
		Actions []struct {
			Title string `json:"title"`
		} `json:"actions"`
	}
	if err := json.Unmarshal(p.next().Params, &got); err != nil {
		t.Fatal(err)
	}
	check(t, "actions", got.Actions, "[{Title:Deny} {Title:Allow once} {Title:Allow for this session} {Title:Deny and stop}]")
	head, _, _ := strings.Cut(got.Message, "\n+line")
	check(t, "head", head, "Run go test\n$ go test \"a\\x1bb c\"\nin /w\nIt is protected.\n")
	check(t, "tail", got.Message[strings.LastIndex(got.Message, "\n")+1:], "… 635 more lines")

	check(t, "caution first", questionChoices(trust())[0].title, "skip")
	check(t, "what cannot be seen", visible("a\x1b[31m\u202eb\tc\n"), "a\\x1b[31m\\u202eb\tc\n")
	check(t, "one long line", cut(strings.Repeat("é", 10), 5), "éé\n… cut here")
}
