package rpc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"

	"github.com/nodwyn/nodwyn/agent"
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
		{&agent.ConflictError{Conflicts: []worktree.Conflict{{Path: "a.go", Kind: "contents"}}}, -32013, `{"reason":"conflict","conflicts":[{"path":"a.go","kind":"contents"}]}`},
		{&agent.DeniedError{Rule: "mode"}, -32014, `{"reason":"mode"}`},
		{&agent.ConfigError{File: "/c.toml", Line: 3, Key: "guard.write", Reason: "r"}, -32015, `{"reason":"configuration","file":"/c.toml","line":3,"key":"guard.write"}`},
		{agent.ErrNotOpen, -32016, `{"reason":"not_open"}`},
		{agent.ErrClosed, -32016, `{"reason":"closed"}`},
		{&agent.RefusedError{Reason: "no_commit", Message: "m"}, -32017, `{"reason":"no_commit"}`},
		{agent.ErrNoWorktree, -32017, `{"reason":"no_worktree"}`},
		{&agent.InvalidError{Field: "model", Reason: "r"}, -32602, `{"reason":"invalid_params","field":"model"}`},
		{errRequestCancelled, -32800, `{"reason":"cancelled"}`},
		{context.Canceled, -32800, `{"reason":"cancelled"}`},
		{errors.New("disk full"), -32603, `{"reason":"internal"}`},
	} {
		err := wireError(named("session/land", fmt.Errorf("land session s1: %w", c.err)))
		wire, ok := errors.AsType[*jsonrpc2.Error](err)
		if !ok {
			t.Fatalf("%v became %T", c.err, err)
		}
		check(t, c.err.Error(), fmt.Sprint(wire.Code, " ", string(wire.Data)), fmt.Sprint(c.code, " ", c.data))
		if !strings.Contains(wire.Message, c.err.Error()) {
			t.Errorf("message %q does not say %q", wire.Message, c.err)
		}
	}
	check(t, "no error", wireError(nil), nil)
}

// panics is a method that is broken on one side or the other of Async.
func panics(early bool) method {
	return func(*Server, jsontext.Value) (wait[any], error) {
		if early {
			panic("early")
		}
		return func(context.Context) (any, error) { panic("late") }, nil
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
	s.methods["test/wait"] = func(*Server, jsontext.Value) (wait[any], error) {
		return func(context.Context) (any, error) { <-release; return nil, nil }, nil
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
	s.methods["test/wait"] = func(*Server, jsontext.Value) (wait[any], error) {
		return func(context.Context) (any, error) { <-release; return nil, nil }, nil
	}
	p := serve(t, s, newAgent())
	p.initialize(`{}`)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"test/wait"}`)
	p.send(`{"jsonrpc":"2.0","id":7,"method":"test/wait"}`)
	check(t, "second request", p.next(), "7 -32600")
	close(release)
	check(t, "first request", p.next(), "7 ok")
}
