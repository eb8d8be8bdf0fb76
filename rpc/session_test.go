package rpc

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/script"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// model is a provider whose replies the test holds in its hand: each request takes the next reply, and one that is nil is held back until the turn is cancelled.
type model struct{ replies chan []provider.Chunk }

func (m *model) Wire() string { return script.Wire }

func (m *model) Host() string { return "" }

func (m *model) Encode(r provider.Request) ([]byte, error) { return script.Encode(r) }

func (m *model) Stream(ctx context.Context, _ []byte) iter.Seq2[provider.Chunk, error] {
	return func(yield func(provider.Chunk, error) bool) {
		var reply []provider.Chunk
		select {
		case reply = <-m.replies:
		case <-ctx.Done():
		}
		for _, c := range reply {
			c.Attempt = 1
			if !yield(c, nil) {
				return
			}
		}
		if reply == nil {
			<-ctx.Done()
			yield(provider.Chunk{}, context.Cause(ctx))
		}
	}
}

// says is a reply that ends the turn.
func says(pieces ...string) []provider.Chunk {
	var out []provider.Chunk
	for _, p := range pieces {
		out = append(out, provider.Chunk{Text: p})
	}
	return append(out, provider.Chunk{Stop: "end"})
}

// calls is a reply that calls one tool.
func calls(name, args string) []provider.Chunk {
	return []provider.Chunk{{Call: &provider.CallPiece{ID: "x", Name: name, Args: args}}, {Stop: "tool_calls"}}
}

// workbench is a client with one session in a folder.
type workbench struct {
	*peer
	agent   *agent.Agent
	dir     string
	session string
	model   *model
	next    int
	begun   []message // what came up to the answer to session/new
}

const allCapabilities = `{"permission":true,"question":true,"events":true,"deltas":true,"cards":true}`

// open starts a session in a new folder, for a client with these capabilities.
func open(t *testing.T, cfg Config, nodwyn, standard string) *workbench {
	t.Helper()
	w := &workbench{dir: t.TempDir(), model: &model{replies: make(chan []provider.Chunk, 10)}, next: 100}
	state := t.TempDir()
	server := New(cfg)
	w.agent = agent.New(agent.Config{
		DataDir: filepath.Join(state, "data"), StateDir: filepath.Join(state, "state"), WorktreeRoot: filepath.Join(state, "trees"),
		Branch: "nodwyn/{slug}-{id}", Asker: server, Env: os.Environ(), Redactor: redact.New(),
		Models: map[string]agent.Model{"control": {
			Identity: event.Model{Name: "control", Server: "test", Model: "test"}, Wire: script.Wire,
			Open: func(http.RoundTripper) (provider.Provider, error) { return w.model, nil },
		}},
	})
	w.peer = serve(t, server, w.agent)
	t.Cleanup(func() {
		w.stop()
		if err := w.agent.Close("editor_exit"); err != nil {
			t.Errorf("close agent: %v", err)
		}
	})
	caps := strings.TrimSuffix(`{"experimental":{"nodwyn":`+nodwyn+`},`+standard, ",") + `}`
	w.request(1, "initialize", `{"processId":null,"rootUri":null,"clientInfo":{"name":"bench","version":"1"},"capabilities":`+caps+`}`)
	w.start()
	return w
}

func (w *workbench) start() {
	w.t.Helper()
	w.begun = w.until(answers(w.call("session/new", fmt.Sprintf(`{"repo":%q}`, w.dir))))
	var st protocol.State
	w.decode(last(w.begun).Result, &st)
	w.session = st.Session
}

func (w *workbench) decode(raw []byte, v any) {
	w.t.Helper()
	if err := json.Unmarshal(raw, v); err != nil {
		w.t.Fatalf("decode %s: %v", raw, err)
	}
}

// call writes a request and returns its id as it comes back.
func (w *workbench) call(method, params string) string {
	w.t.Helper()
	w.next++
	w.send(w.body(w.next, method, params))
	return fmt.Sprint(w.next)
}

// body fills in the session.
func (w *workbench) body(id int, method, params string) string {
	params = strings.Replace(params, "SESSION", w.session, 1)
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, params)
}

const prompt = `{"session":"SESSION","text":"do it"}`

// until collects messages up to one that matches, and returns them with it.
func (w *workbench) until(match func(message) bool) []message {
	w.t.Helper()
	var got []message
	for {
		m, err := w.read()
		if err != nil {
			w.t.Fatalf("%v behind %v", err, append(kinds(got), fmt.Sprint(got)))
		}
		got = append(got, m)
		if match(m) {
			return got
		}
	}
}

