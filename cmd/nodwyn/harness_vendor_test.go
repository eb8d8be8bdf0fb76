package main

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// vendorServer speaks all wires in the smallest way, and keeps what it was asked.
type vendorServer struct {
	*httptest.Server
	// key is what a request must carry, in the wire's own header; empty wants none.
	key string

	mu    sync.Mutex // guards asked
	asked []*http.Request
}

// noTools is the one model of the server that cannot call tools.
const noTools = "embedder"

// newVendorServer starts one, with (*httptest.Server).Start or StartTLS.
func newVendorServer(t *testing.T, start func(*httptest.Server)) *vendorServer {
	v := &vendorServer{}
	v.Server = httptest.NewUnstartedServer(v)
	v.Config.ErrorLog = log.New(io.Discard, "", 0) // a client that does not trust it is what a test wants
	start(v.Server)
	t.Cleanup(v.Close)
	return v
}

// ServeHTTP answers what a client of any of the three APIs asks.
func (v *vendorServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	v.asked = append(v.asked, r)
	v.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if given := r.Header.Get("X-Api-Key") + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "); given != v.key {
		w.WriteHeader(http.StatusUnauthorized)
		fmt.Fprintf(w, `{"error":{"type":"authentication_error","message":"the key %s is not good"}}`, given)
		return
	}
	switch r.URL.Path {
	case "/api/tags":
		fmt.Fprintf(w, `{"models":[{"name":"%s:latest"},{"name":"small:1b"}]}`, noTools)
	case "/api/show":
		capability := "tools"
		if strings.Contains(string(body), noTools) {
			capability = "embedding"
		}
		fmt.Fprintf(w, `{"capabilities":["completion",%q],"model_info":{"general.architecture":"small","small.context_length":40960}}`, capability)
	case "/api/chat":
		w.Header().Set("Content-Type", "application/x-ndjson")
		fmt.Fprintln(w, `{"message":{"role":"assistant","content":"ok"},"done":false}`)
		fmt.Fprintln(w, `{"message":{"role":"assistant","content":""},"done":true,"done_reason":"stop","prompt_eval_count":5,"eval_count":1}`)
	case "/v1/models":
		fmt.Fprint(w, `{"data":[{"id":"small-2"},{"id":"small-1"}]}`)
	case "/v1/messages":
		events(w, `{"type":"message_start","message":{"usage":{"input_tokens":5,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ok"}}`,
			`{"type":"content_block_stop","index":0}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}}`, `{"type":"message_stop"}`)
	case "/v1/chat/completions":
		events(w, `{"choices":[{"index":0,"delta":{"content":"ok"}}]}`, `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`, `[DONE]`)
	default:
		http.NotFound(w, r)
	}
}

func events(w http.ResponseWriter, list ...string) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, e := range list {
		fmt.Fprintf(w, "data: %s\n\n", e)
	}
}

// paths are what was asked for, in order.
func (v *vendorServer) paths() []string {
	v.mu.Lock()
	defer v.mu.Unlock()
	var out []string
	for _, r := range v.asked {
		out = append(out, r.URL.Path)
	}
	return out
}

// testVault keeps keys in a file of the test's own: the person's keychain is none of its business.
func testVault(t *testing.T) vault {
	refuse := errors.New("no keychain in a test")
	store := cred.Open(cred.Config{File: filepath.Join(t.TempDir(), "cred", "credentials.json"), Keychain: cred.Keychain{
		Set:    func(string, string, string) error { return refuse },
		Get:    func(string, string) (string, error) { return "", refuse },
		Delete: func(string, string) error { return refuse },
	}})
	return vault{store: store, redactor: redact.New()}
}

// atHome gives commands that run in the test's process a home of their own, with no keychain, no server and no key in sight. It returns the folder of the configuration.
func atHome(t *testing.T) string {
	home := t.TempDir()
	for _, name := range []string{"CONFIG", "DATA", "STATE"} {
		t.Setenv("XDG_"+name+"_HOME", filepath.Join(home, strings.ToLower(name)))
	}
	t.Setenv("DBUS_SESSION_BUS_ADDRESS", "unix:path="+filepath.Join(home, "none"))
	t.Setenv("OLLAMA_HOST", "127.0.0.1:1")
	for _, v := range vendors() {
		t.Setenv(v.variable, "")
	}
	return filepath.Join(home, "config", "nodwyn")
}

// runHere runs a command in the test's process.
func runHere(stdin string, args ...string) (code int, out, errs string) {
	var stdout, stderr strings.Builder
	code = dispatch(slices.Clone(args), &console{in: strings.NewReader(stdin), out: &stdout, err: &stderr})
	return code, stdout.String(), stderr.String()
}
