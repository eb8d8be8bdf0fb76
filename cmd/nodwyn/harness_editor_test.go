package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// patience bounds every wait of a scenario. It is generous because the race detector and a loaded machine are slow; what is awaited normally comes in milliseconds.
const patience = 30 * time.Second

// editor is the client of one server process. It keeps whatever the server sent, in arrival order, and answers by itself only what any editor answers at once.
type editor struct {
	// capabilities are the members of capabilities.experimental.nodwyn that were announced.
	capabilities []string
	// standard is true for a client without any capability of ours: it reaches the methods through workspace/executeCommand.
	standard bool
	// mute is true for a client that cannot show a message.
	mute bool
	// orderly stays true until the process is killed or its stdin is closed under a running turn: from then on the last messages may be missing.
	orderly bool

	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stderr *bytes.Buffer
	// done is closed when stdout has ended and the process was waited for; exit is valid from then on.
	done chan struct{}
	exit error

	// hearing holds a token while the editor reads; without it the reader waits.
	hearing chan struct{}

	writing sync.Mutex // guards stdin

	mu      sync.Mutex // guards what follows
	seen    []message
	changed chan struct{} // closed and replaced when seen grows
	taken   map[string]int
	lastID  int
}

// startEditor starts the server and reads from it until it ends.
func startEditor(dir string, environ []string) (*editor, error) {
	e := &editor{
		orderly: true,
		stderr:  new(bytes.Buffer),
		done:    make(chan struct{}),
		hearing: make(chan struct{}, 1),
		changed: make(chan struct{}),
		taken:   make(map[string]int),
	}
	e.listen()
	e.cmd = exec.Command("nodwyn", "serve")
	e.cmd.Dir, e.cmd.Env, e.cmd.Stderr = dir, environ, e.stderr
	// A survivor that holds stderr must not hang the scenario: the check for left-over processes names it.
	e.cmd.WaitDelay = patience
	var err error
	if e.stdin, err = e.cmd.StdinPipe(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	if err := e.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	go e.read(stdout) // ends with the server's stdout; stop and the await of an exit wait for done
	return e, nil
}

// read takes frames until stdout ends.
func (e *editor) read(stdout io.Reader) {
	defer close(e.done)
	defer func() { e.exit = e.cmd.Wait() }()
	r := bufio.NewReader(stdout)
	for {
		e.hearing <- <-e.hearing
		body, err := readFrame(r)
		if err != nil {
			if !errors.Is(err, io.EOF) {
				e.add(message{raw: fmt.Appendf(nil, "broken frame: %v", err)})
				io.Copy(io.Discard, r)
			}
			return
		}
		m := message{raw: body}
		if err := json.Unmarshal(body, &m); err != nil {
			m.raw = fmt.Appendf(nil, "broken frame: %v: %s", err, body)
		}
		e.add(m)
		e.answerAtOnce(m)
	}
}

func (e *editor) add(m message) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.seen = append(e.seen, m)
	close(e.changed)
	e.changed = make(chan struct{})
}

// answerAtOnce answers the requests that an editor serves without asking anybody.
func (e *editor) answerAtOnce(m message) {
	if m.ID == nil {
		return
	}
	switch m.Method {
	case "window/workDoneProgress/create", "client/registerCapability":
		e.respond(m, jsontext.Value("null"))
	case "window/showDocument":
		e.respond(m, jsontext.Value(`{"success":true}`))
	case "window/showMessageRequest":
		if e.mute {
			e.respondError(m, -32601, "no such method here")
		}
	case "workspace/applyEdit":
		e.respond(m, jsontext.Value(`{"applied":true}`))
	}
}

// write sends body as one frame. A server that is gone is noticed by whoever awaits something, so that a lost write needs no error here.
func (e *editor) write(body []byte) {
	e.writeRaw(fmt.Appendf(nil, "Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (e *editor) writeRaw(b []byte) {
	e.writing.Lock()
	defer e.writing.Unlock()
	e.stdin.Write(b)
}

func (e *editor) respond(m message, result jsontext.Value) {
	e.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result))
}

func (e *editor) respondError(m message, code int, text string) {
	e.write(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`, m.ID, code, text))
}

// notify sends a notification; nil params are left out.
func (e *editor) notify(method string, params jsontext.Value) {
	e.write(encodeMessage("", method, params))
}

// send sends a request and returns its id; nil params are left out.
func (e *editor) send(method string, params jsontext.Value) string {
	e.mu.Lock()
	e.lastID++
	id := strconv.Itoa(e.lastID)
	e.mu.Unlock()
	e.write(encodeMessage(id, method, params))
	return id
}

// reply waits for the response to the request with the id. An error of the server is a *wireError.
func (e *editor) reply(id string) (jsontext.Value, error) {
	m, err := e.await("reply "+id, func(m message) bool { return m.Method == "" && string(m.ID) == id })
	if err != nil {
		return nil, err
	}
	if m.Error != nil {
		return nil, m.Error
	}
	return m.Result, nil
}

// call sends a request and waits for its response.
func (e *editor) call(method string, params jsontext.Value) (jsontext.Value, error) {
	return e.reply(e.send(method, params))
}

// await waits for the next message that matches. Each kind of message has its own position: what was awaited once is not found again, and two kinds may arrive in either order.
func (e *editor) await(kind string, match func(message) bool) (message, error) {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for over := false; ; {
		m, ok, changed := e.take(kind, match)
		if ok {
			return m, nil
		}
		if over {
			return message{}, fmt.Errorf("await %s: the server ended (%v) before it came; seen:\n%s", kind, e.exit, e.dump())
		}
		select {
		case <-changed:
		case <-e.done:
			over = true
		case <-deadline.C:
			return message{}, fmt.Errorf("await %s: not within %s; seen:\n%s", kind, patience, e.dump())
		}
	}
}

// take looks for the next match behind the kind's position. The channel is closed when there is more to look at.
func (e *editor) take(kind string, match func(message) bool) (message, bool, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	from := e.taken[kind]
	i := slices.IndexFunc(e.seen[from:], match)
	if i < 0 {
		return message{}, false, e.changed
	}
	e.taken[kind] = from + i + 1
	return e.seen[from+i], true, nil
}

// messages returns what arrived so far.
func (e *editor) messages() []message {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.seen)
}

// dump renders what arrived, one message a line, for the report of a failed wait.
func (e *editor) dump() string {
	var b strings.Builder
	for _, m := range e.messages() {
		fmt.Fprintf(&b, "  %.240s\n", m.raw)
	}
	return b.String()
}

// waitExit waits for the end of the process.
func (e *editor) waitExit() error {
	select {
	case <-e.done:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("await exit: the server still runs after %s; seen:\n%s", patience, e.dump())
	}
}

// listen makes the editor read again.
func (e *editor) listen() {
	select {
	case e.hearing <- struct{}{}:
	default: // it never stopped
	}
}

// kill ends the process as a crash would.
func (e *editor) kill() error {
	e.orderly = false
	e.cmd.Process.Kill()
	e.listen()
	return e.waitExit()
}

// hangUp closes the server's stdin, as an editor does that dies.
func (e *editor) hangUp() {
	e.writing.Lock()
	defer e.writing.Unlock()
	e.orderly = false
	e.stdin.Close()
}
