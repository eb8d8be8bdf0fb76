package openai

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

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
	t     *testing.T
	list  []answer
	calls int
}

type answer struct {
	status int
	header map[string]string
	body   io.Reader
	err    error
}

// stream is an answer of status 200 with these events.
func stream(events ...string) answer {
	return answer{status: 200, header: map[string]string{"Content-Type": "text/event-stream"}, body: strings.NewReader(wire(events...))}
}

func wire(events ...string) string {
	var b strings.Builder
	for _, e := range events {
		b.WriteString("data: " + e + "\n\n")
	}
	return b.String()
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	if a.calls == len(a.list) {
		a.t.Fatalf("request %d was not expected", a.calls+1)
	}
	next := a.list[a.calls]
	a.calls++
	if next.err != nil {
		return nil, next.err
	}
	rec := httptest.NewRecorder()
	for name, value := range next.header {
		rec.Header().Set(name, value)
	}
	rec.WriteHeader(next.status)
	resp := rec.Result()
	resp.Body, resp.Request = io.NopCloser(next.body), req
	return resp, nil
}

// ask streams one request and assembles the reply. The time it took is left out of it.
func ask(t *testing.T, ctx context.Context, list ...answer) (event.LLMResp, error) {
	t.Helper()
	p, err := New(Config{URL: "http://model.test/v1", Client: &http.Client{Transport: &answers{t: t, list: list}}, Timeout: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	var r provider.Reply
	var failed error
	for c, err := range p.Stream(ctx, []byte("{}")) {
		if failed != nil {
			t.Fatalf("a chunk after the error %v", failed)
		}
		if failed = err; err == nil {
			r.Add(c)
		}
	}
	resp := r.Resp(1)
	resp.Usage.WallMS = 0
	return resp, failed
}

// hung is a body that never ends.
type hung struct{ ctx context.Context }

func (h hung) Read([]byte) (int, error) {
	<-h.ctx.Done()
	return 0, h.ctx.Err()
}

// slow answers at once and then says nothing more.
type slow struct{}

func (slow) RoundTrip(req *http.Request) (*http.Response, error) {
	body := io.MultiReader(strings.NewReader(wire(hello)), hung{req.Context()})
	return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(body), Request: req}, nil
}

func TestEndsOfPatience(t *testing.T) {
	stop := errors.New("stopped by a person")
	for name, c := range map[string]struct {
		cancel time.Duration
		want   error
		took   time.Duration
	}{
		"a person's": {time.Second, stop, time.Second},
		"ours":       {time.Hour, &provider.Error{Code: "timeout", Message: "no complete reply from model.test:80 within 1m0s; raise the server's timeout or ask for less"}, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, err := New(Config{URL: "http://model.test/v1/", Client: &http.Client{Transport: slow{}}, Timeout: time.Minute})
				check(t, "new", err, nil)
				ctx, cancel := context.WithCancelCause(t.Context())
				timer := time.AfterFunc(c.cancel, func() { cancel(stop) })
				defer timer.Stop()
				start, text := time.Now(), ""
				for chunk, err := range p.Stream(ctx, nil) {
					text += chunk.Text
					if err != nil {
						check(t, "error", err, c.want)
					}
				}
				check(t, "text", text, "Hello")
				check(t, "took", time.Since(start), c.took)
			})
		})
	}
}

func TestNew(t *testing.T) {
	for in, want := range map[string]string{
		"https://api.test/v1":       "api.test:443",
		"http://[::1]/v1/":          "[::1]:80",
		"http://127.0.0.1:11434/v1": "127.0.0.1:11434",
	} {
		p, err := New(Config{URL: in, Client: http.DefaultClient})
		check(t, in+" error", err, nil)
		check(t, in, p.Host(), want)
	}
	for _, in := range []string{"", "api.test/v1", "ftp://api.test", "https://", "http://a b"} {
		if _, err := New(Config{URL: in, Client: http.DefaultClient}); err == nil {
			t.Errorf("%q: no error", in)
		}
	}
	if _, err := New(Config{URL: "https://api.test/v1"}); err == nil {
		t.Error("no client: no error")
	}
}

func TestRequest(t *testing.T) {
	var got *http.Request
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r
		body, _ = io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, wire(hello, finish, done))
	}))
	defer server.Close()
	p, err := New(Config{URL: server.URL + "/v1", Header: map[string]string{"X-Title": "test"}, Client: server.Client()})
	check(t, "new", err, nil)
	var r provider.Reply
	for c, err := range p.Stream(t.Context(), []byte(`{"a":1}`)) {
		check(t, "error", err, nil)
		r.Add(c)
	}
	check(t, "text", r.Resp(1).Text, "Hello")
	check(t, "request", []string{got.Method, got.URL.Path, got.Header.Get("Content-Type"), got.Header.Get("X-Title"), string(body)}, []string{"POST", "/v1/chat/completions", "application/json", "test", `{"a":1}`})
}
