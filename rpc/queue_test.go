package rpc

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// pipeline writes requests in one go and returns the answers by id. Requests are numbered from 901.
func (w *workbench) pipeline(bodies ...string) map[string]message {
	w.t.Helper()
	w.raw(w.frames(bodies...))
	return w.collect(len(bodies))
}

// frames makes requests of lines with a method and its params.
func (w *workbench) frames(lines ...string) string {
	var b strings.Builder
	for i, line := range lines {
		method, params, _ := strings.Cut(line, " ")
		b.WriteString(frame(w.body(901+i, method, params)))
	}
	return b.String()
}

func (w *workbench) collect(n int) map[string]message {
	w.t.Helper()
	got := map[string]message{}
	for len(got) < n {
		if m := w.peer.next(); m.Method == "" {
			got[string(m.ID)] = m
		}
	}
	return got
}

// sum says what a turn came to.
func (w *workbench) sum(m message) string {
	w.t.Helper()
	var r protocol.TurnResult
	w.decode(m.Result, &r)
	return strings.TrimSpace(fmt.Sprintf("%d %s %s", r.Turn, r.Outcome, r.Reason))
}

const (
	first = `session/prompt {"session":"SESSION","text":"one"}`
	next  = `session/prompt {"session":"SESSION","text":"two","when":"next"}`
	queue = `session/queue {"session":"SESSION"}`
)

// TestQueueIsAsItWasReached: each look at the queue sees what was asked before it and nothing of what follows, although all of it came in one write.
func TestQueueIsAsItWasReached(t *testing.T) {
	w := open(t, Config{}, `{}`, "")
	got := w.pipeline(first, queue, next, queue,
		`session/queue {"session":"SESSION","edit":[{"id":"q2","text":"2"}]}`, `session/queue {"session":"SESSION","drop":["q2"]}`, queue,
		`session/queue {"session":"SESSION","drop":["q2"]}`, `session/cancel {"session":"SESSION"}`)
	for _, c := range []struct{ id, want string }{
		{"902", `{"queue":[]}`},
		{"904", `{"queue":[{"id":"q2","text":"two"}]}`},
		{"905", `{"queue":[{"id":"q2","text":"2"}]}`},
		{"906", `{"queue":[]}`},
		{"907", `{"queue":[]}`},
		{"909", `{"cancelled":true,"killed":[]}`},
	} {
		check(t, "answer "+c.id, string(got[c.id].Result), c.want)
	}
	check(t, "turn that was cancelled", w.sum(got["901"]), "1 cancelled")
	check(t, "request that was dropped", w.sum(got["903"]), "0 cancelled dropped")
	check(t, "second drop", fmt.Sprint(got["908"], " ", string(got["908"].Error.Data)), `908 -32602 {"reason":"invalid_params","field":"drop[0]"}`)
}

// TestCancelLeavesWhatWaits: a cancel means the turn that runs when it arrives, and not the request that was queued just before it.
func TestCancelLeavesWhatWaits(t *testing.T) {
	w := open(t, Config{}, `{}`, "")
	w.raw(w.frames(first, next, `session/cancel {"session":"SESSION"}`))
	got := w.collect(2)
	check(t, "turn that ran", w.sum(got["901"]), "1 cancelled")
	check(t, "answer to the cancel", string(got["903"].Result), `{"cancelled":true,"killed":[]}`)
	w.model.replies <- says("Second.")
	check(t, "request that waited", w.sum(w.collect(1)["902"]), "2 completed")
}

// TestCancelledRequestLeavesTheQueue: $/cancelRequest on a queued prompt drops it, and the running turn goes on.
func TestCancelledRequestLeavesTheQueue(t *testing.T) {
	w := open(t, Config{}, `{}`, "")
	w.raw(w.frames(first, next) + frame(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":902}}`))
	dropped := w.collect(1)
	check(t, "request that was cancelled", w.sum(dropped["902"]), "0 cancelled dropped")
	w.model.replies <- says("First.")
	check(t, "turn that ran", w.sum(w.collect(1)["901"]), "1 completed")
}

// TestSteerIsRecordedInTheTurn: a message behind the prompt finds its turn, which takes it before it ends; one for a turn that is over is refused.
func TestSteerIsRecordedInTheTurn(t *testing.T) {
	w := open(t, Config{}, allCapabilities, "")
	w.model.replies <- calls("file-write", `{"path":"a.txt","content":"hello\n"}`)
	id := w.call("session/prompt", prompt)
	asked := last(w.until(calling(protocol.MethodRequestPermission)))
	wrong := last(w.until(answers(w.call("session/steer", `{"session":"SESSION","turn":2,"text":"too early"}`))))
	check(t, "turn that is not there", fmt.Sprint(wrong, " ", string(wrong.Error.Data)), string(wrong.ID)+` -32012 {"reason":"nothing"}`)
	steered := w.call("session/steer", `{"session":"SESSION","turn":1,"text":"in capitals"}`)
	w.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"option":"deny"}}`, asked.ID))
	got := w.until(answers(steered))
	check(t, "answer to the steer", string(last(got).Result), `{}`)
	if text := strings.Join(kinds(got), " "); !strings.Contains(text, "user.msg card ask") {
		t.Errorf("told before the steer was answered: %s", text)
	}
	w.model.replies <- says("HELLO.")
	check(t, "turn", w.sum(last(w.until(answers(id)))), "1 completed")
	late := last(w.until(answers(w.call("session/steer", `{"session":"SESSION","turn":1,"text":"too late"}`))))
	check(t, "turn that is over", late.Error.Code, -32012)
}
