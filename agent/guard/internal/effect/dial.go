package effect

import (
	"net"
	"net/http"
	"time"
)

// NewTransport returns the transport for requests of our own. It has no limit on waiting for an answer, since a model may think for long: the request's context bounds that.
func NewTransport() *http.Transport {
	d := &net.Dialer{Timeout: 30 * time.Second, KeepAlive: 15 * time.Second}
	return &http.Transport{
		DialContext:         d.DialContext,
		ForceAttemptHTTP2:   true,
		TLSHandshakeTimeout: 10 * time.Second,
		IdleConnTimeout:     90 * time.Second,
		MaxIdleConns:        16,
	}
}
