package rpc

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
	"github.com/nodwyn/nodwyn/worktree"
)

// TestWireErrors: every error of the agent has its code and one stable word, however often it was wrapped.
func TestWireErrors(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		data string
	}{
		{agent.ErrUnknownSession, -32001, `{"reason":"unknown_session"}`},
		{agent.ErrOpen, -32010, `{"reason":"already_open"}`},
		{agent.ErrBusy, -32011, `{"reason":"busy"}`},
		{agent.ErrNothing, -32012, `{"reason":"nothing"}`},
		{&agent.ConflictError{Conflicts: []worktree.Conflict{{Path: "a.go", Kind: "contents"}}}, -32013, `{"reason":"conflict","conflicts":[{"path":"a.go","kind":"contents"}]}`},
		{&agent.DeniedError{Rule: "mode"}, -32014, `{"reason":"denied","rule":"mode"}`},
		{&agent.ChecksError{Failed: []string{"lint"}}, -32014, `{"reason":"checks_failed"}`},
		{&agent.ConfigError{File: "/c.toml", Line: 3, Key: "guard.write", Reason: "r"}, -32015, `{"reason":"configuration","file":"/c.toml","line":3,"key":"guard.write"}`},
		{agent.ErrNotOpen, -32016, `{"reason":"not_open"}`},
		{agent.ErrClosed, -32016, `{"reason":"closed"}`},
		{&agent.RefusedError{Reason: "no_commit", Message: "m"}, -32017, `{"reason":"no_commit"}`},
		{agent.ErrNoWorktree, -32017, `{"reason":"no_worktree"}`},
		{agent.ErrCancelled, -32803, `{"reason":"cancelled"}`},
		{agent.ErrNoCredential, -32602, `{"reason":"unknown_credential"}`},
		{&protocol.FieldError{Field: "turn", Reason: "r"}, -32602, `{"reason":"invalid_params","field":"turn"}`},
		{errSyntax, -32700, `{"reason":"parse_error"}`},
		{errHeader, -32700, `{"reason":"parse_error"}`},
		{errEnvelope, -32600, `{"reason":"invalid_request"}`},
		{errTooLarge, -32600, `{"reason":"too_large"}`},
		{errIDInUse, -32600, `{"reason":"id_in_use"}`},
		{errInitialized, -32600, `{"reason":"initialized_twice"}`},
		{errShutDown, -32600, `{"reason":"shut_down"}`},
		{errUnknownMethod, -32601, `{"reason":"unknown_method"}`},
		{errNotInitialized, -32002, `{"reason":"not_initialized"}`},
		{errTooMany, -32803, `{"reason":"too_many_requests"}`},
		{errExit, -32802, `{"reason":"exit"}`},
		{context.DeadlineExceeded, -32803, `{"reason":"timeout"}`},
		{&agent.InvalidError{Field: "model", Reason: "r"}, -32602, `{"reason":"invalid_params","field":"model"}`},
		{errRequestCancelled, -32800, `{"reason":"cancelled"}`},
		{context.Canceled, -32800, `{"reason":"cancelled"}`},
		{errors.New("disk full"), -32603, `{"reason":"internal"}`},
	} {
		wire := wireError(named("session/land", fmt.Errorf("land session s1: %w", c.err)), strings.Clone)
		check(t, c.err.Error(), fmt.Sprint(wire.Code, " ", string(wire.Data)), fmt.Sprint(c.code, " ", c.data))
		if !strings.Contains(wire.Message, c.err.Error()) {
			t.Errorf("message %q does not say %q", wire.Message, c.err)
		}
	}
	check(t, "no error", New(Config{}).refusal(nil), nil)
}

// TestReasonsAreListed: whatever reason an error can have, the protocol lists it, with each word once.
func TestReasonsAreListed(t *testing.T) {
	listed := map[protocol.Reason]bool{}
	for _, word := range constants(t, filepath.Join("protocol", "errors.go"), "Reason") {
		if listed[protocol.Reason(word)] {
			t.Errorf("%q is listed twice", word)
		}
		listed[protocol.Reason(word)] = true
	}
	for _, s := range sentinels() {
		check(t, fmt.Sprintf("reason of %q is listed", s.err), listed[s.reason], true)
	}
	for _, word := range constants(t, filepath.Join("..", "worktree", "errors.go"), "Reason") {
		check(t, fmt.Sprintf("%q of package worktree is listed", word), listed[protocol.Reason(word)], true)
	}
}

