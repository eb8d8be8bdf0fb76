package provider

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// transport answers each request with what a function returns.
type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

func reply(status int, kind, body string) transport {
	return func(req *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(strings.NewReader(body)), Request: req}, nil
	}
}

// wordOf is a wire whose answer is one text.
func wordOf(r io.Reader, emit Emit) error {
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	for _, c := range []Chunk{{Text: string(text)}, {}, {Stop: "end"}} {
		if err := emit(c); err != nil {
			return err
		}
	}
	return nil
}

func TestEndpointTimesTheAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(r io.Reader, emit Emit) error {
			time.Sleep(time.Second)
			return wordOf(r, emit)
		}
		e, err := NewEndpoint(Config{URL: "http://model.test", Client: &http.Client{Transport: reply(200, "", "hi")}}, Route{Path: "x", Decode: slow})
		check(t, "new", err, nil)
		var got []Chunk
		for c, err := range e.Stream(t.Context(), nil) {
			check(t, "error", err, nil)
			got = append(got, c)
		}
		check(t, "chunks", got, []Chunk{{Attempt: 1, Text: "hi"}, {Attempt: 1, Usage: &event.Usage{WallMS: 1000}}, {Attempt: 1, Stop: "end"}})
	})
}

func TestEndpointHeaders(t *testing.T) {
	var got []string
	client := &http.Client{Transport: transport(func(req *http.Request) (*http.Response, error) {
		got = []string{req.URL.String(), req.Header.Get("Accept"), req.Header.Get("A"), req.Header.Get("B")}
		return nil, errors.New("seen")
	})}
	e, err := NewEndpoint(Config{URL: "http://model.test/base/", Client: client, Header: map[string]string{"b": "configured"}},
		Route{Path: "v1/x", Header: map[string]string{"A": "own", "B": "own"}})
	check(t, "new", err, nil)
	for _, err := range e.Stream(t.Context(), nil) {
		check(t, "error", fmt.Sprint(err), "seen")
	}
	check(t, "request", got, []string{"http://model.test/base/v1/x", "text/event-stream", "own", "configured"})
}

func TestEndpointAdvises(t *testing.T) {
	advise := func(e *Error) { e.Message += "; do this" }
	for name, c := range map[string]struct {
		answer transport
		want   string
	}{
		"a refused request":     {reply(400, "", "no"), "400 Bad Request: no; do this"},
		"an error for a stream": {reply(200, "application/json", `{"error":"no"}`), "no; do this"},
		"somebody else's error": {func(*http.Request) (*http.Response, error) { return nil, errors.New("denied") }, "denied"},
	} {
		e, err := NewEndpoint(Config{URL: "http://model.test", Client: &http.Client{Transport: c.answer}}, Route{Decode: wordOf, Advise: advise})
		check(t, name+" new", err, nil)
		for _, err := range e.Stream(t.Context(), nil) {
			check(t, name, fmt.Sprint(err), c.want)
		}
	}
}
