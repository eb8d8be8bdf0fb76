package main

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/provider/ollama"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// entry is one entry of the registry: a model and the server that it runs on.
type entry struct {
	section modelSection
	server  server
	model   agent.Model
}

// readConfig reads a configuration file and finds out whether all of it can be used.
func readConfig(path string, v vault) (file, map[string]entry, error) {
	f, text, err := loadFile(path)
	if err == nil {
		err = f.validate(path, text)
	}
	if err != nil {
		return file{}, nil, err
	}
	entries, err := registry(path, text, f, v)
	return f, entries, err
}

// registry builds what sessions can talk to. An error names file, line and key.
func registry(path, text string, f file, v vault) (map[string]entry, error) {
	entries, err := newEntries(filepath.Dir(path), f, v)
	if wrong, ok := errors.AsType[*wrongKey](err); ok {
		return nil, &agent.ConfigError{File: path, Line: keyLine(text, wrong.key), Key: wrong.key.String(), Reason: wrong.why}
	}
	return entries, err
}

func newEntries(dir string, f file, v vault) (map[string]entry, error) {
	servers := make(map[string]server, len(f.Servers))
	for _, name := range slices.Sorted(maps.Keys(f.Servers)) {
		s, err := newServer(dir, name, f.Servers[name], v)
		if err != nil {
			return nil, err
		}
		servers[name] = s
	}
	sections := make(map[string]modelSection, len(f.Models)+1)
	maps.Copy(sections, f.Models)
	if f.Control != nil {
		sections["control"] = *f.Control
	}
	if f.Side != nil {
		sections["side"] = *f.Side
	}
	entries := make(map[string]entry, len(sections))
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		e, err := newEntry(name, sections[name], servers)
		if err != nil {
			return nil, err
		}
		entries[name] = e
	}
	return entries, nil
}

// newEntry builds one entry. What an effort may be only its wire knows, so a first request is encoded to find out.
func newEntry(name string, m modelSection, servers map[string]server) (entry, error) {
	wrong := func(key, why string) error {
		if name == "control" || name == "side" {
			return &wrongKey{toml.Key{name, key}, why}
		}
		return &wrongKey{toml.Key{"models", name, key}, why}
	}
	s, ok := servers[m.Server]
	if !ok {
		return entry{}, wrong("server", fmt.Sprintf("there is no [servers.%s]", m.Server))
	}
	if m.Model == "" && s.api != apiScript {
		return entry{}, wrong("model", "the model's id is missing; `nodwyn setup` lists what the server has")
	}
	if key := m.senseless(); key != "" {
		return entry{}, wrong(key, "it must be a number from zero up")
	}
	if s.api == apiOllama && m.Context == 0 {
		m.Context = ollama.StandardContext
	}
	model := agent.Model{
		Identity: event.Model{Name: name, Server: m.Server, Model: m.Model, URL: s.section.URL},
		Limits:   event.Limits{Context: m.Context, MaxOutput: m.MaxOutput},
		Options:  event.Options{Effort: m.Effort},
		Price:    provider.Price{Input: m.PriceInput, Output: m.PriceOutput, Cached: m.PriceCached, CacheWrite: m.PriceCacheWrite},
		Wire:     s.wire.version, Base: s.base, Open: s.openFor,
	}
	if _, err := s.wire.encode(provider.Request{Model: m.Model, Context: event.Context{Limits: model.Limits, Options: model.Options}}); err != nil {
		return entry{}, wrong("effort", err.Error())
	}
	return entry{section: m, server: s, model: model}, nil
}

// senseless finds a key whose number means nothing.
func (m modelSection) senseless() string {
	for _, n := range []struct {
		key    string
		number float64
	}{
		{"context", float64(m.Context)}, {"max_output", float64(m.MaxOutput)},
		{"price_input", number(m.PriceInput)}, {"price_output", number(m.PriceOutput)},
		{"price_cached", number(m.PriceCached)}, {"price_cache_write", number(m.PriceCacheWrite)},
	} {
		if !(n.number >= 0) || math.IsInf(n.number, 1) {
			return n.key
		}
	}
	return ""
}

func number(f *float64) float64 {
	if f == nil {
		return 0
	}
	return *f
}

// models is the part of the registry that sessions see.
func models(entries map[string]entry) map[string]agent.Model {
	out := make(map[string]agent.Model, len(entries))
	for name, e := range entries {
		out[name] = e.model
	}
	return out
}
