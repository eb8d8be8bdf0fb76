package main

import (
	"context"
	"errors"
	"flag"
	"fmt"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func viewSession(ctx context.Context, c *console, args []string) error {
	words, err := parse(c, flag.NewFlagSet("view", flag.ContinueOnError), args, 1, 1)
	if err != nil {
		return err
	}
	a, id, err := readSession(ctx, c, words[0])
	if err != nil {
		return err
	}
	var s standing
	if err := a.Fold(id, s.Apply); err != nil {
		return err
	}
	v, err := a.View(id)
	if err != nil {
		return err
	}
	state := s.words()
	if v.Status != "closed" {
		state = v.Status
	}
	_, err = fmt.Fprintf(c.out, "session %s: %s\n\n%s", id, state, view.Render(v.Cards))
	return err
}

// readSession opens the logs and finds a session in them.
func readSession(ctx context.Context, c *console, word string) (*agent.Agent, string, error) {
	a, err := reader(c)
	if err != nil {
		return nil, "", err
	}
	id, err := whichSession(ctx, a, word)
	return a, id, err
}

func verifyLogs(ctx context.Context, c *console, args []string) error {
	words, err := parse(c, flag.NewFlagSet("verify", flag.ContinueOnError), args, 0, -1)
	if err != nil {
		return err
	}
	a, err := reader(c)
	if err != nil {
		return err
	}
	if len(words) > 0 {
		return verifyEach(ctx, c, a, words)
	}
	list, _, err := a.List(ctx, agent.ListSpec{Limit: everything})
	if err != nil {
		return err
	}
	if len(list) == 0 {
		_, err := fmt.Fprintf(c.out, "no session logs in %s\n", a.SessionsDir())
		return err
	}
	for _, s := range list {
		words = append(words, s.Session)
	}
	return verifyEach(ctx, c, a, words)
}

// verifyEach goes on after a damaged log, so that one run names them all.
func verifyEach(ctx context.Context, c *console, a *agent.Agent, words []string) error {
	unknown, damaged := 0, 0
	for _, word := range words {
		id, err := whichSession(ctx, a, word)
		n := 0
		if err == nil {
			n, err = a.Verify(id)
		}
		switch {
		case err == nil:
			if _, err := fmt.Fprintf(c.out, "%s: %s, intact\n", id, count(n, "event")); err != nil {
				return err
			}
			continue
		case errors.Is(err, agent.ErrUnknownSession), errors.As(err, new(misuse)):
			unknown++
		default:
			damaged++
		}
		fmt.Fprintf(c.err, "%v\n", err)
	}
	switch {
	case damaged > 0:
		return fmt.Errorf("%d of %s cannot be read", damaged, count(len(words), "log"))
	case unknown > 0:
		return ended{exitMisuse}
	}
	return nil
}
