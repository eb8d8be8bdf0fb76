package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/agent/provider/script"
)

// scriptedModel is an OpenAI Chat-compatible server in the test process. It answers with the replies of a script, keeps each request body byte for byte, and misbehaves when it is told to.
type scriptedModel struct {
	server *httptest.Server
	// key is the bearer token without which it answers nothing.
	key string

	mu       sync.Mutex // guards what follows
	replies  map[string][]streamed
	faults   []fault
	received []received
	wrong    []string
	changed  chan struct{} // closed and replaced when received grows
	release  chan struct{} // closed when stalled replies may go on
}

// streamed is the stream of one reply, chunk by chunk.
type streamed []string

// received is one request.
type received struct{ body, header string }

// fault is what the next request gets instead of a plain reply. The zero value is no fault.
type fault struct {
	// status is the HTTP status of an error answer.
	status int
	// breaks closes the connection in the middle of the stream.
	breaks bool
	// stalls holds the reply after its first piece, until it is released or the client goes away.
	stalls bool
}

func newScriptedModel(key string) *scriptedModel {
	m := &scriptedModel{
		key: key, replies: make(map[string][]streamed),
		changed: make(chan struct{}), release: make(chan struct{}),
	}
	m.server = httptest.NewServer(m)
	return m
}

func (m *scriptedModel) close() {
	m.server.CloseClientConnections()
	m.server.Close()
}

// url is the base that a configuration names.
func (m *scriptedModel) url() string { return m.server.URL + "/v1" }

// host is what llm.req and egress.check record.
func (m *scriptedModel) host() string { return strings.TrimPrefix(m.server.URL, "http://") }

// play queues replies for the conversations whose requests hold the name; the empty name is for all others.
func (m *scriptedModel) play(name string, replies []streamed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.replies[name] = append(m.replies[name], replies...)
}

func (m *scriptedModel) fail(f fault) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.faults = append(m.faults, f)
}

// letGo ends every stall.
func (m *scriptedModel) letGo() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.release)
	m.release = make(chan struct{})
}

// requests returns what was received so far.
func (m *scriptedModel) requests() []received {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.received)
}

// awaitRequests waits until n requests were received.
func (m *scriptedModel) awaitRequests(n int) error {
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for {
		m.mu.Lock()
		have, changed := len(m.received), m.changed
		m.mu.Unlock()
		if have >= n {
			return nil
		}
		select {
		case <-changed:
		case <-deadline.C:
			return fmt.Errorf("await request %d: the model received %d within %s", n, have, patience)
		}
	}
}

// ServeHTTP answers POST /v1/chat/completions.
func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil || r.Method != http.MethodPost || r.URL.Path != "/v1/chat/completions" {
		http.NotFound(w, r)
		return
	}
	var header bytes.Buffer
	r.Header.Write(&header)
	said, f, release, ok := m.next(received{string(body), header.String()})
	switch {
	case r.Header.Get("Authorization") != "Bearer "+m.key:
		refuse(w, http.StatusUnauthorized, "invalid_api_key", "the key is missing or wrong")
	case f.status != 0:
		// Retry-After keeps the client's back-off out of the test's time.
		w.Header().Set("Retry-After", "0")
		refuse(w, f.status, "scripted", "a scripted error")
	case !ok:
		refuse(w, http.StatusBadRequest, "script_ended", "the script has no reply left")
	default:
		stream(w, r, said, f, release)
	}
}

// next takes the fault and the reply that the request gets. A reply that an error or a broken stream keeps from the client stays for the retry.
func (m *scriptedModel) next(r received) (streamed, fault, <-chan struct{}, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.received = append(m.received, r)
	close(m.changed)
	m.changed = make(chan struct{})
	var f fault
	if len(m.faults) > 0 {
		f, m.faults = m.faults[0], m.faults[1:]
	}
	name := m.conversation(r.body)
	queue := m.replies[name]
	if len(queue) == 0 {
		if f.status == 0 {
			m.wrong = append(m.wrong, fmt.Sprintf("request %d found no reply left", len(m.received)))
		}
		return nil, f, m.release, false
	}
	if f.status == 0 && !f.breaks {
		m.replies[name] = queue[1:]
	}
	return queue[0], f, m.release, true
}

func (m *scriptedModel) conversation(body string) string {
	for name := range m.replies {
		if name != "" && strings.Contains(body, name) {
			return name
		}
	}
	return ""
}

// unfinished names what went otherwise than the script says.
func (m *scriptedModel) unfinished() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	wrong := slices.Clone(m.wrong)
	for name, queue := range m.replies {
		if len(queue) > 0 {
			wrong = append(wrong, fmt.Sprintf("%d replies of script %q were never asked for", len(queue), name))
		}
	}
	if len(m.faults) > 0 {
		wrong = append(wrong, fmt.Sprintf("%d faults never came to pass", len(m.faults)))
	}
	return wrong
}

// refuse answers with an error in the vendor's form.
func refuse(w http.ResponseWriter, status int, code, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	fmt.Fprintf(w, `{"error":{"message":%q,"type":"scripted","param":null,"code":%q}}`, text, code)
}

// stream sends the chunks as server-sent events.
func stream(w http.ResponseWriter, r *http.Request, chunks streamed, f fault, release <-chan struct{}) {
	w.Header().Set("Content-Type", "text/event-stream")
	for i, c := range chunks {
		if f.breaks && i == len(chunks)/2 {
			panic(http.ErrAbortHandler)
		}
		fmt.Fprintf(w, "data: %s\n\n", c)
		w.(http.Flusher).Flush()
		if !f.stalls || i > 0 {
			continue
		}
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
	}
}

// TestScriptedModel holds the harness itself to the wire: a reply becomes deltas, a finish reason, a usage chunk and the terminator.
func TestScriptedModel(t *testing.T) {
	replies, err := script.Parse("say two words\ncall file-read {\"path\": \"a\"}\n", "reply.txt")
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Join(streamOf(replies[0]), "\n")
	for _, want := range []string{`"content":"two "`, `"name":"file-read"`, `"finish_reason":"tool_calls"`, `"usage":{`, "[DONE]"} {
		if !strings.Contains(got, want) {
			t.Errorf("stream of a reply: got %s, want %s in it", got, want)
		}
	}
}
