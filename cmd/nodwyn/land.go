package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/worktree"
)

// nobody answers nothing: what would have to be asked is denied as unanswered.
type nobody struct{}

// Ask says that nobody can be asked.
func (nobody) Ask(context.Context, guard.Prompt) (guard.Answer, error) {
	return guard.Answer{}, guard.ErrNobody
}

func landSession(ctx context.Context, c *console, args []string) error {
	spec := agent.LandSpec{Actor: person()}
	set := flag.NewFlagSet("land", flag.ContinueOnError)
	set.StringVar(&spec.Strategy, "strategy", "squash", "`HOW`: squash makes one commit, merge one for each turn")
	set.StringVar(&spec.Into, "into", "", "land on `BRANCH`; by default the one the session started from")
	set.StringVar(&spec.Message, "message", "", "the commit's message, `TEXT`; by default made of what was asked")
	preview := set.Bool("preview", false, "show what would land, and do nothing")
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	a, id, err := readSession(ctx, c, words[0])
	if err != nil {
		return err
	}
	// What cannot land is refused before the session is touched.
	l, err := a.PreviewLanding(ctx, id, spec)
	if err != nil {
		return advise(err)
	}
	if *preview {
		return printLanding(c.out, "would land on "+l.Into, l)
	}
	return land(ctx, c, id, spec)
}

// land opens the session, lands its work and closes it again.
func land(ctx context.Context, c *console, id string, spec agent.LandSpec) error {
	p, err := assemble()
	if err != nil {
		return err
	}
	defer p.close()
	p.config.Asker = newTerminal(c, newDisplay(c), "") // the project's checks for a landing may need trust
	s, _, err := agent.New(p.config).Resume(ctx, id, commandLine())
	if err != nil {
		return err
	}
	l, err := s.Land(ctx, spec)
	closed, failed := s.Close(ctx, false)
	if err := errors.Join(advise(err), failed); err != nil {
		return err
	}
	head := fmt.Sprintf("landed %.10s on %s", l.Commit, l.Into)
	branch := s.State().Config.Worktree.Branch
	if closed.WorktreeRemoved {
		head += fmt.Sprintf("; branch %s and its worktree are removed", branch)
	} else {
		head += fmt.Sprintf("; branch %s stays, `nodwyn close --discard %s` removes it", branch, short(id))
	}
	return printLanding(c.out, head, l)
}

// advise names the flag that helps, which the packages below do not know.
func advise(err error) error {
	refused, ok := errors.AsType[*worktree.RefusedError](err)
	if ok && refused.Reason == worktree.NoTarget {
		return fmt.Errorf("%w: --into BRANCH", err)
	}
	if errors.Is(err, agent.ErrNoWorktree) {
		return fmt.Errorf("%w, so what it wrote is there already", err)
	}
	return err
}

func printLanding(out io.Writer, head string, l worktree.Landing) error {
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, f := range l.Files {
		fmt.Fprintf(&b, "  %s %s  +%d -%d\n", f.Status, f.Path, f.Insertions, f.Deletions)
	}
	b.WriteByte('\n')
	for line := range strings.Lines(strings.TrimRight(l.Message, "\n")) {
		b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}
