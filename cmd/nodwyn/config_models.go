package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sort"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/openai"
	"github.com/nodwyn/nodwyn/agent/provider/script"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// requestTimeout bounds one request to a model where the configuration does not.
const requestTimeout = 10 * time.Minute

// registry builds what sessions can talk to, and registers every key with the redactor before anything can use it.
func registry(path, text string, f file, r *redact.Redactor) (map[string]agent.Model, error) {
	sections := make(map[string]modelSection, len(f.Models)+1)
	for name, m := range f.Models {
		sections[name] = m
	}
	if f.Control != nil {
		sections["control"] = *f.Control
	}
	models := make(map[string]agent.Model, len(sections))
	for _, name := range sortedNames(sections) {
		key := toml.Key{"models", name}
		if name == "control" {
			key = toml.Key{"control"}
		}
		m, bad, err := model(filepath.Dir(path), name, sections[name], f.Servers, r)
		if err != nil {
			key = append(key, bad)
			return nil, &agent.ConfigError{File: path, Line: keyLine(text, key), Key: key.String(), Reason: err.Error()}
		}
		models[name] = m
	}
	return models, nil
}

func sortedNames(sections map[string]modelSection) []string {
	names := make([]string, 0, len(sections))
	for name := range sections {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// model builds one entry, or says which of its keys is wrong.
func model(dir, name string, m modelSection, servers map[string]serverSection, r *redact.Redactor) (agent.Model, string, error) {
	s, ok := servers[m.Server]
	if !ok {
		return agent.Model{}, "server", fmt.Errorf("there is no [servers.%s]", m.Server)
	}
	out := agent.Model{
		Identity: event.Model{Name: name, Server: m.Server, Model: m.Model, URL: s.URL},
		Limits:   event.Limits{Context: m.Context, MaxOutput: m.MaxOutput},
		Options:  event.Options{Effort: m.Effort},
	}
	var err error
	switch s.API {
	case "openai":
		out.Wire = openai.Wire
		out.Open, err = chatServer(s, r)
	case "script":
		out.Wire = script.Wire
		if !filepath.IsAbs(s.URL) {
			s.URL = filepath.Join(dir, s.URL)
		}
		out.Identity.URL = s.URL
		out.Open, err = scriptedServer(s.URL)
	default:
		err = fmt.Errorf("[servers.%s] api = %q: this version speaks \"openai\" (Chat-compatible) and \"script\"", m.Server, s.API)
	}
	if err == nil && m.Model == "" && s.API != "script" {
		return agent.Model{}, "model", fmt.Errorf("the model's id is missing")
	}
	return out, "server", err
}

// chatServer reaches an OpenAI-compatible server. Its key goes into the request inside the transport and nowhere else.
func chatServer(s serverSection, r *redact.Redactor) (func(http.RoundTripper) (provider.Provider, error), error) {
	key := ""
	if s.KeyEnv != "" {
		if key = os.Getenv(s.KeyEnv); key == "" {
			return nil, fmt.Errorf("key_env names the variable %s, which is not set", s.KeyEnv)
		}
		if err := r.Register("key", s.KeyEnv, key); err != nil {
			return nil, fmt.Errorf("the key in %s: %w", s.KeyEnv, err)
		}
	}
	timeout := time.Duration(s.Timeout)
	if timeout == 0 {
		timeout = requestTimeout
	}
	return func(t http.RoundTripper) (provider.Provider, error) {
		client := &http.Client{Transport: keyed{base: t, key: key}}
		return openai.New(openai.Config{URL: s.URL, Header: s.Headers, Client: client, Timeout: timeout})
	}, nil
}

// keyed adds the key to each request on its way out.
type keyed struct {
	base http.RoundTripper
	key  string
}

// RoundTrip sends a copy of the request with the key.
func (k keyed) RoundTrip(req *http.Request) (*http.Response, error) {
	if k.key != "" {
		req = req.Clone(req.Context())
		req.Header.Set("Authorization", "Bearer "+k.key)
	}
	return k.base.RoundTrip(req)
}

// scriptedServer reads the file of replies when a session opens it.
func scriptedServer(path string) (func(http.RoundTripper) (provider.Provider, error), error) {
	return func(http.RoundTripper) (provider.Provider, error) {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("read scripted model: %w", err)
		}
		return script.New(string(text), path)
	}, nil
}
