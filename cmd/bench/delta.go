package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
)

// The pace of the model: a reply begins after firstPause, which no model undercuts, and goes on with a hundred pieces a second.
const (
	firstPause = 60 * time.Millisecond
	tokenPause = 10 * time.Millisecond
)

// tokens is a reply as models cut them: a word begins with the blank before it, so that the first one waits for the next to be whole.
func tokens() []string { return []string{"The", " green", "house", " stands", " open", ".\n"} }

// stopwatch knows when the pieces of the running reply were sent, and when the first preview of it arrived.
type stopwatch struct {
	mu    sync.Mutex // guards what follows
	sent  []time.Time
	first time.Time
	size  int // of the first preview
}

// firstDelta measures how long the server needs from the last byte that the first preview of a reply shows to the preview itself, and, for what holding back adds, from the first byte of all.
func (b bench) firstDelta() ([]fact, error) {
	var w stopwatch
	model := httptest.NewServer(http.HandlerFunc(w.reply))
	defer model.Close()
	env, err := b.home(fmt.Sprintf("[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"openai\"\nurl = %q\n", model.URL), "")
	if err != nil {
		return nil, err
	}
	p, err := b.initialize(env, w.heard)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	session, err := openSession(p, filepath.Join(b.dir, "talk"))
	if err != nil {
		return nil, err
	}
	var own, all []time.Duration
	for range b.rounds * 5 {
		w.reset()
		if _, err := p.call("session/prompt", object{"session": session, "text": "what is green?"}); err != nil {
			return nil, err
		}
		fromOwn, fromFirst, err := w.took()
		if err != nil {
			return nil, err
		}
		own, all = append(own, fromOwn), append(all, fromFirst)
	}
	const name = "first delta out after its bytes came in, "
	return []fact{
		{name + "p50", quantile(own, 50), "≤ 2 ms"},
		{name + "p99", quantile(own, 99), "≤ 300 ms"},
		{fmt.Sprintf("first delta out after the first byte at %s a token, p50", tokenPause), quantile(all, 50), ""},
	}, nil
}

func quantile(times []time.Duration, percent int) string {
	slices.Sort(times)
	return times[min(len(times)*percent/100, len(times)-1)].Round(time.Microsecond).String()
}

func (w *stopwatch) reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.sent, w.first, w.size = nil, time.Time{}, 0
}

// reply answers a request as a Chat-compatible server does, piece by piece.
func (w *stopwatch) reply(out http.ResponseWriter, r *http.Request) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return
	}
	out.Header().Set("Content-Type", "text/event-stream")
	time.Sleep(firstPause)
	for _, token := range tokens() {
		w.mu.Lock()
		w.sent = append(w.sent, time.Now())
		w.mu.Unlock()
		fmt.Fprintf(out, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", token)
		out.(http.Flusher).Flush()
		time.Sleep(tokenPause)
	}
	fmt.Fprint(out, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// heard notes the first preview.
func (w *stopwatch) heard(method string, params jsonrpc2.RawMessage) {
	if method != "session/delta" {
		return
	}
	now := time.Now()
	var p struct {
		Text string `json:"text"`
	}
	if err := json.Unmarshal(params, &p); err != nil || p.Text == "" {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size == 0 {
		w.first, w.size = now, len(p.Text)
	}
}

// took returns the time since the piece that completed the preview, and since the first one.
func (w *stopwatch) took() (own, all time.Duration, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.size == 0 {
		return 0, 0, fmt.Errorf("measure the first preview: none came of %d pieces", len(w.sent))
	}
	last, size := 0, 0
	for i, token := range tokens()[:len(w.sent)] {
		if size < w.size {
			last = i
		}
		size += len(token)
	}
	return w.first.Sub(w.sent[last]), w.first.Sub(w.sent[0]), nil
}
