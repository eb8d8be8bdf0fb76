package ollama

import (
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
	kind   string
	body   io.Reader
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	if len(a.list) == 0 {
		a.t.Fatal("one more request than expected")
	}
	next := a.list[0]
	a.list = a.list[1:]
	header := http.Header{"Content-Type": {next.kind}}
	return &http.Response{StatusCode: next.status, Header: header, Body: io.NopCloser(next.body), Request: req}, nil
}

// stream is an answer of status 200 with these lines.
func stream(lines ...string) answer {
	return answer{200, "application/x-ndjson", strings.NewReader(wire(lines...))}
}

func wire(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

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
		"http://127.0.0.1:11434": "127.0.0.1:11434",
		"https://box.test/llm/":  "box.test:443",
	} {
		p, err := New(Config{URL: in, Client: http.DefaultClient})
		check(t, in+" error", err, nil)
		check(t, in, p.Host(), want)
	}
	for in, want := range map[string]string{
		"127.0.0.1:11434":            "read server url",
		"http://127.0.0.1:11434/v1":  `read server url "http://127.0.0.1:11434/v1": this API lives at /api/chat below it; leave out the /v1 at its end`,
		"http://127.0.0.1:11434/api": `leave out the /api at its end`,
	} {
		if _, err := New(Config{URL: in, Client: http.DefaultClient}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got error %v, want %s", in, err, want)
		}
	}
	if _, err := New(Config{URL: "http://127.0.0.1:11434"}); err == nil {
		t.Error("no client: no error")
	}
}

func TestRequest(t *testing.T) {
	var got []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		check(t, "read", err, nil)
		got = []string{r.Method, r.URL.Path, r.Header.Get("Content-Type"), r.Header.Get("Accept"), r.Header.Get("X-Title"), string(body)}
		w.Header().Set("Content-Type", "application/x-ndjson")
		io.WriteString(w, wire(hello, done))
	}))
	defer server.Close()
	p, err := New(Config{URL: server.URL, Header: map[string]string{"X-Title": "test"}, Client: server.Client()})
	check(t, "new", err, nil)
	var r provider.Reply
	for c, err := range p.Stream(t.Context(), []byte(`{"a":1}`)) {
		check(t, "error", err, nil)
		r.Add(c)
	}
	check(t, "text", r.Resp(1).Text, "Hello")
	check(t, "request", got, []string{"POST", "/api/chat", "application/json", "application/x-ndjson", "test", `{"a":1}`})
}
