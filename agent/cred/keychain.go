package cred

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/zalando/go-keyring"
)

const (
	// patience is how long a call may take: a keychain may first show the person a question for its password.
	patience = 30 * time.Second
	// maxChained is the largest value that a keychain is offered. Windows takes 2560 bytes, macOS some more, and what is too long for it leaves a process behind there.
	maxChained = 2 << 10
)

var (
	errNoAnswer = errors.New("the keychain does not answer")
	errNotKept  = errors.New("the keychain did not keep the value")
	errTooLong  = errors.New("the value is too long for a keychain")
)

// Keychain is what a keychain can do with the value of a class. Get and Delete return keyring.ErrNotFound where there is none. Any of them may block for long.
type Keychain struct {
	Set    func(service, class, value string) error
	Get    func(service, class string) (string, error)
	Delete func(service, class string) error
}

// systemKeychain is the keychain of the person's desktop, if there is one.
func systemKeychain() Keychain {
	return Keychain{
		Set: func(service, class, value string) error {
			if err := reachable(); err != nil {
				return err
			}
			return keyring.Set(service, class, value)
		},
		Get: func(service, class string) (string, error) {
			if err := reachable(); err != nil {
				return "", err
			}
			return keyring.Get(service, class)
		},
		Delete: func(service, class string) error {
			if err := reachable(); err != nil {
				return err
			}
			return keyring.Delete(service, class)
		},
	}
}

// chain bounds calls to a keychain, which nothing can cancel. They come one after the other. One that is given up runs on, and while it does all others fail at once.
type chain struct {
	service  string
	keychain Keychain
	busy     chan struct{} // holds a token while a call runs
	lost     atomic.Int32  // above 0 while a call runs that was given up
}

func newChain(service string, k Keychain) *chain {
	return &chain{service: service, keychain: k, busy: make(chan struct{}, 1)}
}

// set takes a value and proves that it is there: a person who dismisses the keychain's question makes it lose the value without an error. A class that is listed already has a value there, which an unlisted one must not leave behind.
func (c *chain) set(ctx context.Context, class, value string, listed bool) error {
	if len(value) > maxChained {
		return errTooLong
	}
	undo := func() {
		if !listed {
			_ = c.keychain.Delete(c.service, class)
		}
	}
	return c.call(ctx, undo, func() error {
		if err := c.keychain.Set(c.service, class, value); err != nil {
			return err
		}
		got, err := c.keychain.Get(c.service, class)
		if err == nil && got != value {
			err = errNotKept
		}
		if err != nil {
			undo()
		}
		return err
	})
}

func (c *chain) get(ctx context.Context, class string) (string, error) {
	found := make(chan string, 1) // a variable would still be written by a call that was given up
	err := c.call(ctx, nothing, func() error {
		value, err := c.keychain.Get(c.service, class)
		found <- value
		return err
	})
	if err != nil {
		return "", err
	}
	return <-found, nil
}

func (c *chain) remove(ctx context.Context, class string) error {
	return c.call(ctx, nothing, func() error { return c.keychain.Delete(c.service, class) })
}

func nothing() {}

// call runs f until it ends, ctx ends or patience does. When f succeeds after it was given up, late undoes what it did, for the caller has acted as if it had not.
func (c *chain) call(ctx context.Context, late func(), f func() error) error {
	if c.lost.Load() > 0 {
		return errNoAnswer
	}
	ctx, cancel := context.WithTimeoutCause(ctx, patience, errNoAnswer)
	defer cancel()
	select {
	case c.busy <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	// Without a buffer the two sides agree on whether the result was still taken.
	done := make(chan error)
	go func() { // wait waits for it
		defer func() { <-c.busy }()
		err := calm(f)
		select {
		case done <- err:
		case <-ctx.Done():
			if err == nil {
				late()
			}
			c.lost.Add(-1)
		}
	}()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		c.lost.Add(1)
		return context.Cause(ctx)
	}
}

// calm turns a panic of f into an error: the keychain's library relies on the form of another process's messages. What the panic says is not passed on, for it may hold a value.
func calm(f func() error) (err error) {
	defer func() {
		if recover() != nil {
			err = errNoAnswer
		}
	}()
	return f()
}

// wait returns when no call runs any more, or when ctx ends.
func (c *chain) wait(ctx context.Context) error {
	select {
	case c.busy <- struct{}{}:
		<-c.busy
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
