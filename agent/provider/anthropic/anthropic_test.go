package anthropic

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// check compares what a test got with what it wants, as whole values.
func check(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
	}
}

// answers is a server in the test's own process: each request takes the next answer.
type answers struct {
	t    *testing.T
	list []answer
}

type answer struct {
	status int
	header map[string]string
	body   io.Reader
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(a.list) == 0 {
		a.t.Fatal("one more request than expected")
	}
	next := a.list[0]
	a.list = a.list[1:]
	rec := httptest.NewRecorder()
	for name, value := range next.header {
		rec.Header().Set(name, value)
	}
	rec.WriteHeader(next.status)
	resp := rec.Result()
	resp.Body, resp.Request = io.NopCloser(next.body), req
	return resp, nil
}

// stream is an answer of status 200 with these events.
func stream(events ...string) answer {
	return answer{status: 200, header: map[string]string{"Content-Type": "text/event-stream; charset=utf-8"}, body: strings.NewReader(wire(events...))}
}

// wire writes events as the API does: each is named by its type.
func wire(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		name, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		b.WriteString("event: " + name + "\ndata: " + e + "\n\n")
	}
	return b.String()
}

// ask streams one request and assembles the reply. The time it took is left out of it; an answer that was not asked for fails the test.
func ask(t *testing.T, list ...answer) (event.LLMResp, error) {
	t.Helper()
	server := &answers{t: t, list: list}
	p, err := New(Config{URL: "http://model.test", Client: &http.Client{Transport: server}})
	if err != nil {
		t.Fatal(err)
	}
	var r provider.Reply
	var failed error
	for c, err := range p.Stream(t.Context(), []byte("{}")) {
		if failed != nil {
			t.Fatalf("a chunk after the error %v", failed)
		}
		if failed = err; err == nil {
			r.Add(c)
		}
	}
	check(t, "answers left", len(server.list), 0)
	resp := r.Resp(1)
	resp.Usage.WallMS = 0
	return resp, failed
}

func TestNew(t *testing.T) {
	for in, want := range map[string]string{
		"https://api.test":            "api.test:443",
		"https://api.test/anthropic/": "api.test:443",
		"http://127.0.0.1:4010":       "127.0.0.1:4010",
	} {
		p, err := New(Config{URL: in, Client: http.DefaultClient})
		check(t, in+" error", err, nil)
		check(t, in, p.Host(), want)
	}
	for in, want := range map[string]string{
		"":                     `it must begin with http:// or https:// and name a host`,
		"api.test":             `it must begin with http:// or https:// and name a host`,
		"https://api.test/v1":  `read server url "https://api.test/v1": this API lives at /v1/messages below it; leave out the /v1 at its end`,
		"https://api.test/v1/": `leave out the /v1 at its end`,
	} {
		if _, err := New(Config{URL: in, Client: http.DefaultClient}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %s", in, err, want)
		}
	}
	if _, err := New(Config{URL: "https://api.test"}); err == nil {
		t.Error("no client: no error")
	}
}

func TestRequest(t *testing.T) {
	for name, c := range map[string]struct {
		header  map[string]string
		version string
	}{
		"as it is":   {map[string]string{"Anthropic-Beta": "x"}, "2023-06-01"},
		"configured": {map[string]string{"Anthropic-Beta": "x", "anthropic-version": "2030-01-01"}, "2030-01-01"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				check(t, "read", err, nil)
				h := r.Header
				got = []string{r.Method, r.URL.Path, h.Get("Content-Type"), h.Get("Accept"), h.Get("Anthropic-Version"), h.Get("Anthropic-Beta"), h.Get("X-Api-Key"), string(body)}
				w.Header().Set("Content-Type", "text/event-stream")
				io.WriteString(w, wire(hello...))
			}))
			defer server.Close()
			p, err := New(Config{URL: server.URL, Header: c.header, Client: server.Client()})
			check(t, "new", err, nil)
			var r provider.Reply
			for c, err := range p.Stream(t.Context(), []byte(`{"a":1}`)) {
				check(t, "error", err, nil)
				r.Add(c)
			}
			check(t, "text", r.Resp(1).Text, "Hello")
			check(t, "request", got, []string{"POST", "/v1/messages", "application/json", "text/event-stream", c.version, "x", "", `{"a":1}`})
		})
	}
}

func TestStreamStopsWithItsConsumer(t *testing.T) {
	p, err := New(Config{URL: "http://model.test", Client: &http.Client{Transport: &answers{t: t, list: []answer{stream(hello...)}}}})
	check(t, "new", err, nil)
	n := 0
	for range p.Stream(t.Context(), nil) {
		n++
		break
	}
	check(t, "chunks", n, 1)
}

// brokenStream fails the test unless the error is that of a stream which broke off in each attempt.
func brokenStream(t *testing.T, what string, got event.LLMResp, err error) {
	t.Helper()
	var e *provider.Error
	if !errors.As(err, &e) || e.Code != "broken_stream" || got.Stop != "" || got.Attempts != 3 {
		t.Fatalf("%s: got stop %q in attempt %d and error %v, want three broken attempts", what, got.Stop, got.Attempts, err)
	}
}