func answers(id string) func(message) bool {
	return func(m message) bool { return m.Method == "" && string(m.ID) == id }
}

func calling(method string) func(message) bool {
	return func(m message) bool { return m.Method == method }
}

func last(got []message) message { return got[len(got)-1] }

// kinds lists the kinds of the events and cards among messages, in order.
func kinds(got []message) []string {
	var out []string
	for _, m := range got {
		var p struct {
			Event struct {
				Kind string `json:"kind"`
			} `json:"event"`
			Card struct {
				Kind string `json:"kind"`
			} `json:"card"`
			Status string `json:"status"`
		}
		if json.Unmarshal(m.Params, &p) != nil {
			continue
		}
		switch m.Method {
		case protocol.MethodEvent:
			out = append(out, p.Event.Kind)
		case protocol.MethodCard:
			out = append(out, "card "+p.Card.Kind)
		case protocol.MethodStatus:
			out = append(out, "status "+p.Status)
		}
	}
	return out
}

// TestTurnIsToldBeforeItIsAnswered: the answer to a prompt comes behind everything that it stands for, in the order of the log.
func TestTurnIsToldBeforeItIsAnswered(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	w.model.replies <- says("Done", ".")
	got := w.until(answers(w.call("session/prompt", prompt)))
	var r protocol.TurnResult
	w.decode(last(got).Result, &r)
	check(t, "outcome", fmt.Sprintf("%d %s %s", r.Turn, r.Outcome, r.Text), "1 completed Done.")
	var seqs []int64
	for _, m := range got {
		var p struct {
			Event struct {
				Seq int64 `json:"seq"`
			} `json:"event"`
		}
		if m.Method == protocol.MethodEvent {
			w.decode(m.Params, &p)
			seqs = append(seqs, p.Event.Seq)
		}
	}
	check(t, "last event told", seqs[len(seqs)-1], r.Revision)
	for i, seq := range seqs[1:] {
		if seq <= seqs[i] {
			t.Errorf("event %d was told behind event %d", seq, seqs[i])
		}
	}
	text := strings.Join(kinds(got), " ")
	for _, want := range []string{"user.msg card ask", "llm.resp card result", "proof card proof", "turn.end status idle"} {
		if !strings.Contains(text, want) {
			t.Errorf("what was told does not hold %q:\n%s", want, text)
		}
	}
}

// TestNewSessionIsToldFromItsStart: a client that follows has the whole log.
func TestNewSessionIsToldFromItsStart(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	check(t, "told before session/new was answered", kinds(w.begun), "[session.start status idle]")
}

// TestCancelBehindPrompt: requests are accepted in the order of arrival, so that the cancel finds the turn however close it follows.
func TestCancelBehindPrompt(t *testing.T) {
	for _, c := range []struct{ name, cancel string }{
		{"session/cancel", `{"jsonrpc":"2.0","id":902,"method":"session/cancel","params":{"session":"SESSION"}}`},
		{"session/cancel of the turn", `{"jsonrpc":"2.0","id":902,"method":"session/cancel","params":{"session":"SESSION","turn":1}}`},
		{"$/cancelRequest", `{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":901}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := open(t, Config{}, `{}`, "")
			w.model.replies <- nil
			w.raw(frame(w.body(901, "session/prompt", prompt)) + frame(strings.Replace(c.cancel, "SESSION", w.session, 1)))
			got := map[string]message{}
			for want := strings.Count(c.cancel, `"id":902`) + 1; len(got) < want; {
				if m := w.peer.next(); m.Method == "" {
					got[string(m.ID)] = m
				}
			}
			var r protocol.TurnResult
			w.decode(got["901"].Result, &r)
			check(t, "outcome", r.Outcome, protocol.Cancelled)
			if m, ok := got["902"]; ok {
				check(t, "answer to the cancel", string(m.Result), `{"cancelled":true,"killed":[]}`)
			}
		})
	}
}

func TestBusyAndNothingToCancel(t *testing.T) {
	w := open(t, Config{}, `{}`, "")
	check(t, "cancel of nothing", string(last(w.until(answers(w.call("session/cancel", `{"session":"SESSION"}`)))).Result), `{"cancelled":false,"killed":[]}`)
	w.model.replies <- nil
	running := w.call("session/prompt", prompt)
	second := last(w.until(answers(w.call("session/prompt", prompt))))
	check(t, "prompt while a turn runs", second.Error.Code, -32011)
	check(t, "its data", string(second.Error.Data), `{"reason":"busy"}`)
	closing := w.call("session/close", `{"session":"SESSION"}`)
	var r protocol.TurnResult
	got := w.until(answers(closing))
	for _, m := range got {
		if answers(running)(m) {
			w.decode(m.Result, &r)
		}
	}
	if r.Outcome == "" {
		w.decode(last(w.until(answers(running))).Result, &r)
	}
	check(t, "turn of a session that is closed", r.Outcome, protocol.Cancelled)
	after := last(w.until(answers(w.call("session/prompt", prompt))))
	check(t, "prompt of a closed session", after.Error.Code, -32016)
}

// TestPermissionBehindItsEvent: a prompt goes out when its event was told, and one that was answered here is not called resolved.
func TestPermissionBehindItsEvent(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	w.model.replies <- calls("file-write", `{"path":"a.txt","content":"hello\n"}`)
	w.model.replies <- says("I wrote it.")
	id := w.call("session/prompt", prompt)
	got := w.until(calling(protocol.MethodRequestPermission))
	text := strings.Join(kinds(got), " ")
	if !strings.Contains(text, "prompt.open card permission status waiting") {
		t.Errorf("told before the prompt: %s", text)
	}
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"option":"allow_once"}}`, last(got).ID))
	got = w.until(answers(id))
	for _, m := range got {
		if m.Method == protocol.MethodPromptResolved {
			t.Error("a prompt that the client answered was called resolved")
		}
	}
	content, err := os.ReadFile(filepath.Join(w.dir, "a.txt"))
	check(t, "file", fmt.Sprintf("%q %v", content, err), `"hello\n" <nil>`)
}

