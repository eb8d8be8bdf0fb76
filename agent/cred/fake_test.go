package cred_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/zalando/go-keyring"

	"github.com/nodwyn/nodwyn/agent/cred"
)

var errLocked = errors.New("locked")

// fake is a keychain in memory. What is set is not changed while a call runs.
type fake struct {
	mu     sync.Mutex
	values map[string]string
	err    error         // what each call returns
	drops  bool          // Set only seems to work
	panics bool          // Set meets a message that it does not understand
	gate   chan struct{} // what each call waits for
}

func (f *fake) keychain() cred.Keychain {
	return cred.Keychain{Set: f.set, Get: f.get, Delete: f.delete}
}

func (f *fake) enter() error {
	if f.gate != nil {
		<-f.gate
	}
	return f.err
}

func (f *fake) set(service, class, value string) error {
	if f.panics {
		panic(value)
	}
	if err := f.enter(); err != nil {
		return fmt.Errorf("set %s: %w", value, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.values == nil {
		f.values = make(map[string]string)
	}
	if !f.drops {
		f.values[service+"/"+class] = value
	}
	return nil
}

func (f *fake) get(service, class string) (string, error) {
	if err := f.enter(); err != nil {
		return "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	v, ok := f.values[service+"/"+class]
	if !ok {
		return "", keyring.ErrNotFound
	}
	return v, nil
}

func (f *fake) delete(service, class string) error {
	if err := f.enter(); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if _, ok := f.values[service+"/"+class]; !ok {
		return keyring.ErrNotFound
	}
	delete(f.values, service+"/"+class)
	return nil
}

func (f *fake) names() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.values))
}
