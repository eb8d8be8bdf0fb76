package rpc

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

const (
	initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`
	again      = `{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}`
	shutdown   = `{"jsonrpc":"2.0","id":3,"method":"shutdown"}`
	list       = `{"jsonrpc":"2.0","id":4,"method":"session/view","params":{"session":"s"}}`
	unknown    = `{"jsonrpc":"2.0","id":5,"method":"foo/bar"}`
	notice     = `{"jsonrpc":"2.0","method":"foo/bar","params":[1]}`
	dollar     = `{"jsonrpc":"2.0","method":"$/whatever"}`
	trace      = `{"jsonrpc":"2.0","method":"$/setTrace","params":{"value":"verbose"}}`
	badOpen    = `{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":7}}`
	badCancel  = `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1.5}}`
	exit       = `{"jsonrpc":"2.0","method":"exit"}`
)

func TestLifecycle(t *testing.T) {
	for _, c := range []struct {
		name string
		send []string
		want []string
		exit Exit
	}{
		{"whole life", []string{initialize, shutdown, exit}, []string{"1 ok", "3 ok"}, Exit{0, "shutdown"}},
		{"request before initialize", []string{list, initialize, exit}, []string{"4 -32002", "1 ok"}, Exit{1, "editor_exit"}},
		{"unknown request before initialize", []string{unknown, exit}, []string{"5 -32002"}, Exit{1, "editor_exit"}},
		{"shutdown before initialize", []string{shutdown, exit}, []string{"3 -32002"}, Exit{1, "editor_exit"}},
		{"exit before anything", []string{exit}, nil, Exit{1, "editor_exit"}},
		{"initialize twice", []string{initialize, again, exit}, []string{"1 ok", "2 -32600"}, Exit{1, "editor_exit"}},
		{"request after shutdown", []string{initialize, shutdown, list, exit}, []string{"1 ok", "3 ok", "4 -32600"}, Exit{0, "shutdown"}},
		{"initialize after shutdown", []string{initialize, shutdown, again, exit}, []string{"1 ok", "3 ok", "2 -32600"}, Exit{0, "shutdown"}},
		{"shutdown twice", []string{initialize, shutdown, strings.Replace(shutdown, "3", "6", 1), exit}, []string{"1 ok", "3 ok", "6 -32600"}, Exit{0, "shutdown"}},
		{"unknown request", []string{initialize, unknown, exit}, []string{"1 ok", "5 -32601"}, Exit{1, "editor_exit"}},
		{"session nobody knows", []string{initialize, list, exit}, []string{"1 ok", "4 -32001"}, Exit{1, "editor_exit"}},
		{"notifications that are unknown or wrong", []string{notice, initialize, notice, dollar, trace, badOpen, badCancel, unknown, exit}, []string{"1 ok", "5 -32601"}, Exit{1, "editor_exit"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{}, nil)
			var got []string
			for _, body := range c.send {
				p.send(body)
				if strings.Contains(body, `"id"`) && !strings.Contains(body, "cancelRequest") {
					got = append(got, p.next().String())
				}
			}
			<-p.done
			check(t, "answers", got, c.want)
			check(t, "exit", p.exit, c.exit)
			check(t, "error", p.err, nil)
		})
	}
}

// onceCloser is an input that minds being closed twice, as a file does.
type onceCloser struct {
	io.ReadCloser
	closed bool
}

func (c *onceCloser) Close() error {
	if c.closed {
		return errors.New("closed already")
	}
	c.closed = true
	return c.ReadCloser.Close()
}

// TestWholeLifeInOneWrite: a client that waits for no answer gets them all the same, and the end is clean.
func TestWholeLifeInOneWrite(t *testing.T) {
	p := connect(t, Config{}, nil)
	go p.raw(frame(initialize) + frame(shutdown) + frame(exit))
	check(t, "first answer", p.next(), "1 ok")
	check(t, "second answer", p.next(), "3 ok")
	<-p.done
	check(t, "exit", p.exit, Exit{0, "shutdown"})
	check(t, "error", p.err, nil)
}

