package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// maxListing bounds what is read of a server's answer.
const maxListing = 8 << 20

// listing is what the servers of all wires answer: Ollama under models, the others under data.
type listing struct {
	Models []listed `json:"models"`
	Data   []listed `json:"data"`
}

// listed is one model. Ollama calls its id the name.
type listed struct {
	Name string `json:"name"`
	ID   string `json:"id"`
}

// list asks the server for the ids of its models. Vendors put their newest first; the many servers that speak OpenAI's format have no order, so those are sorted.
func (s server) list(ctx context.Context, t http.RoundTripper) ([]string, error) {
	raw, err := s.fetch(ctx, t, http.MethodGet, s.wire.models, nil)
	if err != nil {
		return nil, err
	}
	var l listing
	if err := provider.Decode(raw, &l); err != nil {
		return nil, fmt.Errorf("read the list of models: %w", err)
	}
	var ids []string
	for _, m := range slices.Concat(l.Models, l.Data) {
		if id := or(m.ID, m.Name); id != "" {
			ids = append(ids, id)
		}
	}
	if s.api == apiOpenAI {
		slices.Sort(ids)
	}
	return ids, nil
}

// ability is what Ollama tells of one model.
type ability struct {
	// tools is false when the model is known to be unable to call tools.
	tools bool
	// context is the longest context in tokens; 0 is unknown.
	context int
}

// ability asks an Ollama about a model.
func (s server) ability(ctx context.Context, t http.RoundTripper, model string) (ability, error) {
	body, err := json.Marshal(map[string]string{"model": model})
	if err != nil {
		return ability{}, fmt.Errorf("ask about model %q: %w", model, err)
	}
	raw, err := s.fetch(ctx, t, http.MethodPost, "api/show", body)
	if err != nil {
		return ability{}, err
	}
	var said struct {
		Capabilities []string                  `json:"capabilities"`
		Facts        map[string]jsontext.Value `json:"model_info"`
	}
	if err := provider.Decode(raw, &said); err != nil {
		return ability{}, fmt.Errorf("read what the server tells of model %q: %w", model, err)
	}
	a := ability{tools: len(said.Capabilities) == 0 || slices.Contains(said.Capabilities, "tools")}
	for name, value := range said.Facts {
		// The name begins with that of the model's architecture.
		if strings.HasSuffix(name, ".context_length") {
			_ = json.Unmarshal(value, &a.context) // a text in its place tells nothing
		}
	}
	return a, nil
}

// fetch sends one request beside the wire's own, with the server's key, and returns the answer or the server's words about why there is none.
func (s server) fetch(ctx context.Context, t http.RoundTripper, method, path string, body []byte) ([]byte, error) {
	if s.base != nil {
		t = s.base
	}
	req, err := s.request(ctx, method, path, body)
	if err != nil {
		return nil, err
	}
	client := &http.Client{Transport: s.keyed(t), CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return nil, provider.SendError(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(resp.Body, maxListing))
	if err != nil {
		return nil, provider.SendError(err)
	}
	if resp.StatusCode != http.StatusOK {
		f := provider.ReadFailure(raw)
		return nil, provider.HTTPError(resp.StatusCode, resp.Header, f.Code, f.Message)
	}
	return raw, nil
}

func (s server) request(ctx context.Context, method, path string, body []byte) (*http.Request, error) {
	u, err := url.Parse(s.section.URL)
	if err != nil {
		return nil, err
	}
	path, query, _ := strings.Cut(path, "?")
	u = u.JoinPath(path)
	u.RawQuery = query
	req, err := http.NewRequestWithContext(ctx, method, u.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if s.api == apiAnthropic {
		req.Header.Set("Anthropic-Version", "2023-06-01")
	}
	if len(body) > 0 {
		req.Header.Set("Content-Type", "application/json")
	}
	for name, value := range s.section.Headers {
		req.Header.Set(name, value)
	}
	return req, nil
}