// constants reads the values of a type's constants from a source file.
func constants(t *testing.T, file, typ string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		name, typed := spec.Type.(*ast.Ident)
		lit, literal := spec.Values[0].(*ast.BasicLit)
		if typed && literal && name.Name == typ {
			words = append(words, strings.Trim(lit.Value, `"`))
		}
		return true
	})
	if len(words) == 0 {
		t.Fatalf("%s declares no %s", file, typ)
	}
	return words
}

// TestErrorsAreRedacted: a message tells what others wrote, and that may hold a secret.
func TestErrorsAreRedacted(t *testing.T) {
	secret := strings.Repeat("kq7", 8)
	r := redact.New()
	if err := r.Register("credential", "test", secret); err != nil {
		t.Fatal(err)
	}
	p := connect(t, Config{}, agent.New(agent.Config{Redactor: r}))
	p.initialize(`{}`)
	answers := []message{
		p.request(1, "session/view", fmt.Sprintf(`{"session":%q}`, secret)),
		p.request(2, "session/"+secret, `{}`),
	}
	p.raw("Content-Length: " + secret + "\r\n\r\n" + frame(probe))
	answers = append(answers, p.next())
	for i, want := range []string{"1 -32001", "2 -32601", "null -32700"} {
		check(t, "answer", answers[i], want)
		if m := answers[i].Error.Message; strings.Contains(m, secret) || !strings.Contains(m, "test") {
			t.Errorf("the message tells a secret, or not which: %s", m)
		}
	}
}

// TestErrorsAreShort: whoever sends a lot does not get all of it back, neither in the message nor as the name of a field.
func TestErrorsAreShort(t *testing.T) {
	p := connect(t, Config{}, nil)
	p.initialize(`{}`)
	long := strings.Repeat("é", maxMessage)
	for i, params := range []string{fmt.Sprintf(`{"repo":%q}`, long), fmt.Sprintf(`{"repo":"/r",%q:1}`, long)} {
		m := p.request(i+1, "session/new", params)
		check(t, "answer", m, fmt.Sprintf("%d -32602", i+1))
		if size := len(m.Error.Message) + len(m.Error.Data); size > 3*maxMessage || !strings.HasPrefix(m.Error.Message, "read params of session/new: ") {
			t.Errorf("an error of %d bytes: %.60s", size, m.Error.Message)
		}
	}
}

// panics is a method that is broken on one side or the other of Async.
func panics(early bool) method {
	return func(*Server, jsontext.Value) (accepted, error) {
		if early {
			panic("early")
		}
		return accepted{finish: func(context.Context) (jsontext.Value, error) { panic("late") }}, nil
	}
}

func TestPanicCostsOneRequest(t *testing.T) {
	s := New(Config{})
	s.methods["test/early"], s.methods["test/late"] = panics(true), panics(false)
	p := serve(t, s, newAgent())
	p.initialize(`{}`)
	for i, method := range []string{"test/early", "test/late", "test/early"} {
		m := p.request(i+1, method, `{}`)
		check(t, method, m, fmt.Sprintf("%d -32603", i+1))
		if strings.Contains(m.Error.Message, "early") && method == "test/late" {
			t.Errorf("the message %q tells of the inside", m.Error.Message)
		}
	}
	check(t, "request behind them", p.request(9, "session/list", `{}`), "9 ok")
}

// TestRequestsAreBounded: the request that is one too many is refused, and the others are left alone.
func TestRequestsAreBounded(t *testing.T) {
	s := New(Config{})
	release := make(chan struct{})
	s.methods["test/wait"] = func(*Server, jsontext.Value) (accepted, error) {
		return accepted{finish: func(context.Context) (jsontext.Value, error) { <-release; return jsontext.Value("null"), nil }}, nil
	}
	p := serve(t, s, newAgent())
	p.initialize(`{}`)
	for i := range maxRequests {
		p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"w%d","method":"test/wait"}`, i))
	}
	check(t, "one too many", p.request(1, "session/list", `{}`), "1 -32803")
	close(release)
	for range maxRequests {
		check(t, "answer", p.next().Error == nil, true)
	}
	check(t, "request behind them", p.request(2, "session/list", `{}`), "2 ok")
}

// TestIDInUse: a second request under an id would make the answers of both useless.
func TestIDInUse(t *testing.T) {
	s := New(Config{})
	release := make(chan struct{})
	s.methods["test/wait"] = func(*Server, jsontext.Value) (accepted, error) {
		return accepted{finish: func(context.Context) (jsontext.Value, error) { <-release; return jsontext.Value("null"), nil }}, nil
	}
	p := serve(t, s, newAgent())
	p.initialize(`{}`)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"test/wait"}`)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"test/wait"}`)
	check(t, "second request", p.next(), "7 -32600")
	close(release)
	check(t, "first request", p.next(), "7 ok")
}