// TestWithdrawnPromptIsResolved: a prompt whose turn is cancelled is taken back and closed.
func TestWithdrawnPromptIsResolved(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	w.model.replies <- calls("file-write", `{"path":"a.txt","content":"hello\n"}`)
	w.call("session/prompt", prompt)
	w.until(calling(protocol.MethodRequestPermission))
	w.call("session/cancel", `{"session":"SESSION"}`)
	got := w.until(calling(protocol.MethodPromptResolved))
	check(t, "params", string(last(got).Params), `{"session":"`+w.session+`","promptId":"p1","answer":"expired"}`)
}

// TestPreviewsAreJoined: a thousand pieces are no more than 30 notifications a second, and the last one; together they hold the same text.
func TestPreviewsAreJoined(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	var pieces []string
	for i := range 1000 {
		pieces = append(pieces, fmt.Sprintf("word%d ", i))
	}
	w.model.replies <- says(pieces...)
	var text strings.Builder
	n, start := 0, time.Now()
	for _, m := range w.until(answers(w.call("session/prompt", prompt))) {
		var p protocol.DeltaParams
		if m.Method == protocol.MethodDelta {
			w.decode(m.Params, &p)
			text.WriteString(p.Text)
			n++
		}
	}
	if took := time.Since(start); n > 2+int(30*took.Seconds()) {
		t.Errorf("1000 pieces were %d notifications in %v", n, took)
	}
	check(t, "text", strings.TrimSpace(text.String()) == strings.TrimSpace(strings.Join(pieces, "")), true)
}

