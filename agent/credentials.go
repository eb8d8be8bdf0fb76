package agent

import (
	"context"
	"errors"

	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// RegisterCredential stores a secret. The redactor knows it before anything else does, and every open session has it on record that it is there, never what it is.
func (a *Agent) RegisterCredential(ctx context.Context, class, value, actor string) error {
	if a.cfg.Credentials == nil {
		return errNoStore
	}
	if err := a.cfg.Redactor.Register("credential", class, value); err != nil {
		return &InvalidError{Field: "value", Reason: err.Error()}
	}
	if err := a.cfg.Credentials.Register(ctx, class, value); err != nil {
		return err
	}
	list, err := a.cfg.Credentials.List(ctx)
	if err != nil {
		return err
	}
	for _, c := range list {
		if c.Class == class {
			return a.recordEverywhere(event.CredRegister{Class: class, ID: c.ID, Actor: actor})
		}
	}
	return nil
}

// RemoveCredential takes a secret away.
func (a *Agent) RemoveCredential(ctx context.Context, class, actor string) error {
	if a.cfg.Credentials == nil {
		return errNoStore
	}
	if err := a.cfg.Credentials.Remove(ctx, class); err != nil {
		return err
	}
	return a.recordEverywhere(event.CredRegister{Class: class, ID: "removed", Actor: actor})
}

// Credentials lists what is stored, without the values.
func (a *Agent) Credentials(ctx context.Context) ([]cred.Entry, error) {
	if a.cfg.Credentials == nil {
		return nil, nil
	}
	return a.cfg.Credentials.List(ctx)
}

var errNoStore = errors.New("this process keeps no credentials")

// recordEverywhere tells every open session.
func (a *Agent) recordEverywhere(p event.Payload) error {
	a.mu.Lock()
	var open []*Session
	for _, s := range a.sessions {
		open = append(open, s)
	}
	a.mu.Unlock()
	var errs []error
	for _, s := range open {
		errs = append(errs, s.record(p))
	}
	return errors.Join(errs...)
}
