package main

import (
	_ "embed" // for the session
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/anthropic"
	"github.com/nodwyn/nodwyn/agent/provider/openai"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// twelveSteps is what the model says in the session whose requests are compared.
//
//go:embed session.txt
var twelveSteps string

// encoder is one wire's way to make the bytes of a request.
type encoder struct {
	wire   string
	encode func(provider.Request) ([]byte, error)
}

// prefix runs a session of twelve steps through the real server and encodes its requests for the wires whose servers keep a prefix: how much of each stands at the begin of the next decides what a provider's cache is worth.
func (b bench) prefix() ([]fact, error) {
	requests, err := b.twelve()
	if err != nil {
		return nil, err
	}
	var facts []fact
	for _, e := range []encoder{{"openai", openai.Encode}, {"anthropic", anthropic.Encode}} {
		found, err := e.measure(requests)
		if err != nil {
			return nil, err
		}
		facts = append(facts, found...)
	}
	return facts, nil
}

// measure encodes the requests and finds the pair that shares least.
func (e encoder) measure(requests []provider.Request) ([]fact, error) {
	least := 1.0
	var before []byte
	for _, r := range requests {
		body, err := e.encode(r)
		if err != nil {
			return nil, err
		}
		if before != nil {
			least = min(least, float64(common(before, body))/float64(len(before)))
		}
		before = body
	}
	first := requests[0]
	first.Messages = nil
	told, err := e.encode(first)
	if err != nil {
		return nil, err
	}
	return []fact{
		{fmt.Sprintf("shared prefix of consecutive requests, %s (least of %d)", e.wire, len(requests)-1), fmt.Sprintf("%.2f %%", 100*least), "≥ 99 %"},
		{"system text and tools, " + e.wire, fmt.Sprintf("%.1f KiB", float64(len(told))/1024), "≤ 24 KiB"},
	}, nil
}

func common(a, b []byte) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

// twelve runs the session in a repository and returns what its requests were made of.
func (b bench) twelve() ([]provider.Request, error) {
	const allowed = "[guard]\nwrite = \"session-worktree\"\nallow = [ { op = \"exec\", prefix = [\"wc\"] }, { op = \"exec\", prefix = [\"cat\"] } ]\n"
	env, err := b.home(scripted+allowed, twelveSteps)
	if err != nil {
		return nil, err
	}
	repo, err := b.repository()
	if err != nil {
		return nil, err
	}
	p, err := b.initialize(env, nil)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	session, err := openSession(p, repo)
	if err != nil {
		return nil, err
	}
	if _, err := p.call("session/prompt", object{"session": session, "text": "greet in the person's own language"}); err != nil {
		return nil, err
	}
	return requestsOf(filepath.Join(b.dir, "data", "nodwyn", "sessions", session+".jsonl"))
}

// requestsOf folds a log up to each of its requests.
func requestsOf(log string) ([]provider.Request, error) {
	var out []provider.Request
	var m view.Messages
	for e, err := range sessionlog.Read(log) {
		if err != nil {
			return nil, err
		}
		m.Apply(e)
		if _, ok := e.Payload.(event.LLMReq); ok {
			out = append(out, provider.Request{Model: "m", Context: m.Recipe(), Messages: m.Window()})
		}
	}
	if want := strings.Count(strings.TrimSpace(twelveSteps), "\n\n") + 1; len(out) != want {
		return nil, fmt.Errorf("read %s: it holds %d requests, want %d", log, len(out), want)
	}
	return out, nil
}

// repository makes a small project for the session to work in.
func (b bench) repository() (string, error) {
	repo := filepath.Join(b.dir, "repo")
	for name, text := range map[string]string{
		"greet.go":      "package greet\n\n// greet greets.\nfunc greet(name string) string {\n\treturn \"hello \" + name\n}\n\nfunc leave(name string) string {\n\treturn \"bye \" + name\n}\n",
		"greet_test.go": "package greet\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n\tif got := greet(\"ada\"); got != \"hello ada\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
		"docs/guide.md": strings.Repeat("Call greet with a name, and leave when the talk is over.\n", 200),
	} {
		path := filepath.Join(repo, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return "", err
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@example.org", "commit", "-q", "-m", "start"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = repo
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return repo, nil
}
