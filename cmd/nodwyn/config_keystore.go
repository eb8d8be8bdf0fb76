package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// keySource finds a server's key for one request; nil stands for a server that wants none.
type keySource func(context.Context) (string, error)

// vault hands out keys. The redactor knows each of them before anybody else does.
type vault struct {
	store    *cred.Store
	redactor *redact.Redactor
}

// variable returns the key that a variable holds.
func (v vault) variable(name string) (string, error) {
	key := os.Getenv(name)
	if key == "" {
		return "", fmt.Errorf("it names the variable %s, which is not set", name)
	}
	if err := v.redactor.Register("key", name, key); err != nil {
		return "", fmt.Errorf("the key in %s: %w", name, err)
	}
	return key, nil
}

// stored returns the key that was registered under a class. It is looked up each time, so that a new one counts from the next request on.
func (v vault) stored(ctx context.Context, class string) (string, error) {
	key, err := v.store.Value(ctx, class)
	if errors.Is(err, agent.ErrNoCredential) {
		return "", fmt.Errorf("%w: run `nodwyn cred register %s`, or register it in the editor", err, class)
	}
	if err != nil {
		return "", err
	}
	if err := v.redactor.Register("credential", class, key); err != nil {
		return "", fmt.Errorf("keep credential %q out of the log: %w", class, err)
	}
	return key, nil
}

// hide makes every stored value secret that can be read at once. What a keychain holds becomes so when it is used: it may want to be unlocked first.
func (v vault) hide(ctx context.Context) error {
	entries, err := v.store.List(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if e.ID == cred.InFile {
			_, err := v.stored(ctx, e.Class)
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// keyed puts the key into each request on its way out.
type keyed struct {
	base           http.RoundTripper
	header, prefix string
	key            keySource
}

// RoundTrip sends a copy of the request with the key.
func (k keyed) RoundTrip(req *http.Request) (*http.Response, error) {
	key, err := k.key(req.Context())
	if err != nil {
		if req.Body != nil {
			_ = req.Body.Close()
		}
		return nil, err
	}
	req = req.Clone(req.Context())
	req.Header.Set(k.header, k.prefix+key)
	return k.base.RoundTrip(req)
}
