package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
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
	set.StringVar(&spec.Strategy, "strategy", "squash", "`HOW`: squash makes one commit, merge and rebase one for each turn, patch leaves uncommitted edits, branch makes one commit on a new branch and pushes it")
	set.StringVar(&spec.Into, "into", "", "land on `BRANCH`; by default the one the session started from")
	set.Func("only", "land only this file or folder, `PATH`; may be given again", func(v string) error { spec.Paths = append(spec.Paths, v); return nil })
	set.Func("hunk", "land only this hunk, `ID` as `nodwyn diff` shows it; may be given again", func(v string) error { spec.Hunks = append(spec.Hunks, v); return nil })
	set.StringVar(&spec.Message, "message", "", "the commit's message, `TEXT`; by default made of what was asked")
	preview := set.Bool("preview", false, "show what would land, and do nothing")
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	if !slices.Contains(strategies(), spec.Strategy) {
		return misuse{fmt.Sprintf("--strategy %q is not known: it is one of %s", spec.Strategy, strings.Join(strategies(), ", "))}
	}
	if spec.Strategy == "branch" && spec.Into == "" {
		return misuse{"--strategy branch needs --into BRANCH, the name of the branch"}
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
		return printLanding(c.out, "would land on "+l.Into, l, printManner)
	}
	return land(ctx, c, id, spec)
}

// strategies are the ways to land, as the command line names them.
func strategies() []string { return []string{"squash", "merge", "rebase", "patch", "branch"} }

// land opens the session, lands its work and closes it again.
func land(ctx context.Context, c *console, id string, spec agent.LandSpec) error {
	p, err := assemble()
	if err != nil {
		return err
	}
	defer p.close()
	p.config.Asker = newTerminal(c, newDisplay(c), "") // the project's checks for a landing may need trust
	s, _, err := agent.New(p.config).Resume(ctx, id, fromHere())
	if err != nil {
		return err
	}
	l, err := s.Land(ctx, spec)
	closed, failed := s.Close(ctx, false)
	if err := errors.Join(advise(err), failed); err != nil {
		return err
	}
	head := fmt.Sprintf("landed %.10s on %s", l.Commit, l.Into)
	if l.Strategy == worktree.Patch {
		head = fmt.Sprintf("landed as uncommitted edits in %s", l.Checkout)
	}
	branch := s.State().Config.Worktree.Branch
	if closed.WorktreeRemoved {
		head += fmt.Sprintf("; branch %s and its worktree are removed", branch)
	} else {
		head += fmt.Sprintf("; branch %s stays, `nodwyn close --discard %s` removes it", branch, short(id))
	}
	return printLanding(c.out, head, l, nil)
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

// printLanding prints what lands; more adds what only a preview says.
func printLanding(out io.Writer, head string, l agent.Landed, more func(*strings.Builder, agent.Landed)) error {
	var b strings.Builder
	b.WriteString(head + "\n")
	for _, f := range l.Files {
		fmt.Fprintf(&b, "  %s %s  +%d -%d\n", f.Status, f.Path, f.Insertions, f.Deletions)
	}
	if more != nil {
		more(&b, l)
	}
	if p := l.Push; p != nil && p.Done {
		fmt.Fprintf(&b, "  pushed to %s (%s)\n", p.Remote, p.URL)
	} else if p != nil {
		fmt.Fprintf(&b, "  not pushed: %s\n", p.Reason)
	}
	if l.Strategy != worktree.Patch {
		b.WriteByte('\n')
		for line := range strings.Lines(strings.TrimRight(l.Message, "\n")) {
			b.WriteString("    " + strings.TrimRight(line, "\n") + "\n")
		}
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// printManner says what a landing takes from the person's git configuration, and what it leaves out.
func printManner(b *strings.Builder, l agent.Landed) {
	if l.Checkout != "" {
		fmt.Fprintf(b, "  checkout: %s\n", l.Checkout)
	}
	if m := l.Manner; m.Author != "" {
		fmt.Fprintf(b, "  author: %s\n", m.Author)
		if m.Committer != m.Author {
			fmt.Fprintf(b, "  committer: %s\n", m.Committer)
		}
		if m.Signing != "" {
			fmt.Fprintf(b, "  signed: %s\n", m.Signing)
		}
	}
	if hooks := l.Manner.Hooks; len(hooks) > 0 {
		fmt.Fprintf(b, "  hooks that a landing does not run: %s\n", strings.Join(hooks, ", "))
	}
}
