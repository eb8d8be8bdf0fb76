// Package openai speaks the Chat Completions API of OpenAI and of the many servers that offer the same.
//
// Invariant: Encode is pure, and its output never changes for the version in Wire. A reply counts as complete only with a finish reason and the [DONE] mark behind it; a server that closes earlier has broken off. Keys are added by the client's transport and never pass through here.
package openai

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// Wire is the request format and its version.
const Wire = "openai-chat/1"

// maxErrorBody bounds how much of a failed answer is read for its words.
const maxErrorBody = 64 << 10

// Config says how a server is reached.
type Config struct {
	// URL is the API's base, which usually ends in /v1.
	URL string
	// Header is added to each request.
	Header map[string]string
	// Client sends the requests. Its transport is the guard's, and adds the key; its redirect policy is not used.
	Client *http.Client
	// Timeout bounds one attempt, from sending to the complete reply; 0 sets no bound.
	Timeout time.Duration
}

// Provider is a server that speaks the Chat Completions API. It is safe for concurrent use.
type Provider struct {
	endpoint string
	host     string
	header   map[string]string
	client   *http.Client
	timeout  time.Duration
}

var _ provider.Provider = (*Provider)(nil)

// New returns the provider for a server. It does no I/O. A redirect is never followed: the transport would give the key to whoever it leads to.
func New(cfg Config) (*Provider, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read server url: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("read server url %q: it must begin with http:// or https:// and name a host", u.Redacted())
	}
	if cfg.Client == nil {
		return nil, fmt.Errorf("reach server %q: no HTTP client was given", u.Redacted())
	}
	client := *cfg.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Provider{
		endpoint: u.JoinPath("chat/completions").String(), host: hostPort(u),
		header: cfg.Header, client: &client, timeout: cfg.Timeout,
	}, nil
}

func hostPort(u *url.URL) string {
	if u.Port() != "" {
		return u.Host
	}
	if u.Scheme == "http" {
		return u.Host + ":80"
	}
	return u.Host + ":443"
}

// Wire implements provider.Provider.
func (p *Provider) Wire() string { return Wire }

// Host implements provider.Provider.
func (p *Provider) Host() string { return p.host }

// Encode implements provider.Provider.
func (p *Provider) Encode(r provider.Request) ([]byte, error) { return Encode(r) }

// Stream implements provider.Provider.
func (p *Provider) Stream(ctx context.Context, body []byte) iter.Seq2[provider.Chunk, error] {
	return provider.Retry(ctx, func(ctx context.Context) iter.Seq2[provider.Chunk, error] {
		return func(yield func(provider.Chunk, error) bool) {
			if err := p.attempt(ctx, body, yield); err != nil && !errors.Is(err, errStopped) {
				yield(provider.Chunk{}, err)
			}
		}
	})
}

// errStopped says that the consumer of a stream has had enough, which is nobody's error.
var errStopped = errors.New("stopped")

// errTimeout is the cause of a context whose attempt took too long.
var errTimeout = errors.New("attempt timed out")

// attempt sends the body once and passes the reply on.
func (p *Provider) attempt(ctx context.Context, body []byte, yield func(provider.Chunk, error) bool) error {
	ctx, cancel := p.bound(ctx)
	defer cancel()
	start := time.Now()
	resp, err := p.send(ctx, body)
	if err != nil {
		return p.explain(ctx, provider.SendError(err))
	}
	defer resp.Body.Close()
	if err := refused(resp); err != nil {
		return p.explain(ctx, err)
	}
	d := decoder{start: start, yield: yield}
	return p.explain(ctx, d.run(resp.Body))
}

func (p *Provider) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if p.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, p.timeout, errTimeout)
}

func (p *Provider) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	for name, value := range p.header {
		req.Header.Set(name, value)
	}
	return p.client.Do(req)
}

// explain puts the reason of a cancellation in the place of the error that it caused.
func (p *Provider) explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errStopped) || ctx.Err() == nil {
		return err
	}
	cause := context.Cause(ctx)
	if !errors.Is(cause, errTimeout) {
		return cause
	}
	// Not retried: a person has waited for all of the timeout already.
	return &provider.Error{Code: "timeout", Message: fmt.Sprintf("no complete reply from %s within %s; raise the server's timeout or ask for less", p.host, p.timeout)}
}

// refused returns the error of an answer that is no stream.
func refused(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && kind != "application/json" {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && len(body) == 0 && resp.StatusCode == http.StatusOK {
		return provider.Broken(err.Error())
	}
	f := failure(body)
	if resp.StatusCode != http.StatusOK {
		return provider.HTTPError(resp.StatusCode, resp.Header, f.code, f.message)
	}
	if f.found {
		return provider.StreamError(f.code, f.message)
	}
	return &provider.Error{Status: resp.StatusCode, Code: "no_stream", Message: "the server answered without a stream: " + strings.TrimSpace(f.message)}
}
