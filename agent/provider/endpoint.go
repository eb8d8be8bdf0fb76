package provider

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
	"path"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// maxErrorBody bounds how much of a failed answer is read for its words.
const maxErrorBody = 64 << 10

// eventStream is the media type of a stream of server events.
const eventStream = "text/event-stream"

// Config says how a server is reached.
type Config struct {
	// URL is where the API lives; each wire says how much of the address belongs to it.
	URL string
	// Header is added to each request.
	Header map[string]string
	// Client sends the requests. Its transport is the guard's, and adds the key; its redirect policy is not used.
	Client *http.Client
	// Timeout bounds one attempt, from sending to the complete reply; 0 sets no bound.
	Timeout time.Duration
}

// Emit passes a chunk of an attempt on; an empty one is dropped. Its error ends the attempt and goes back as it is.
type Emit func(Chunk) error

// Route is what a wire knows of its requests beside their bytes.
type Route struct {
	// Path stands behind the server's URL.
	Path string
	// Surplus are last elements of a URL that belong to another API of the same server, or to Path.
	Surplus []string
	// Accept is the media type of the stream; empty is an event stream.
	Accept string
	// Header is sent unless the configuration says otherwise.
	Header map[string]string
	// Decode reads an answer to its mark. It returns nil only behind a chunk with a stop.
	Decode func(io.Reader, Emit) error
	// Advise adds to a server's words what to do about them; nil adds nothing.
	Advise func(*Error)
}

// Endpoint is where the requests of one wire go on one server. It is safe for concurrent use.
type Endpoint struct {
	url     string
	host    string
	route   Route
	header  map[string]string
	client  *http.Client
	timeout time.Duration
}

// NewEndpoint returns the endpoint of a server. It does no I/O. A redirect is never followed: the transport would give the key to whoever it leads to.
func NewEndpoint(cfg Config, route Route) (*Endpoint, error) {
	u, err := url.Parse(cfg.URL)
	if err != nil {
		return nil, fmt.Errorf("read server url: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return nil, fmt.Errorf("read server url %q: it must begin with http:// or https:// and name a host", u.Redacted())
	}
	if last := path.Base(u.Path); slices.Contains(route.Surplus, last) {
		return nil, fmt.Errorf("read server url %q: this API lives at /%s below it; leave out the /%s at its end", u.Redacted(), route.Path, last)
	}
	if cfg.Client == nil {
		return nil, fmt.Errorf("reach server %q: no HTTP client was given", u.Redacted())
	}
	client := *cfg.Client
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	if route.Accept == "" {
		route.Accept = eventStream
	}
	return &Endpoint{
		url: u.JoinPath(route.Path).String(), host: hostPort(u), route: route,
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

// Host is the host and port that requests go to, as Provider says it.
func (e *Endpoint) Host() string { return e.host }

// Stream sends a body and returns the reply as it arrives, as Provider says it.
func (e *Endpoint) Stream(ctx context.Context, body []byte) iter.Seq2[Chunk, error] {
	return Retry(ctx, func(ctx context.Context) iter.Seq2[Chunk, error] {
		return func(yield func(Chunk, error) bool) {
			if err := e.attempt(ctx, body, yield); err != nil && !errors.Is(err, errStopped) {
				yield(Chunk{}, err)
			}
		}
	})
}

// errStopped says that the consumer of a stream has had enough, which is nobody's error.
var errStopped = errors.New("stopped")

// errTimeout is the cause of a context whose attempt took too long.
var errTimeout = errors.New("attempt timed out")

// attempt sends the body once and passes the reply on.
func (e *Endpoint) attempt(ctx context.Context, body []byte, yield func(Chunk, error) bool) error {
	ctx, cancel := e.bound(ctx)
	defer cancel()
	emit := emitter(yield)
	resp, err := e.send(ctx, body)
	if err != nil {
		return e.explain(ctx, SendError(err))
	}
	defer resp.Body.Close()
	if err := e.refused(resp); err != nil {
		return e.explain(ctx, err)
	}
	return e.explain(ctx, e.route.Decode(resp.Body, emit))
}

// emitter times the attempt from now on, so that no wire needs a clock: the time stands before the stop.
func emitter(yield func(Chunk, error) bool) Emit {
	start := time.Now()
	return func(c Chunk) error {
		if c == (Chunk{}) {
			return nil
		}
		if c.Stop != "" && !yield(Chunk{Usage: &event.Usage{WallMS: time.Since(start).Milliseconds()}}, nil) {
			return errStopped
		}
		if !yield(c, nil) {
			return errStopped
		}
		return nil
	}
}

func (e *Endpoint) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	if e.timeout <= 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, e.timeout, errTimeout)
}

func (e *Endpoint) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", e.route.Accept)
	for _, header := range []map[string]string{e.route.Header, e.header} {
		for name, value := range header {
			req.Header.Set(name, value)
		}
	}
	return e.client.Do(req)
}

// explain puts the reason of a cancellation in the place of the error that it caused, and advice behind a server's words.
func (e *Endpoint) explain(ctx context.Context, err error) error {
	if err == nil || errors.Is(err, errStopped) {
		return err
	}
	if ctx.Err() == nil {
		if said, ok := errors.AsType[*Error](err); ok && e.route.Advise != nil {
			e.route.Advise(said)
		}
		return err
	}
	cause := context.Cause(ctx)
	if !errors.Is(cause, errTimeout) {
		return cause
	}
	// Not retried: a person has waited for all of the timeout already.
	return &Error{Code: "timeout", Message: fmt.Sprintf("no complete reply from %s within %s; raise the server's timeout or ask for less", e.host, e.timeout)}
}

// refused returns the error of an answer that is no stream. Events never call themselves JSON; a stream of JSON lines may.
func (e *Endpoint) refused(resp *http.Response) error {
	kind, _, _ := mime.ParseMediaType(resp.Header.Get("Content-Type"))
	if resp.StatusCode == http.StatusOK && (kind != "application/json" || e.route.Accept != eventStream) {
		return nil
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if err != nil && len(body) == 0 && resp.StatusCode == http.StatusOK {
		return Broken(err.Error())
	}
	f := ReadFailure(body)
	if resp.StatusCode != http.StatusOK {
		return HTTPError(resp.StatusCode, resp.Header, f.Code, f.Message)
	}
	if f.Found {
		return StreamError(f.Code, f.Message)
	}
	return &Error{Status: resp.StatusCode, Code: "no_stream", Message: "the server answered without a stream: " + strings.TrimSpace(f.Message)}
}
