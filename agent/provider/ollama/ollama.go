// Package ollama speaks the native chat API of Ollama, which says what its OpenAI-compatible one leaves out: the size of the context, the times, and that a window does not fit.
//
// Invariant: Encode is pure, and its output never changes for the version in Wire. No request lets the server shorten the window in silence. A reply counts as complete only with its line that is done; a server that closes earlier has broken off.
package ollama

import (
	"io"
	"strings"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// Wire is the request format and its version.
const Wire = "ollama-chat/1"

// Config says how a server is reached. Its URL is the host's root, without the /api.
type Config = provider.Config

// Provider is a server that speaks Ollama's chat API. It is safe for concurrent use.
type Provider struct{ *provider.Endpoint }

var _ provider.Provider = (*Provider)(nil)

// New returns the provider for a server. It does no I/O.
func New(cfg Config) (*Provider, error) {
	e, err := provider.NewEndpoint(cfg, provider.Route{
		Path: "api/chat", Surplus: []string{"api", "chat", "v1"}, Accept: "application/x-ndjson",
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
	d := decoder{emit: emit}
	return d.run(r)
}

// advise says how to get a model that the server does not have.
func advise(e *provider.Error) {
	if e.Status == 404 && strings.HasPrefix(e.Message, "model ") {
		e.Message += "; `ollama list` shows what is there, `ollama pull` fetches more"
	}
}
