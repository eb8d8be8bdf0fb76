package guard

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net/http"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// NewTransport returns a transport that belongs to no session: for set-up and the doctor, and as the base of Transport for a server whose certificate a private authority signed. PEM holds the certificates of such authorities, which are trusted beside the system's; empty adds none.
func NewTransport(pem []byte) (*http.Transport, error) {
	t := effect.NewTransport()
	if len(pem) == 0 {
		return t, nil
	}
	roots, err := x509.SystemCertPool()
	if err != nil {
		// A system without authorities of its own is no reason to refuse the private one.
		roots = x509.NewCertPool()
	}
	if !roots.AppendCertsFromPEM(pem) {
		return nil, errors.New("it holds no certificate in PEM form")
	}
	t.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
	return t, nil
}
