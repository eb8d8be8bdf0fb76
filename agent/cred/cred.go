// Package cred keeps the credentials that a person registers, each under its class: in the system's keychain, or, where none answers, in a file that only that person can read.
//
// Invariant: Value alone returns a value. No error, entry or list holds one, and the file holds one only when the keychain did not take it.
package cred

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/zalando/go-keyring"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// ErrNone says that no credential of the class is registered.
var ErrNone = errors.New("none is registered")

// The places that an Entry names.
const (
	InKeychain = "keychain"
	InFile     = "file"
)

// Config says where credentials are kept.
type Config struct {
	// File is the absolute path of the list of classes, which also holds the values that no keychain took. Its folder must be closed to others, and is made so when it is missing.
	File string
	// Service is the name that the values have in the keychain; empty is "nodwyn".
	Service string
	// Keychain is where values go first; the zero value is the system's.
	Keychain Keychain
}

// Entry tells of a credential without its value.
type Entry struct {
	Class string
	// ID is the place of the value, InKeychain or InFile.
	ID string
}

// Store is the credentials of one person. It is safe for concurrent use, and other processes may have the same file open.
type Store struct {
	list  list
	chain *chain
}

// Open returns the store of the configured file. What is wrong with the file or the keychain shows when they are used: Open touches neither.
func Open(cfg Config) *Store {
	if cfg.Service == "" {
		cfg.Service = "nodwyn"
	}
	if cfg.Keychain.Set == nil {
		cfg.Keychain = systemKeychain()
	}
	return &Store{list: list{file: guard.SecretFile(cfg.File)}, chain: newChain(cfg.Service, cfg.Keychain)}
}

// Close waits until the keychain is done with a call that was given up, for as long as ctx lasts: such a call cannot be taken back. The store is not used after it.
func (s *Store) Close(ctx context.Context) error {
	if err := s.chain.wait(ctx); err != nil {
		return fmt.Errorf("close credentials: the keychain is still busy: %w", err)
	}
	return nil
}

// Register keeps the value under the class, in the place of one that was there. The file takes what the keychain does not, and List tells which did.
func (s *Store) Register(ctx context.Context, class, value string) error {
	if err := s.register(ctx, class, value); err != nil {
		return fmt.Errorf("register credential %q: %w", class, err)
	}
	return nil
}

func (s *Store) register(ctx context.Context, class, value string) error {
	if err := checkClass(class); err != nil {
		return err
	}
	if err := checkValue(value); err != nil {
		return err
	}
	// A list that cannot be read will not be written either, and then the keychain would hold what nobody can find.
	all, err := s.list.read(ctx)
	if err != nil {
		return err
	}
	// Why the keychain did not take it is not said: its words may hold the value.
	taken := s.chain.set(ctx, class, value, all[class].Keychain) == nil
	if !taken && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	err = s.list.update(func(all map[string]kept) {
		if taken {
			all[class] = kept{Keychain: true}
			return
		}
		all[class] = kept{Keychain: all[class].Keychain, Value: value}
	})
	if err != nil && taken {
		return fmt.Errorf("the keychain has it, but the list of classes does not, so register it again: %w", err)
	}
	return err
}

// Value returns the value of the class, or ErrNone.
func (s *Store) Value(ctx context.Context, class string) (string, error) {
	value, err := s.value(ctx, class)
	if err != nil {
		return "", fmt.Errorf("read credential %q: %w", class, err)
	}
	return value, nil
}

func (s *Store) value(ctx context.Context, class string) (string, error) {
	k, err := s.find(ctx, class)
	if err != nil || k.Value != "" {
		return k.Value, err
	}
	value, err := s.chain.get(ctx, class)
	if errors.Is(err, keyring.ErrNotFound) {
		return "", fmt.Errorf("%w: the keychain has lost it, so register it again", ErrNone)
	}
	if err != nil && ctx.Err() == nil {
		err = fmt.Errorf("%w: unlock the keychain, or register the credential again", err)
	}
	return value, err
}

// List returns an entry for each credential, sorted by class. It asks no keychain, so nobody has to unlock one for it.
func (s *Store) List(ctx context.Context) ([]Entry, error) {
	all, err := s.list.read(ctx)
	if err != nil {
		return nil, fmt.Errorf("list credentials: %w", err)
	}
	var entries []Entry
	for _, class := range slices.Sorted(maps.Keys(all)) {
		e := Entry{Class: class, ID: InKeychain}
		if all[class].Value != "" {
			e.ID = InFile
		}
		entries = append(entries, e)
	}
	return entries, nil
}

// Remove forgets the credential of the class, or returns ErrNone. What a keychain that does not answer holds stays, and so does the entry: it is the only trace of it.
func (s *Store) Remove(ctx context.Context, class string) error {
	if err := s.remove(ctx, class); err != nil {
		return fmt.Errorf("remove credential %q: %w", class, err)
	}
	return nil
}

func (s *Store) remove(ctx context.Context, class string) error {
	k, err := s.find(ctx, class)
	if err != nil {
		return err
	}
	if k.Keychain {
		err = s.chain.remove(ctx, class)
	}
	switch {
	case err == nil || errors.Is(err, keyring.ErrNotFound):
	case ctx.Err() != nil:
		return err
	default:
		return fmt.Errorf("%w: unlock the keychain and try again", err)
	}
	return s.list.update(func(all map[string]kept) { delete(all, class) })
}

func (s *Store) find(ctx context.Context, class string) (kept, error) {
	if err := checkClass(class); err != nil {
		return kept{}, err
	}
	all, err := s.list.read(ctx)
	if err != nil {
		return kept{}, err
	}
	k, ok := all[class]
	if !ok {
		return kept{}, ErrNone
	}
	return k, nil
}
