package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// terminal asks on the terminal, after what a --yes policy answers by itself.
type terminal struct {
	yes    string
	screen *display
	// lines are what is typed; nil when there is no terminal to ask on.
	lines <-chan string
	// tree is where the session works; folders are shown from there.
	tree string
	// told waits until all that led to a prompt was printed; nil waits for nothing.
	told func(ctx context.Context, prompt string)

	mu   sync.Mutex // keeps two prompts from mixing on the screen, and guards over
	over bool       // the input has ended
}

// newTerminal returns who answers the prompts of a command.
func newTerminal(c *console, sc *display, yes string) *terminal {
	t := &terminal{yes: yes, screen: sc}
	if isTerminal(c.in) {
		t.lines = readLines(c.in)
	}
	return t
}

// readLines hands over what is typed. The goroutine lives as long as the process: a read of a terminal cannot be taken back.
func readLines(r io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(r); s.Scan(); {
			lines <- s.Text()
		}
	}()
	return lines
}

// Ask answers by policy or lets the person choose.
func (t *terminal) Ask(ctx context.Context, p guard.Prompt) (guard.Answer, error) {
	if t.covers(p) {
		return guard.Answer{Option: guard.AllowOnce, Actor: "--yes " + t.yes}, nil
	}
	if t.lines == nil {
		return guard.Answer{}, guard.ErrNobody
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.over {
		return guard.Answer{}, guard.ErrNobody
	}
	if t.told != nil {
		t.told(ctx, p.ID)
	}
	q := newQuery(p, t.tree)
	t.screen.apart(q.text(t.screen.style))
	return t.answer(ctx, q)
}

// covers reports whether --yes speaks for the person. A question is never answered for them.
func (t *terminal) covers(p guard.Prompt) bool {
	if p.Type != guard.TypePermission {
		return false
	}
	switch t.yes {
	case "all":
		return true
	case "edits":
		return p.Op == "read" || p.Op == "write"
	case "reads":
		return p.Op == "read"
	}
	return false
}

// answer reads lines until one of them is an answer.
func (t *terminal) answer(ctx context.Context, q query) (guard.Answer, error) {
	for {
		t.screen.say("%s", t.screen.style.bold(q.line()))
		line, err := t.line(ctx)
		if err != nil {
			return guard.Answer{}, err
		}
		if a, ok := q.read(line); ok {
			a.Actor = person()
			return a, nil
		}
		t.screen.say("%s\n", q.complaint(line))
	}
}

func (t *terminal) line(ctx context.Context) (string, error) {
	select {
	case line, ok := <-t.lines:
		if !ok {
			t.over = true
			t.screen.say("\nThe input has ended, so there is nobody to ask: this counts as denied, and whatever would be asked after it.\n")
			return "", guard.ErrNobody
		}
		return strings.TrimSpace(line), nil
	case <-ctx.Done():
		t.screen.say("\n")
		return "", fmt.Errorf("ask on the terminal: %w", context.Cause(ctx))
	}
}
