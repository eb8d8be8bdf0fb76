package cred_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nodwyn/nodwyn/agent/cred"
)

func TestKeychainThatDoesNotAnswerIsGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{gate: make(chan struct{})}
		s, _ := open(t, f)
		start := time.Now()
		register(t, s, "a", value("a"))
		check(t, time.Since(start), 30*time.Second)
		register(t, s, "b", value("b"))
		check(t, time.Since(start), 30*time.Second)
		checkList(t, s, cred.Entry{Class: "a", ID: cred.InFile}, cred.Entry{Class: "b", ID: cred.InFile})

		soon, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		err := s.Close(soon)
		checkError(t, err, "the keychain is still busy")
		check(t, errors.Is(err, context.DeadlineExceeded), true)

		close(f.gate)
		check(t, s.Close(t.Context()), nil)
		check(t, len(f.names()), 0)
		checkValue(t, s, "a", value("a"))
		register(t, s, "b", value("b"))
		checkList(t, s, cred.Entry{Class: "a", ID: cred.InFile}, cred.Entry{Class: "b", ID: cred.InKeychain})
	})
}

func TestCancelEndsTheWaitForTheKeychain(t *testing.T) {
	cause := errors.New("the person left")
	for _, tc := range []struct {
		name string
		do   func(context.Context, *cred.Store) error
		kept []string // in the keychain, afterwards
	}{
		{"register anew", func(ctx context.Context, s *cred.Store) error { return s.Register(ctx, "b", value("b")) }, []string{"nodwyn/a"}},
		{"register again", func(ctx context.Context, s *cred.Store) error { return s.Register(ctx, "a", value("b")) }, []string{"nodwyn/a"}},
		{"value", func(ctx context.Context, s *cred.Store) error { _, err := s.Value(ctx, "a"); return err }, []string{"nodwyn/a"}},
		{"remove", func(ctx context.Context, s *cred.Store) error { return s.Remove(ctx, "a") }, nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{}
				s, _ := open(t, f)
				register(t, s, "a", value("a"))
				f.gate = make(chan struct{})
				ctx, cancel := context.WithCancelCause(t.Context())
				time.AfterFunc(time.Second, func() { cancel(cause) })
				err := tc.do(ctx, s)
				checkError(t, err, "credential", cause.Error())
				check(t, errors.Is(err, cause), true)
				close(f.gate)
				check(t, s.Close(t.Context()), nil)
				check(t, f.names(), tc.kept)
				checkList(t, s, cred.Entry{Class: "a", ID: cred.InKeychain})
			})
		})
	}
}

func TestEndedContextTouchesNothing(t *testing.T) {
	f := &fake{}
	s, _ := open(t, f)
	register(t, s, "a", value("a"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, read := s.Value(ctx, "a")
	_, list := s.List(ctx)
	for _, err := range []error{read, list, s.Register(ctx, "b", value("b")), s.Remove(ctx, "a")} {
		check(t, errors.Is(err, context.Canceled), true)
	}
	check(t, f.names(), []string{"nodwyn/a"})
	checkList(t, s, cred.Entry{Class: "a", ID: cred.InKeychain})
}
