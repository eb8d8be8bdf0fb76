package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// aimockFolder is where its pins, its installer and the conversation that it plays are.
const aimockFolder = "testdata/aimock"

// TestAimock runs a session over each wire against npm's aimock, a server that we did not write: what it takes for a request and sends for a reply is another reading of the vendors' pages than ours.
func TestAimock(t *testing.T) {
	t.Parallel()
	url := startAimock(t)
	for _, c := range []struct{ api, base, path string }{
		{apiOpenAI, "/v1", "/v1/chat/completions"},
		{apiAnthropic, "", "/v1/messages"},
		{apiOllama, "", "/api/chat"},
	} {
		t.Run(c.api, func(t *testing.T) {
			s, err := newScenario(t.TempDir(), os.Environ())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(s.model.close)
			if err := s.askAimock(c.api, url+c.base); err != nil {
				t.Fatal(err, s.abandon())
			}
			if err := s.finish(); err != nil {
				t.Error(err, s.report())
			}
			want := []journalEntry{{Path: c.path}, {Path: c.path}}
			for i := range want {
				want[i].Response.Status = http.StatusOK
			}
			if got := journal(t, url, c.path); !reflect.DeepEqual(got, want) {
				t.Errorf("aimock was asked %+v, want %+v", got, want)
			}
		})
	}
}

// askAimock holds the conversation of session.json: words and a call in one reply, then words.
func (s *scenario) askAimock(api, url string) error {
	config := fmt.Sprintf("[servers.aimock]\napi = %q\nurl = %q\nkey_env = \"MODEL_KEY\"\n\n[models.other]\nserver = \"aimock\"\nmodel = \"other-1\"\n", api, url)
	if err := s.configure(config); err != nil {
		return err
	}
	if err := writeFile(filepath.Join(s.repo(), "README.md"), "# A project\n\nIt greets.\n"); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	if err := s.initialize(every...); err != nil {
		return err
	}
	if _, err := s.newSession(map[string]any{"model": "other"}); err != nil {
		return err
	}
	if err := s.prompt("what does this project do?"); err != nil {
		return err
	}
	end, _, err := s.outcome()
	if err != nil {
		return err
	}
	got, results, err := s.cameTo(upshot{outcome: end.Outcome})
	want := upshot{outcome: "completed", says: "It greets whoever runs it.", left: map[string]string{}}
	if err != nil || !reflect.DeepEqual(got, want) || len(results) != 1 || !fits(results[0], aReadSays) {
		return fmt.Errorf("got %+v, %q, %v, want %+v and a file that was read", got, results, err, want)
	}
	return nil
}

// startAimock starts it on a port of its own choice and returns its address.
func startAimock(t *testing.T) string {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, "node", aimock(t), "--port", "0", "--host", "127.0.0.1", "--strict", "--validate-on-load", "--fixtures", filepath.Join(aimockFolder, "session.json"))
	cmd.Stderr = os.Stderr
	cmd.WaitDelay = time.Second
	stdout, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatalf("start aimock: %v", err)
	}
	t.Cleanup(func() {
		stop()
		_ = cmd.Wait() // it was killed
	})
	late := time.AfterFunc(patience, stop)
	defer late.Stop()
	for lines := bufio.NewScanner(stdout); lines.Scan(); {
		if _, url, ok := strings.Cut(lines.Text(), "listening on "); ok {
			return url
		}
	}
	t.Fatal("start aimock: it ended before it listened")
	return ""
}

// aimock returns the program that the installer put into the cache, if it is the pinned one.
func aimock(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(os.Getenv("HOME"), ".cache")), "nodwyn-test", "aimock")
	want, err := os.ReadFile(filepath.Join(aimockFolder, "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(folder, "ready")); err == nil && bytes.Equal(got, want) {
		return filepath.Join(folder, "node_modules", "@copilotkit", "aimock", "dist", "cli.js")
	}
	const advice = "no aimock to test with: run cmd/nodwyn/testdata/aimock/install.sh"
	if os.Getenv("NODWYN_EDITORS") != "" {
		t.Fatal(advice)
	}
	t.Skip(advice)
	return ""
}

// journalEntry is what aimock keeps of a request, as far as it matters here.
type journalEntry struct {
	Path     string `json:"path"`
	Response struct {
		Status int `json:"status"`
	} `json:"response"`
}

// journal asks aimock what it was asked on a path.
func journal(t *testing.T, url, path string) []journalEntry {
	t.Helper()
	resp, err := http.Get(url + "/__aimock/journal?path=" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var entries []journalEntry
	if err := json.Unmarshal(body, &entries); err != nil {
		t.Fatalf("read aimock's journal %s: %v", body, err)
	}
	return entries
}
