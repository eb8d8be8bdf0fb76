package guard

import (
	"fmt"
	"net/http"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Transport returns a transport whose requests are on record before they go out. A nil base is the guard's own, which goes straight to the host.
func (g *Guard) Transport(purpose string, base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = g.transport
	}
	return &egress{guard: g, purpose: purpose, base: base}
}

// egress records what leaves.
type egress struct {
	guard   *Guard
	purpose string
	base    http.RoundTripper
}

// RoundTrip records the request's host and size and sends it. A request that cannot be recorded is not sent, and neither is one that does not say its size.
func (t *egress) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := t.check(req); err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	return t.base.RoundTrip(req)
}

func (t *egress) check(req *http.Request) error {
	if req.ContentLength < 0 || req.ContentLength == 0 && req.Body != nil && req.Body != http.NoBody {
		return fmt.Errorf("send %s request to %s: the body's size is unknown, so it cannot be recorded", t.purpose, req.URL.Host)
	}
	return t.guard.record(event.EgressCheck{
		Host: hostPort(req), Purpose: t.purpose, Bytes: req.ContentLength, Allowed: true, Reason: ruleConfigured,
	})
}

// hostPort is where the request goes, with the port that its scheme stands for.
func hostPort(req *http.Request) string {
	if req.URL.Port() != "" {
		return req.URL.Host
	}
	port := ":80"
	if req.URL.Scheme == "https" {
		port = ":443"
	}
	return req.URL.Host + port
}
