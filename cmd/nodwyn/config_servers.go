package main

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/anthropic"
	"github.com/nodwyn/nodwyn/agent/provider/ollama"
	"github.com/nodwyn/nodwyn/agent/provider/openai"
	"github.com/nodwyn/nodwyn/agent/provider/script"
)

// requestTimeout bounds one request to a model where the configuration does not.
const requestTimeout = 10 * time.Minute

// The values of a server's api.
const (
	apiAnthropic = "anthropic"
	apiOllama    = "ollama"
	apiOpenAI    = "openai"
	apiScript    = "script"
)

// wire is what a value of api stands for.
type wire struct {
	// version names the request format.
	version string
	// header and prefix say where a request carries the key.
	header, prefix string
	// models is where the server lists its models, below its URL; empty when it lists none.
	models string
	encode func(provider.Request) ([]byte, error)
	open   func(provider.Config) (provider.Provider, error)
}

func wires() map[string]wire {
	const authorization, bearer = "Authorization", "Bearer "
	return map[string]wire{
		apiAnthropic: {anthropic.Wire, "X-Api-Key", "", "v1/models?limit=1000", anthropic.Encode, opener(anthropic.New)},
		apiOllama:    {ollama.Wire, authorization, bearer, "api/tags", ollama.Encode, opener(ollama.New)},
		apiOpenAI:    {openai.Wire, authorization, bearer, "models", openai.Encode, opener(openai.New)},
		apiScript:    {version: script.Wire, encode: script.Encode, open: rehearse},
	}
}

// opener gives the constructors of the wires one type.
func opener[P provider.Provider](open func(provider.Config) (P, error)) func(provider.Config) (provider.Provider, error) {
	return func(cfg provider.Config) (provider.Provider, error) {
		p, err := open(cfg)
		if err != nil {
			return nil, err
		}
		return p, nil
	}
}

// rehearse reads the file of replies when a session opens it.
func rehearse(cfg provider.Config) (provider.Provider, error) {
	text, err := os.ReadFile(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read scripted model: %w", err)
	}
	return script.New(string(text), cfg.URL)
}

// server is a [servers.NAME] that was found to be good.
type server struct {
	name, api string
	section   serverSection
	wire      wire
	// base is the transport of a server with an authority of its own, and nil for all others.
	base http.RoundTripper
	key  keySource
}

// wrongKey says what is wrong with a key. Whoever knows the file adds the place.
type wrongKey struct {
	key toml.Key
	why string
}

func (w *wrongKey) Error() string { return w.key.String() + ": " + w.why }

// newServer finds out whether a section can be used, without asking anyone. Files that it names are looked for beside dir.
func newServer(dir, name string, s serverSection, v vault) (server, error) {
	wrong := func(key, why string) error { return &wrongKey{toml.Key{"servers", name, key}, why} }
	w, ok := wires()[s.API]
	switch {
	case s.API == "openai-responses":
		return server{}, wrong("api", `this version does not speak "openai-responses" yet; most servers that do also speak "openai" (Chat-compatible)`)
	case !ok:
		return server{}, wrong("api", fmt.Sprintf("%q is not one of %s", s.API, quoted(apis())))
	}
	if why := openKey(s); why != "" {
		return server{}, wrong("headers", why)
	}
	out := server{name: name, api: s.API, section: s, wire: w}
	if key, err := out.addKey(v); err != nil {
		return server{}, wrong(key, err.Error())
	}
	if s.API == apiScript {
		out.section.URL = beside(dir, s.URL)
		return out, nil
	}
	if u, err := url.Parse(s.URL); err == nil && u.User != nil {
		return server{}, wrong("url", "a name or password does not belong in a file; use credential")
	}
	if _, err := out.open(nil); err != nil {
		return server{}, wrong("url", err.Error())
	}
	if err := out.addAuthority(dir); err != nil {
		return server{}, wrong("ca_file", err.Error())
	}
	return out, nil
}

func apis() []string { return []string{apiOpenAI, apiAnthropic, apiOllama, apiScript} }

func beside(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

// openKey finds a header that would hold a key in plain sight.
func openKey(s serverSection) string {
	secret := []string{"authorization", "proxy-authorization", "x-api-key", "api-key", "x-goog-api-key", "cookie"}
	for name := range s.Headers {
		if slices.Contains(secret, strings.ToLower(name)) {
			return fmt.Sprintf("the value of %s does not belong in a file; use credential or key_env", name)
		}
	}
	return ""
}

// addKey finds where the server's key comes from, or names the key of the section that is wrong. A variable is read now, since it cannot change; a stored credential may still come.
func (s *server) addKey(v vault) (string, error) {
	env, class := s.section.KeyEnv, s.section.Credential
	switch {
	case env != "" && class != "":
		return "credential", fmt.Errorf("key_env names another key; leave one of the two out")
	case env != "":
		key, err := v.variable(env)
		if err != nil {
			return "key_env", err
		}
		s.key = func(context.Context) (string, error) { return key, nil }
	case class != "":
		if strings.Trim(class, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
			return "credential", fmt.Errorf("%q is no class: lower-case letters, digits and dashes", class)
		}
		s.key = func(ctx context.Context) (string, error) { return v.stored(ctx, class) }
	}
	return "", nil
}

func (s *server) addAuthority(dir string) error {
	if s.section.CAFile == "" {
		return nil
	}
	pem, err := os.ReadFile(beside(dir, s.section.CAFile))
	if err != nil {
		return err
	}
	base, err := guard.NewTransport(pem)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.section.CAFile, err)
	}
	s.base = base
	return nil
}

// open returns the provider, reached through t.
func (s server) open(t http.RoundTripper) (provider.Provider, error) {
	timeout := time.Duration(s.section.Timeout)
	if timeout == 0 {
		timeout = requestTimeout
	}
	return s.wire.open(provider.Config{URL: s.section.URL, Header: s.section.Headers, Client: &http.Client{Transport: s.keyed(t)}, Timeout: timeout})
}

// keyed adds the server's key to what goes through t.
func (s server) keyed(t http.RoundTripper) http.RoundTripper {
	if s.key == nil {
		return t
	}
	return keyed{base: t, header: s.wire.header, prefix: s.wire.prefix, key: s.key}
}

// openFor opens the provider for a session. Its key is looked up once before anything is recorded, so that the redactor knows it when the person speaks first. One that is missing is no error yet: it may be registered until the first request, which says what to do.
func (s server) openFor(t http.RoundTripper) (provider.Provider, error) {
	if s.key != nil {
		_, _ = s.key(context.Background()) // the store bounds how long a keychain may take
	}
	return s.open(t)
}
