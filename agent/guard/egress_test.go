package guard

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestTransportRecordsBeforeItSends(t *testing.T) {
	b := setUp(t, nil)
	var recorded []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		recorded = b.log()
		if r.URL.Path == "/moved" {
			http.Redirect(w, r, "/here", http.StatusFound)
		}
	}))
	defer server.Close()
	host := strings.TrimPrefix(server.URL, "http://")
	client := &http.Client{Transport: b.Transport("model", nil)}
	resp, err := client.Post(server.URL, "text/plain", bytes.NewReader([]byte("12345")))
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	checkLines(t, recorded, "egress "+host+" model 5 true")
	resp, err = client.Get(server.URL + "/moved")
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	checkLines(t, recorded, "egress "+host+" model 0 true")
}

// refuse is a transport that must not be reached.
type refuse struct{ t *testing.T }

func (r refuse) RoundTrip(*http.Request) (*http.Response, error) {
	r.t.Error("the request went out")
	return nil, errors.New("refused")
}

// body notices that it was closed.
type body struct {
	io.Reader
	closed bool
}

func (b *body) Close() error {
	b.closed = true
	return nil
}

func TestTransportSendsNothingUnrecorded(t *testing.T) {
	b := setUp(t, nil)
	b.left = 0
	sent := &body{Reader: strings.NewReader("x")}
	for _, size := range []int64{1, -1, 0} {
		sent.closed = false
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://model.example/v1", sent)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = size
		_, err = b.Transport("model", refuse{t}).RoundTrip(req)
		check(t, err != nil, true)
		check(t, errors.Is(err, errBroken), size == 1)
		check(t, sent.closed, true)
	}
}

func TestHostHasAPort(t *testing.T) {
	for url, want := range map[string]string{
		"https://model.example/v1": "model.example:443", "http://model.example": "model.example:80",
		"http://127.0.0.1:11434/api": "127.0.0.1:11434", "https://[::1]/x": "[::1]:443", "https://[::1]:8/x": "[::1]:8",
	} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		check(t, hostPort(req), want)
	}
}
