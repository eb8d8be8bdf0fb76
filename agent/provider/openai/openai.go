// Package openai speaks the Chat Completions API of OpenAI and of the many servers that offer the same.
//
// Invariant: Encode is pure, and its output never changes for the version in Wire. A reply counts as complete only with a finish reason and the [DONE] mark behind it; a server that closes earlier has broken off. Keys are added by the client's transport and never pass through here.
package openai

import (
	"io"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// Wire is the request format and its version.
const Wire = "openai-chat/1"

// Config says how a server is reached. Its URL is the API's base, which usually ends in /v1.
type Config = provider.Config

// Provider is a server that speaks the Chat Completions API. It is safe for concurrent use.
type Provider struct{ *provider.Endpoint }

var _ provider.Provider = (*Provider)(nil)

// New returns the provider for a server. It does no I/O.
func New(cfg Config) (*Provider, error) {
	e, err := provider.NewEndpoint(cfg, provider.Route{Path: "chat/completions", Decode: decode})
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
	d := decoder{emit: emit}
	return d.run(r)
}
