package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// careful shows a person what the log will hold: a prompt may carry a file's or the model's text, and an editor may keep what it shows.
type careful struct {
	asker    guard.Asker
	redactor *redact.Redactor
}

// Ask takes secrets out of the prompt. A choice that lost something is answered for the choice as it was.
func (c careful) Ask(ctx context.Context, p guard.Prompt) (guard.Answer, error) {
	choices := p.Choices
	for _, field := range []*string{&p.Action, &p.Path, &p.Diff, &p.Cwd, &p.Host, &p.Why, &p.Text} {
		*field = c.clean(*field)
	}
	p.Argv, p.Choices, p.Options = c.cleanAll(p.Argv), c.cleanAll(choices), slices.Clone(p.Options)
	for i, o := range p.Options {
		p.Options[i].Label, p.Options[i].Prefix = c.clean(o.Label), c.cleanAll(o.Prefix)
	}
	answer, err := c.asker.Ask(ctx, p)
	if errors.Is(err, ErrGone) {
		// The turn ends for that reason, which says more than a denial: waiting for it lets the call be taken up again.
		<-ctx.Done()
		return guard.Answer{}, context.Cause(ctx)
	}
	if i := slices.Index(p.Choices, answer.Text); i >= 0 {
		answer.Text = choices[i]
	}
	return answer, err
}

func (c careful) clean(s string) string {
	out, _ := c.redactor.String(s)
	return out
}

func (c careful) cleanAll(list []string) []string {
	out := slices.Clone(list)
	for i, s := range out {
		out[i] = c.clean(s)
	}
	return out
}