// TestPlainClient: an editor without a plugin runs a whole turn through commands, messages, progress and documents.
func TestPlainClient(t *testing.T) {
	var shown string
	document := func(session, markdown string) (string, error) {
		shown = markdown
		return "/views/" + session + ".md", nil
	}
	w := open(t, Config{Document: document}, `{}`, `"window":{"workDoneProgress":true,"showDocument":{"support":true}}`)
	w.model.replies <- calls("file-write", `{"path":"a.txt","content":"hello\n"}`)
	w.model.replies <- says("I left it.")
	id := w.call("workspace/executeCommand", `{"command":"nodwyn.session.prompt","arguments":[`+prompt+`]}`)
	seen := map[string]int{}
	for seen["answer"] == 0 || seen["window/showDocument"] == 0 || seen["end"] == 0 {
		m := w.peer.next()
		seen[m.Method]++
		switch {
		case m.Method == "window/showMessageRequest":
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"title":"Deny"}}`, m.ID))
		case m.Method == "window/workDoneProgress/create":
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":null}`, m.ID))
		case m.Method == "window/showDocument":
			check(t, "document", string(m.Params), `{"uri":"file:///views/`+w.session+`.md"}`)
			w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"success":true}}`, m.ID))
		case m.Method == "$/progress" && strings.Contains(string(m.Params), `"kind":"end"`):
			seen["end"]++
		case answers(id)(m):
			var r protocol.TurnResult
			w.decode(m.Result, &r)
			check(t, "answer", fmt.Sprintf("%s %s", r.Outcome, r.Text), "completed I left it.")
			seen["answer"]++
		}
		if strings.HasPrefix(m.Method, "session/") {
			t.Errorf("%s was sent to a client that did not announce it", m.Method)
		}
	}
	check(t, "permissions", seen["window/showMessageRequest"], 1)
	check(t, "document", shown, "## ask\n\ndo it\n\n## permission\n\n```\nDenied create of a.txt\n```\n\n## result\n\nI left it.\n\n## proof\n\n```\nnothing written, no checks\n```\n\n")
}

// TestReading: what is told live is what the read methods return, and what resume shows again.
func TestReading(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	w.model.replies <- says("Done.")
	live := map[string]string{}
	for _, m := range w.until(answers(w.call("session/prompt", prompt))) {
		var p protocol.CardParams
		if m.Method == protocol.MethodCard {
			w.decode(m.Params, &p)
			live[p.Card.ID] = fmt.Sprint(p.Card.Body)
		}
	}
	var v protocol.ViewResult
	w.decode(last(w.until(answers(w.call("session/view", `{"session":"SESSION"}`)))).Result, &v)
	viewed := map[string]string{}
	for _, c := range v.Cards {
		viewed[c.ID] = fmt.Sprint(c.Body)
	}
	check(t, "cards", viewed, live)
	w.decode(last(w.until(answers(w.call("session/view", fmt.Sprintf(`{"session":"SESSION","since":%d}`, v.Revision))))).Result, &v)
	check(t, "cards since the last revision", len(v.Cards), 0)

	var page protocol.EventsResult
	w.decode(last(w.until(answers(w.call("session/events", `{"session":"SESSION","limit":2}`)))).Result, &page)
	check(t, "page", fmt.Sprint(len(page.Events), page.Next), "2 3")

	w.until(answers(w.call("session/close", `{"session":"SESSION"}`)))
	w.call("session/resume", `{"session":"SESSION"}`)
	again := map[string]string{}
	w.until(func(m message) bool {
		var p protocol.CardParams
		if m.Method == protocol.MethodCard {
			w.decode(m.Params, &p)
			again[p.Card.ID] = fmt.Sprint(p.Card.Body)
		}
		return len(again) == len(live)
	})
	check(t, "cards after a resume", again, live)
}

// TestListGoesOnWhereAPageEnded: the pages together are the list, and only a cursor that came with a page is one.
func TestListGoesOnWhereAPageEnded(t *testing.T) {
	w := open(t, Config{}, `{}`, "")
	want := []string{w.session}
	for range 2 {
		w.start()
		want = append(want, w.session)
	}
	var got []string
	page := protocol.ListResult{}
	for params := `{"limit":2}`; params != ""; {
		w.decode(last(w.until(answers(w.call("session/list", params)))).Result, &page)
		for _, s := range page.Sessions {
			got = append(got, s.Session)
		}
		params = ""
		if page.Cursor != "" {
			params = fmt.Sprintf(`{"limit":2,"cursor":%q}`, page.Cursor)
		}
		page.Cursor = ""
	}
	slices.Sort(got) // two that started in one millisecond stand in either order
	slices.Sort(want)
	check(t, "sessions", got, want)
}

// TestEveryCloseIsAnswered: of several at once one ends the session, and the others learn that without waiting for an end that they do not bring about.
func TestEveryCloseIsAnswered(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	const closing = `session/close {"session":"SESSION"}`
	got := w.pipeline(first, closing, closing, closing)
	ended := 0
	for _, id := range []string{"902", "903", "904"} {
		if m := got[id]; m.Error == nil {
			ended++
		} else {
			check(t, "answer to another close", m.Error.Code, -32016)
		}
	}
	check(t, "closes that ended the session", ended, 1)
	check(t, "turn", w.sum(got["901"]), "1 cancelled")
}

// TestShutdownEndsTheSessions: the end of a session is told before the shutdown is answered.
func TestShutdownEndsTheSessions(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	w.model.replies <- nil
	w.call("session/prompt", prompt)
	got := w.until(answers(w.call("shutdown", `null`)))
	text := strings.Join(kinds(got), " ")
	if !strings.Contains(text, "turn.end") || !strings.Contains(text, "session.end") {
		t.Errorf("told before shutdown was answered: %s", text)
	}
}
