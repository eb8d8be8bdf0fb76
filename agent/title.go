package agent

import (
	"context"
	_ "embed" // for the text of the request
	"errors"
	"fmt"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

//go:embed prompts/title.md
var titleText string

// titlePatience is longer than anybody would wait, since nobody does: a server of the person's own may have to load the model first.
const titlePatience = time.Minute

// nameLocked has the session named after its first turn that came to its end, beside whatever comes next. It is called on the goroutine of that turn, so the session still waits for it and no other guard takes the place of this one.
func (s *Session) nameLocked(t *Turn) {
	if s.named || s.closing || !s.hasSide() || t.err != nil || t.result.Outcome != "completed" || s.state.Titled {
		return
	}
	s.named = true
	ctx, cancel := context.WithCancelCause(context.Background())
	s.naming = cancel
	g, ask := s.guard, s.state.Ask(t.n)
	s.turns.Go(func() {
		defer cancel(nil)
		err := t.guarded(func() error { return s.name(ctx, g, ask, t.text) })
		if err != nil && ctx.Err() == nil {
			s.sideFailed("no title was proposed", err)
		}
	})
}

// name asks for a title. A person's own, given meanwhile, stays.
func (s *Session) name(ctx context.Context, g *guard.Guard, ask, answer string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, titlePatience, fmt.Errorf("%w within %s", errSilent, titlePatience))
	defer cancel()
	text := "The request:\n\n" + head(ask) + "\n\nThe answer:\n\n" + head(answer)
	reply, err := s.askAside(ctx, g, question{"title", titleText, text})
	if err != nil {
		return err
	}
	title := cleanTitle(reply)
	if title == "" {
		return errors.New("the reply holds no title")
	}
	if st := s.State(); st.Named {
		return nil
	}
	return s.SetTitle(event.ModelActor, title)
}
