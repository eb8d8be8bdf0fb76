package main

import (
	"context"
	"crypto/rand"
	"encoding/pem"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// load reads a configuration as the program does.
func load(t *testing.T, text string, v vault) (map[string]entry, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := writeFile(path, text); err != nil {
		t.Fatal(err)
	}
	f, text, err := loadFile(path)
	if err != nil {
		return nil, err
	}
	return registry(path, text, f, v)
}

func TestConfigRefused(t *testing.T) {
	const head = "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"openai\"\nurl = \"http://127.0.0.1/v1\"\n"
	const claude = "[control]\nserver = \"s\"\nmodel = \"m\"\n%s\n[servers.s]\napi = \"anthropic\"\nurl = \"http://127.0.0.1\"\n"
	for _, c := range []struct {
		name, text string
		line       int
		key, want  string
	}{
		{"key with a letter missing", head + "credentil = \"x\"\n", 7, "servers.s.credentil", `did you mean "servers.*.credential"?`},
		{"price with a letter too much", strings.Replace(head, "[servers", "price_inputs = 1\n[servers", 1), 4, "control.price_inputs", `did you mean "control.price_input"?`},
		{"key of a later version", head + "[budget]\nspend_limit = 1\n", 7, "budget", "does not honour it yet"},
		{"wire of a later version", strings.Replace(head, `"openai"`, `"openai-responses"`, 1), 5, "servers.s.api", "yet"},
		{"wire that nobody knows", strings.Replace(head, `"openai"`, `"opnai"`, 1), 5, "servers.s.api", `"opnai" is not one of "openai", "anthropic", "ollama", "script"`},
		{"two keys", head + "key_env = \"A\"\ncredential = \"a\"\n", 8, "servers.s.credential", "leave one of the two out"},
		{"class in capitals", head + "credential = \"Mine\"\n", 7, "servers.s.credential", `"Mine" is no class`},
		{"variable that is not set", head + "key_env = \"NODWYN_NOT_SET\"\n", 7, "servers.s.key_env", "NODWYN_NOT_SET, which is not set"},
		{"key in a header", head + "headers = { authorization = \"x\" }\n", 7, "servers.s.headers", "use credential or key_env"},
		{"password in the address", strings.Replace(head, "http://", "http://me:pw@", 1), 6, "servers.s.url", "use credential"},
		{"address of the endpoint", strings.Replace(fmt.Sprintf(claude, ""), "0.0.1", "0.0.1/v1", 1), 7, "servers.s.url", "leave out the /v1"},
		{"no address", strings.Replace(head, "http://127.0.0.1/v1", "", 1), 6, "servers.s.url", "http://"},
		{"authority that is missing", head + "ca_file = \"ca.pem\"\n", 7, "servers.s.ca_file", "ca.pem"},
		{"no model", strings.Replace(head, `"m"`, `""`, 1), 3, "control.model", "nodwyn setup"},
		{"server that is missing", strings.Replace(head, `"s"`, `"r"`, 1), 2, "control.server", "no [servers.r]"},
		{"price below zero", strings.Replace(head, "[servers", "price_cached = -1\n[servers", 1), 4, "control.price_cached", "zero"},
		{"price that is no number", strings.Replace(head, "[servers", "price_output = nan\n[servers", 1), 4, "control.price_output", "zero"},
		{"context below zero", strings.Replace(head, "[servers", "context = -1\n[servers", 1), 4, "control.context", "zero"},
		{"effort that the wire does not know", fmt.Sprintf(claude, `effort = "much"`), 4, "control.effort", `effort "much"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := load(t, c.text, testVault(t))
			wrong, ok := err.(*agent.ConfigError)
			if !ok {
				t.Fatalf("got %v, want an error of the configuration", err)
			}
			if got, want := fmt.Sprint(wrong.Line, wrong.Key), fmt.Sprint(c.line, c.key); got != want {
				t.Errorf("place: got %s, want %s", got, want)
			}
			if !strings.Contains(wrong.Reason, c.want) {
				t.Errorf("reason: got %q, want %q in it", wrong.Reason, c.want)
			}
		})
	}
}

func TestConfigModel(t *testing.T) {
	entries, err := load(t, `
[control]
server = "here"
model = "small"

[models.far]
server = "far"
model = "large"
context = 200000
max_output = 4096
effort = "high"
price_input = 3
price_output = 15.5
price_cached = 0.3
price_cache_write = 3.75

[servers.here]
api = "ollama"
url = "http://127.0.0.1:11434"

[servers.far]
api = "anthropic"
url = "https://example.test"
`, testVault(t))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for name, m := range models(entries) {
		price := "none"
		if p := m.Price; p.Input != nil {
			price = fmt.Sprint(*p.Input, *p.Output, *p.Cached, *p.CacheWrite)
		}
		got[name] = fmt.Sprint(m.Identity, m.Limits, m.Options, m.Wire, price)
	}
	want := map[string]string{
		"control": fmt.Sprint(event.Model{Name: "control", Server: "here", Model: "small", URL: "http://127.0.0.1:11434"}, event.Limits{Context: 8192}, event.Options{}, "ollama-chat/1", "none"),
		"far": fmt.Sprint(event.Model{Name: "far", Server: "far", Model: "large", URL: "https://example.test"},
			event.Limits{Context: 200000, MaxOutput: 4096}, event.Options{Effort: "high"}, "anthropic-messages/1", fmt.Sprint(3.0, 15.5, 0.3, 3.75)),
	}
	if !maps.Equal(got, want) {
		t.Errorf("models: got %v, want %v", got, want)
	}
}

// TestReadmeConfigurations: what the README says can stand in the file is read without complaint.
func TestReadmeConfigurations(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, block := range strings.Split(string(readme), "```toml\n")[1:] {
		text, _, _ := strings.Cut(block, "```")
		if strings.Contains(text, "[[item]]") {
			continue // that is closeout.toml
		}
		seen++
		if _, err := load(t, text, testVault(t)); err != nil {
			t.Errorf("%v in\n%s", err, text)
		}
		uncommented := regexp.MustCompile(`(?m)^# ([a-z_]+ *=)`).ReplaceAllString(text, "$1")
		if _, err := decodeFile("README.md", uncommented); err != nil {
			t.Errorf("%v in\n%s", err, uncommented)
		}
	}
	if seen < 3 {
		t.Errorf("found %d configurations, want at least 3", seen)
	}
}

// TestServerKeys holds each wire to where its key goes: a stored one is found when a request is sent, not before, and is then known to the redactor.
func TestServerKeys(t *testing.T) {
	for _, c := range []struct{ api, below, header, prefix, path string }{
		{"openai", "/v1", "Authorization", "Bearer ", "/v1/chat/completions"},
		{"anthropic", "", "X-Api-Key", "", "/v1/messages"},
		{"ollama", "", "Authorization", "Bearer ", "/api/chat"},
	} {
		t.Run(c.api, func(t *testing.T) {
			v, s := testVault(t), newVendorServer(t, (*httptest.Server).Start)
			s.key = "key-" + rand.Text()
			entries, err := load(t, fmt.Sprintf("[control]\nserver = \"s\"\nmodel = \"small\"\n[servers.s]\napi = %q\nurl = %q\ncredential = \"mine\"\n", c.api, s.URL+c.below), v)
			if err != nil {
				t.Fatal(err)
			}
			p := open(t, entries["control"].model)
			if _, err := speak(t, p); err == nil || !strings.Contains(err.Error(), "nodwyn cred register mine") {
				t.Errorf("without a stored key: got %v, want what to do", err)
			}
			if err := v.store.Register(t.Context(), "mine", s.key); err != nil {
				t.Fatal(err)
			}
			reply, err := speak(t, p)
			if err != nil || reply != "ok" {
				t.Fatalf("reply: got %q, %v, want ok", reply, err)
			}
			if got, want := s.paths(), []string{c.path}; !slices.Equal(got, want) {
				t.Errorf("requests: got %q, want %q: none without a key", got, want)
			}
			if got, want := s.asked[0].Header.Get(c.header), c.prefix+s.key; got != want {
				t.Errorf("%s: got %q, want %q", c.header, got, want)
			}
			if got, _ := v.redactor.String("it is " + s.key); got != "it is [redacted:credential:mine]" {
				t.Errorf("redacted: got %q", got)
			}
		})
	}
}

// TestStoredKeyHiddenEarly: what is stored is secret before the first request of the session that uses it.
func TestStoredKeyHiddenEarly(t *testing.T) {
	key := "key-" + rand.Text()
	for _, c := range []struct {
		name string
		hide func(t *testing.T, v vault)
	}{
		{"when the program starts", func(t *testing.T, v vault) {
			if err := v.hide(t.Context()); err != nil {
				t.Fatal(err)
			}
		}},
		{"when a session opens its model", func(t *testing.T, v vault) {
			entries, err := load(t, "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"ollama\"\nurl = \"http://127.0.0.1:1\"\ncredential = \"mine\"\n", v)
			if err != nil {
				t.Fatal(err)
			}
			open(t, entries["control"].model)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := testVault(t)
			if err := v.store.Register(t.Context(), "mine", key); err != nil {
				t.Fatal(err)
			}
			c.hide(t, v)
			if got, _ := v.redactor.String(key); got == key {
				t.Error("the key is not secret yet")
			}
		})
	}
}

func TestServerAuthority(t *testing.T) {
	s := newVendorServer(t, (*httptest.Server).StartTLS)
	file := filepath.Join(t.TempDir(), "ca.pem")
	cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := writeFile(file, string(cert)); err != nil {
		t.Fatal(err)
	}
	const text = "[control]\nserver = \"s\"\nmodel = \"m\"\n[servers.s]\napi = \"ollama\"\nurl = %q\n"
	for _, c := range []struct{ name, more, want string }{
		{"without it", "", "certificate"},
		{"with it", fmt.Sprintf("ca_file = %q\n", file), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			entries, err := load(t, fmt.Sprintf(text, s.URL)+c.more, testVault(t))
			if err != nil {
				t.Fatal(err)
			}
			_, err = speak(t, open(t, entries["control"].model))
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("request: got %v, want %q", err, c.want)
			}
		})
	}
	if err := writeFile(file, "nothing"); err != nil {
		t.Fatal(err)
	}
	_, err := load(t, fmt.Sprintf(text+"ca_file = %q\n", s.URL, file), testVault(t))
	if err == nil || !strings.Contains(err.Error(), "no certificate in PEM form") {
		t.Errorf("a file without a certificate: got %v", err)
	}
}

// open opens a model as a session does, without the guard in between.
func open(t *testing.T, m agent.Model) provider.Provider {
	t.Helper()
	base := m.Base
	if base == nil {
		plain, err := guard.NewTransport(nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(plain.CloseIdleConnections)
		base = http.RoundTripper(plain)
	}
	p, err := m.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// speak sends a request and returns the text of the reply.
func speak(t *testing.T, p provider.Provider) (string, error) {
	t.Helper()
	body, err := p.Encode(provider.Request{Model: "small"})
	if err != nil {
		t.Fatal(err)
	}
	return answer(p.Stream(context.WithoutCancel(t.Context()), body))
}
