package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent"
)

// message is anything that comes over the wire, as a client sees it.
type message struct {
	ID     jsontext.Value `json:"id,omitempty"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitempty"`
	Result jsontext.Value `json:"result,omitempty"`
	Error  *struct {
		Code    int            `json:"code"`
		Message string         `json:"message"`
		Data    jsontext.Value `json:"data,omitempty"`
	} `json:"error,omitzero"`
}

// String sums an answer up: its id, and the code of its error or "ok".
func (m message) String() string {
	switch {
	case m.Method != "":
		return m.Method
	case m.Error != nil:
		return fmt.Sprintf("%s %d", m.ID, m.Error.Code)
	}
	return fmt.Sprintf("%s ok", m.ID)
}

// peer is the editor's end of a connection.
type peer struct {
	t      testing.TB
	server *Server
	in     *io.PipeWriter
	out    *bufio.Reader
	done   chan struct{}
	stop   func() // may be called twice
	exit   Exit
	err    error
}

// connect serves an agent without a configuration. The server has ended when the test has.
func connect(t testing.TB, cfg Config, a *agent.Agent) *peer {
	t.Helper()
	if a == nil {
		a = newAgent()
	}
	return serve(t, New(cfg), a)
}

func serve(t testing.TB, s *Server, a *agent.Agent) *peer {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	p := &peer{t: t, server: s, in: inW, out: bufio.NewReader(outR), done: make(chan struct{})}
	late := time.AfterFunc(20*time.Second, func() { _ = outR.CloseWithError(errors.New("nothing more came from the server")) })
	go func() {
		defer close(p.done)
		p.exit, p.err = p.server.Serve(context.Background(), a, &onceCloser{ReadCloser: inR}, outW)
		_ = outW.Close()
	}()
	p.stop = func() {
		late.Stop()
		_ = inW.Close()
		_ = outR.Close()
		<-p.done
	}
	t.Cleanup(p.stop)
	return p
}

// raw writes bytes as they are.
func (p *peer) raw(text string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, text); err != nil {
		p.t.Fatalf("write to server: %v", err)
	}
}

// send frames a message.
func (p *peer) send(body string) {
	p.t.Helper()
	p.raw(frame(body))
}

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

// request sends a request and returns its answer, skipping notifications.
func (p *peer) request(id int, method, params string) message {
	p.t.Helper()
	p.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params))
	for {
		m := p.next()
		if m.Method == "" && string(m.ID) == strconv.Itoa(id) {
			return m
		}
	}
}

// next reads one message.
func (p *peer) next() message {
	p.t.Helper()
	m, err := p.read()
	if err != nil {
		p.t.Fatalf("read from server: %v", err)
	}
	return m
}

func (p *peer) read() (message, error) {
	var m message
	header, err := textproto.NewReader(p.out).ReadMIMEHeader()
	if err != nil {
		return m, err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return m, err
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(p.out, body); err != nil {
		return m, err
	}
	return m, json.Unmarshal(body, &m)
}

// initialize opens the connection with the client's own capabilities, as JSON.
func (p *peer) initialize(nodwyn string) message {
	p.t.Helper()
	m := p.request(0, "initialize", `{"processId":null,"rootUri":null,"capabilities":{"experimental":{"nodwyn":`+nodwyn+`}}}`)
	p.send(`{"jsonrpc":"2.0","method":"initialized","params":{}}`)
	return m
}

// check compares whole values by their printed form.
func check(t testing.TB, what string, got, want any) {
	t.Helper()
	if g, w := fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want); g != w {
		t.Errorf("%s\n got %s\nwant %s", what, g, w)
	}
}

// newAgent returns an agent that has no model and no sessions.
func newAgent() *agent.Agent { return agent.New(agent.Config{}) }
