// Package anthropic speaks the Messages API of Anthropic and of the servers that offer the same.
//
// Invariant: Encode is pure, and its output never changes for the version in Wire. A reply counts as complete only with its message_stop. The key is added by the client's transport and never passes through here. What the model thought goes back as it came, signature included, or not at all.
package anthropic

import (
	"fmt"
	"io"
	"strings"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// Wire is the request format and its version.
const Wire = "anthropic-messages/1"

// apiVersion is the version of the API that this wire was written for. A configured header replaces it.
const apiVersion = "2023-06-01"

// Config says how a server is reached. Its URL is the host's root, without the /v1.
type Config = provider.Config

// Provider is a server that speaks the Messages API. It is safe for concurrent use.
type Provider struct{ *provider.Endpoint }

var _ provider.Provider = (*Provider)(nil)

// New returns the provider for a server. It does no I/O.
func New(cfg Config) (*Provider, error) {
	e, err := provider.NewEndpoint(cfg, provider.Route{
		Path: "v1/messages", Surplus: []string{"v1", "messages"},
		Header: map[string]string{"Anthropic-Version": apiVersion},
		Decode: decode, Advise: advise,
	})
	if err != nil {
		return nil, err
	}
	return &Provider{e}, nil
}

// Wire implements provider.Provider.
func (p *Provider) Wire() string { return Wire }

// Encode implements provider.Provider.
func (p *Provider) Encode(r provider.Request) ([]byte, error) { return Encode(r) }

// decode reads one answer.
func decode(r io.Reader, emit provider.Emit) error {
	d := decoder{emit: emit, open: make(map[int]*blockState), seen: make(map[int]bool)}
	return d.run(r)
}

// advise says which setting a refused request wants changed. The body is on record before it is sent, so it is not changed here in silence.
func advise(e *provider.Error) {
	if _, tail, found := strings.Cut(e.Message, "max_tokens: "); found {
		var asked, most int
		if n, _ := fmt.Sscanf(tail, "%d > %d", &asked, &most); n == 2 {
			e.Message += fmt.Sprintf("; set max_output = %d for this model", most)
		}
	}
	if strings.Contains(e.Message, "thinking.type.enabled") {
		e.Message += `; set effort = "adaptive" for this model, or one of its levels such as "adaptive-high"`
	}
}
