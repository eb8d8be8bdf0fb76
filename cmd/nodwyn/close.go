package main

import (
	"context"
	"flag"
	"fmt"
	"io"

	"github.com/nodwyn/nodwyn/agent"
)

// closeSession ends a session on record. What would be lost by it is kept, unless the person says otherwise.
func closeSession(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("close", flag.ContinueOnError)
	discard := set.Bool("discard", false, "throw away what has not landed, with branch and worktree")
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	p, err := assemble()
	if err != nil {
		return err
	}
	defer p.close()
	p.config.Asker = nobody{}
	a := agent.New(p.config)
	id, err := whichSession(ctx, a, words[0])
	if err != nil {
		return err
	}
	st, err := a.State(id)
	if err != nil {
		return err
	}
	if w := st.Config.Worktree; st.Ended && (w == nil || st.WorktreeRemoved) {
		_, err := fmt.Fprintf(c.out, "session %s is closed already, and has no branch or worktree\n", id)
		return err
	}
	s, _, err := a.Resume(ctx, id, fromHere())
	if err != nil {
		return err
	}
	closed, err := s.Close(ctx, *discard)
	if err != nil {
		return err
	}
	return tellClosed(c.out, s, closed)
}

// tellClosed says what became of branch and worktree.
func tellClosed(out io.Writer, s *agent.Session, closed agent.Closed) error {
	text := "closed session " + s.ID()
	w := s.State().Config.Worktree
	switch {
	case closed.WorktreeRemoved:
		text += fmt.Sprintf("; branch %s and its worktree are removed", w.Branch)
	case len(closed.Unlanded) > 0:
		text += fmt.Sprintf("; branch %s keeps %s that did not land: `nodwyn land %s` brings it in, `nodwyn close --discard %s` throws it away",
			w.Branch, count(len(closed.Unlanded), "changed file"), short(s.ID()), short(s.ID()))
	case w != nil:
		text += fmt.Sprintf("; branch %s and its worktree stay", w.Branch)
	}
	_, err := fmt.Fprintln(out, text)
	return err
}