// TestShutdownWaitsForWhatCameBefore: a request that is in flight is answered although the client wants to leave.
func TestShutdownWaitsForWhatCameBefore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Config{})
		release := make(chan struct{})
		s.methods["test/wait"] = func(*Server, jsontext.Value) (accepted, error) {
			return accepted{finish: func(context.Context) (jsontext.Value, error) { <-release; return jsontext.Value("null"), nil }}, nil
		}
		p := serve(t, s, newAgent())
		var got []string
		go func() {
			for m, err := p.read(); err == nil; m, err = p.read() {
				got = append(got, m.String())
			}
		}()
		p.raw(frame(initialize) + frame(`{"jsonrpc":"2.0","id":2,"method":"test/wait"}`) + frame(shutdown))
		synctest.Wait()
		check(t, "answers while the request is in flight", got, "[1 ok]")
		close(release)
		synctest.Wait()
		slices.Sort(got)
		check(t, "answers behind it", got, "[1 ok 2 ok 3 ok]")
		p.stop()
	})
}

func TestEndOfInputAfterShutdownIsAnExit(t *testing.T) {
	p := connect(t, Config{}, nil)
	p.send(initialize)
	p.next()
	p.send(shutdown)
	p.next()
	_ = p.in.Close()
	<-p.done
	check(t, "exit", p.exit, Exit{0, "shutdown"})
}

func TestClientsProcessIsWatched(t *testing.T) {
	watched := make(chan int, 1)
	gone := make(chan struct{})
	p := connect(t, Config{Watch: func(ctx context.Context, pid int) {
		watched <- pid
		select {
		case <-gone:
		case <-ctx.Done():
		}
	}}, nil)
	p.request(1, "initialize", `{"processId":4711,"rootUri":null,"capabilities":{}}`)
	check(t, "watched process", <-watched, 4711)
	close(gone)
	<-p.done
	check(t, "exit", p.exit, Exit{1, "editor_exit"})
}

func TestInitializeSaysWhatIsThere(t *testing.T) {
	for _, c := range []struct {
		name, offered, encoding string
	}{
		{"utf-8 is offered", `["utf-16","utf-8"]`, "utf-8"},
		{"utf-8 is not offered", `["utf-32"]`, "utf-16"},
		{"nothing is offered", `[]`, "utf-16"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := connect(t, Config{Version: "1.2.3"}, nil)
			m := p.request(1, "initialize", `{"processId":null,"rootUri":null,"capabilities":{"general":{"positionEncodings":`+c.offered+`}}}`)
			var r struct {
				Capabilities struct {
					PositionEncoding       string `json:"positionEncoding"`
					ExecuteCommandProvider struct {
						Commands []string `json:"commands"`
					} `json:"executeCommandProvider"`
					Experimental struct {
						Nodwyn protocol.ServerCapabilities `json:"nodwyn"`
					} `json:"experimental"`
				} `json:"capabilities"`
			}
			if err := json.Unmarshal(m.Result, &r); err != nil {
				t.Fatal(err)
			}
			check(t, "encoding", r.Capabilities.PositionEncoding, c.encoding)
			check(t, "experimental", r.Capabilities.Experimental.Nodwyn, protocol.ServerCapabilities{Protocol: 1, Version: "1.2.3"})
			var twins []string
			for _, m := range protocol.Methods() {
				if m.Direction == protocol.ClientRequest {
					twins = append(twins, "nodwyn."+strings.Replace(m.Name, "/", ".", 1))
				}
			}
			check(t, "commands", r.Capabilities.ExecuteCommandProvider.Commands, twins)
		})
	}
}

// TestMethodTableIsComplete: the table of handlers and the list of the protocol name the same methods.
func TestMethodTableIsComplete(t *testing.T) {
	table := methodTable()
	for _, m := range protocol.Methods() {
		_, ok := table[m.Name]
		check(t, m.Name+" has a handler", ok, m.Direction == protocol.ClientRequest)
		delete(table, m.Name)
	}
	check(t, "handlers that the protocol does not list", len(table), 0)
}
