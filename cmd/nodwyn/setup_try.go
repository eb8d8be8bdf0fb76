package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/agent/tool"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// tryTimeout bounds the test request. A server that has to load the model first may take its time.
const tryTimeout = 3 * time.Minute

// try sends one small request as a session would, and says what came of it.
func (s *installation) try(ctx context.Context, ch choice) error {
	e, err := s.entry(ch)
	if err != nil || s.noTest {
		return err
	}
	fmt.Fprintf(s.c.out, "asking %s for a word\n", or(ch.model.Model, ch.name))
	reply, err := e.try(ctx, s.transport)
	if err != nil {
		said := fmt.Sprintf("%s: %s", ch.section.URL, clean(s.vault.redactor, err.Error()))
		if hint := advice(ch.section.API, err); hint != "" {
			said += "\n" + hint
		}
		return errors.New(said)
	}
	fmt.Fprintf(s.c.out, "it answered: %s\n", clean(s.vault.redactor, reply))
	return nil
}

// try asks the model for one word. A tool goes along, since a model that cannot have any is of no use here.
func (e entry) try(ctx context.Context, t http.RoundTripper) (string, error) {
	if e.server.base != nil {
		t = e.server.base
	}
	p, err := e.server.open(t)
	if err != nil {
		return "", err
	}
	read, _ := tool.Find("file-read")
	body, err := p.Encode(provider.Request{
		Model: e.section.Model,
		Context: event.Context{
			System: "You answer in one word.", Wire: e.model.Wire, Limits: e.model.Limits, Options: e.model.Options,
			Tools: []event.ToolSpec{{Name: read.Name, Description: read.Description, Schema: read.Schema}},
		},
		Messages: []view.Message{{Role: view.User, Text: "Say ok."}},
	})
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, tryTimeout, fmt.Errorf("no reply within %s", tryTimeout))
	defer cancel()
	return answer(p.Stream(ctx, body))
}

// answer reads a reply to its end.
func answer(stream func(yield func(provider.Chunk, error) bool)) (string, error) {
	var reply provider.Reply
	for chunk, err := range stream {
		if err != nil {
			return "", err
		}
		reply.Add(chunk)
	}
	r := reply.Resp(0)
	switch text := strings.TrimSpace(r.Text); {
	case text != "":
		return text, nil
	case len(r.ToolCalls) > 0:
		return "with a call of " + r.ToolCalls[0].Name, nil
	case r.Thinking != "":
		return "with thoughts only", nil
	}
	return "", errors.New("the model answered with nothing")
}

// advice says what to do about a failed request; it is empty where the server's words say it all.
func advice(api string, err error) string {
	status, text := 0, err.Error()
	if e, ok := errors.AsType[*provider.Error](err); ok {
		status = e.Status
	}
	switch {
	case strings.Contains(text, "connection refused") && api == apiOllama:
		return "start the server with `ollama serve`, or correct the address"
	case strings.Contains(text, "connection refused"), strings.Contains(text, "no such host"):
		return "nothing answers there: start the server, or correct the address"
	case strings.Contains(text, "certificate"):
		return "name the authority that signed the server's certificate: --ca-file FILE, or ca_file in the configuration"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return "the server does not accept the key: give another one"
	case strings.Contains(text, "does not support tools"):
		return "nodwyn needs a model that can call tools: choose another"
	case status == http.StatusNotFound:
		return "the model's id or the address is not right"
	}
	return ""
}
