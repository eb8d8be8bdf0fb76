package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
)

// patienceLocal is how long a server on this machine may take to say what it has. A session waits for it.
const patienceLocal = 300 * time.Millisecond

// localContext is the context that is asked of an Ollama's model where it can take that much: room for the system text and some files, in the memory of a machine that can run the model at all.
const localContext = 16384

// vendor is a service whose key people keep in a variable of a known name.
type vendor struct {
	// name is that of its server, and the class of its credential.
	name, title, variable, api, url string
	// model is what zero configuration talks to. It ages; set-up asks the vendor what there is now.
	model string
}

func vendors() []vendor {
	return []vendor{
		{"anthropic", "Anthropic", "ANTHROPIC_API_KEY", apiAnthropic, "https://api.anthropic.com", "claude-sonnet-4-6"},
		{"openai", "OpenAI", "OPENAI_API_KEY", apiOpenAI, "https://api.openai.com/v1", "gpt-4.1"},
		{"openrouter", "OpenRouter", "OPENROUTER_API_KEY", apiOpenAI, "https://openrouter.ai/api/v1", "openrouter/auto"},
		{"gemini", "Google Gemini", "GEMINI_API_KEY", apiOpenAI, "https://generativelanguage.googleapis.com/v1beta/openai", "gemini-flash-latest"},
		{"mistral", "Mistral", "MISTRAL_API_KEY", apiOpenAI, "https://api.mistral.ai/v1", "mistral-medium-latest"},
		{"deepseek", "DeepSeek", "DEEPSEEK_API_KEY", apiOpenAI, "https://api.deepseek.com/v1", "deepseek-chat"},
	}
}

// section is the vendor's server; where its key comes from is the caller's to say.
func (v vendor) section() serverSection { return serverSection{API: v.api, URL: v.url} }

// discoverer finds a model where none is configured. It looks anew each time, so that a server that starts later, or a file that set-up writes beside an editor, counts from the next session on.
type discoverer struct {
	path  string
	vault vault
}

// model is what a session asks for.
func (d discoverer) model(ctx context.Context) (agent.Model, error) {
	e, err := d.find(ctx)
	return e.model, err
}

// find takes the configuration file if it names a model by now, then what runs on this machine, and only then a service that the person has a key for.
func (d discoverer) find(ctx context.Context) (entry, error) {
	_, entries, err := readConfig(d.path, d.vault)
	if err != nil {
		return entry{}, err
	}
	if e, ok := entries["control"]; ok {
		return e, nil
	}
	local, why := d.local(ctx)
	if why == nil {
		return local, nil
	}
	for _, v := range vendors() {
		if os.Getenv(v.variable) == "" {
			continue
		}
		s := v.section()
		s.KeyEnv = v.variable
		return d.entry(v.name, s, modelSection{Server: v.name, Model: v.model})
	}
	return entry{}, d.nothing(why)
}

// nothing says what was looked for.
func (d discoverer) nothing(why error) error {
	var names []string
	for _, v := range vendors() {
		names = append(names, v.variable)
	}
	return &agent.ConfigError{File: d.path, Key: "control", Reason: fmt.Sprintf(
		"no model is configured, %v, and none of %s is set: run `nodwyn setup`", why, strings.Join(names, ", "))}
}

func (d discoverer) entry(name string, s serverSection, m modelSection) (entry, error) {
	srv, err := newServer(filepath.Dir(d.path), name, s, d.vault)
	if err != nil {
		return entry{}, err
	}
	return newEntry("control", m, map[string]server{name: srv})
}

// local finds a running Ollama and the first of its models that can call tools, or says why there is none.
func (d discoverer) local(ctx context.Context) (entry, error) {
	look, err := d.ollama(ctx)
	if err != nil {
		return entry{}, err
	}
	defer look.transport.CloseIdleConnections()
	for _, id := range look.models {
		can, err := look.ability(ctx, id)
		if err == nil && !can.tools {
			continue
		}
		return d.entry(look.server.name, look.server.section, modelSection{Server: look.server.name, Model: id, Context: can.suggested()})
	}
	return entry{}, fmt.Errorf("the Ollama at %s has no model that can call tools (`ollama pull qwen3` fetches one)", look.server.section.URL)
}

// suggested is the context that a model of that ability gets where nobody says; 0 leaves it to the wire.
func (a ability) suggested() int { return min(a.context, localContext) }

// found is an Ollama that answered.
type found struct {
	server    server
	transport *http.Transport
	models    []string
}

// ability asks about one of its models, as briefly as everything here.
func (f found) ability(ctx context.Context, model string) (ability, error) {
	ctx, cancel := context.WithTimeout(ctx, patienceLocal)
	defer cancel()
	return f.server.ability(ctx, f.transport, model)
}

// ollama looks for a running Ollama. The caller closes the connections of its transport.
func (d discoverer) ollama(ctx context.Context) (found, error) {
	address, err := ollamaURL(os.Getenv("OLLAMA_HOST"))
	if err != nil {
		return found{}, err
	}
	f := found{}
	if f.server, err = newServer("", "ollama", serverSection{API: apiOllama, URL: address}, d.vault); err != nil {
		return found{}, err
	}
	if f.transport, err = guard.NewTransport(nil); err != nil {
		return found{}, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patienceLocal, errors.New("no answer"))
	defer cancel()
	if f.models, err = f.server.list(ctx, f.transport); err != nil {
		f.transport.CloseIdleConnections()
		return found{}, fmt.Errorf("no Ollama answers at %s", address)
	}
	return f, nil
}

// ollamaURL reads OLLAMA_HOST as Ollama's own client does: scheme, host and port may each be missing. An address that a server listens on everywhere is reached on this machine.
func ollamaURL(host string) (string, error) {
	host = strings.Trim(strings.TrimSpace(host), `"'`)
	full, standard := host, "11434"
	switch scheme, _, found := strings.Cut(host, "://"); {
	case !found:
		full = "http://" + host
	case scheme == "http":
		standard = "80"
	case scheme == "https":
		standard = "443"
	}
	u, err := url.Parse(full)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("OLLAMA_HOST is %q, which is no address such as http://127.0.0.1:11434", host)
	}
	name, port := u.Hostname(), or(u.Port(), standard)
	switch name {
	case "", "0.0.0.0":
		name = "127.0.0.1"
	case "::":
		name = "::1"
	}
	if strings.Contains(name, ":") {
		name = "[" + name + "]"
	}
	u.Host = name + ":" + port
	return strings.TrimRight(u.String(), "/"), nil
}
