package main

import (
	"crypto/rand"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOllamaURL(t *testing.T) {
	for _, c := range []struct{ host, want string }{
		{"", "http://127.0.0.1:11434"},
		{"10.0.0.7", "http://10.0.0.7:11434"},
		{"10.0.0.7:80", "http://10.0.0.7:80"},
		{":4321", "http://127.0.0.1:4321"},
		{"0.0.0.0", "http://127.0.0.1:11434"},
		{"0.0.0.0:4321", "http://127.0.0.1:4321"},
		{"[::]:4321", "http://[::1]:4321"},
		{"[fe80::1]", "http://[fe80::1]:11434"},
		{"http://models.test", "http://models.test:80"},
		{"https://models.test", "https://models.test:443"},
		{"https://models.test/ollama/", "https://models.test:443/ollama"},
		{`"127.0.0.1:4321"`, "http://127.0.0.1:4321"},
		{"ftp://models.test", ""},
		{"http://a b", ""},
	} {
		got, err := ollamaURL(c.host)
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("OLLAMA_HOST=%q: got %q, %v, want %q", c.host, got, err, c.want)
		}
	}
}

// TestDiscover: without a configuration a session talks to what runs on the machine, else to the service that there is a key for, else it says what to do.
func TestDiscover(t *testing.T) {
	s := newVendorServer(t, (*httptest.Server).Start)
	key := "key-" + rand.Text()
	for _, c := range []struct {
		name, ollama, key, file string
		want                    string
	}{
		{"an Ollama: the first model that can call tools", s.URL, "", "", "small:1b on ollama at " + s.URL + ", context 16384"},
		{"an Ollama before a key", s.URL, key, "", "small:1b on ollama at " + s.URL + ", context 16384"},
		{"a key", "127.0.0.1:1", key, "", "claude-sonnet-4-6 on anthropic at https://api.anthropic.com, context 0"},
		{"a file that was written since", s.URL, key, "[control]\nserver = \"s\"\n[servers.s]\napi = \"script\"\nurl = \"/m.txt\"\n", " on s at /m.txt, context 0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := atHome(t)
			t.Setenv("OLLAMA_HOST", c.ollama)
			t.Setenv("ANTHROPIC_API_KEY", c.key)
			d := discoverer{path: filepath.Join(dir, "config.toml"), vault: testVault(t)}
			if c.file != "" {
				if err := writeFile(d.path, c.file); err != nil {
					t.Fatal(err)
				}
			}
			m, err := d.model(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s on %s at %s, context %d", m.Identity.Model, m.Identity.Server, m.Identity.URL, m.Limits.Context); got != c.want {
				t.Errorf("model: got %s, want %s", got, c.want)
			}
			hidden, _ := d.vault.redactor.String(key)
			if got, want := hidden != key, c.key != "" && m.Identity.Server == "anthropic"; got != want {
				t.Errorf("the key is secret: got %v, want %v", got, want)
			}
		})
	}
	t.Run("nothing", func(t *testing.T) {
		d := discoverer{path: filepath.Join(atHome(t), "config.toml"), vault: testVault(t)}
		_, err := d.model(t.Context())
		for _, want := range []string{"no Ollama answers at http://127.0.0.1:1", "ANTHROPIC_API_KEY", "nodwyn setup"} {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %q in it", err, want)
			}
		}
	})
}

// TestZeroConfiguration runs a session with nothing but a running Ollama.
func TestZeroConfiguration(t *testing.T) {
	t.Parallel()
	v := newVendorServer(t, (*httptest.Server).Start)
	s, err := newScenario(t.TempDir(), append(os.Environ(), "OLLAMA_HOST="+v.URL))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.model.close)
	if err := s.commit(); err != nil {
		t.Fatal(err)
	}
	out, err := s.run("run", "--repo", s.repo(), "--yes", "reads", "say ok")
	if err != nil || !strings.Contains(out, "ok") {
		t.Fatalf("run: got %q, %v", out, err)
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
	ids, err := s.onDisk()
	if err != nil || len(ids) != 1 {
		t.Fatalf("sessions: got %q, %v, want one", ids, err)
	}
	log, err := os.ReadFile(s.log(ids[0]))
	if want := `"model":"small:1b"`; err != nil || !strings.Contains(string(log), want) {
		t.Errorf("log: got %s, %v, want %s in it", log, err, want)
	}
}
