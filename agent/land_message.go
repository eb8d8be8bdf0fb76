package agent

import (
	"cmp"
	"context"
	_ "embed" // for the text of the request
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

//go:embed prompts/landing.md
var landingText string

const (
	// landingPatience is how long a person waits for words that can be done without.
	landingPatience = 20 * time.Second
	// styleSamples is how many of the repository's commits show its style.
	styleSamples = 12
)

// askMessage returns the message of a landing: the person's own, else one that is proposed. It is empty when nobody can be asked or nothing came of it; then the message is made of what was asked. It ends early with ctx or with session/cancel.
func (s *Session) askMessage(ctx context.Context, spec LandSpec) (string, error) {
	if spec.Message != "" || spec.Strategy == string(worktree.Patch) || !s.hasSide() {
		return spec.Message, nil
	}
	ctx, done := s.cancellable(ctx)
	defer done()
	l, err := s.agent.PreviewLanding(ctx, s.id, spec)
	if err != nil {
		return "", err // nothing would land, so there is nothing to ask for
	}
	message, err := s.proposeMessage(ctx, l.Landing)
	if ctx.Err() != nil {
		return "", fmt.Errorf("land session %s: %w", s.id, context.Cause(ctx))
	}
	if err != nil {
		s.sideFailed("no message was proposed for the landing", err)
	}
	return message, nil
}

// proposeMessage asks for a message in the repository's style.
func (s *Session) proposeMessage(ctx context.Context, l worktree.Landing) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, landingPatience, fmt.Errorf("%w within %s", errSilent, landingPatience))
	defer cancel()
	text, err := s.landingMaterial(ctx, l)
	if err != nil {
		return "", err
	}
	reply, err := s.askAside(ctx, s.guard, question{"landing", landingText, text})
	if err != nil {
		return "", err
	}
	message := cleanMessage(reply)
	if message == "" {
		return "", errors.New("the reply holds no message")
	}
	return message, nil
}

// landingMaterial is what a landing's message is made of. A branch that is yet to be made has no commits of its own, so the style is that of the session's base.
func (s *Session) landingMaterial(ctx context.Context, l worktree.Landing) (string, error) {
	st := s.State()
	subjects, err := s.repo.Subjects(ctx, cmp.Or(l.Previous, st.Config.Worktree.BaseCommit), styleSamples)
	if err != nil {
		return "", err
	}
	files, err := s.agent.Diff(ctx, s.id, DiffSpec{})
	if err != nil {
		return "", err
	}
	files = slices.DeleteFunc(files, func(f worktree.FileDiff) bool { return !lands(l, f) })
	project, err := s.agent.project(s.repo.Root())
	if err != nil {
		return "", err
	}
	files = slices.DeleteFunc(files, func(f worktree.FileDiff) bool { return !s.mayShow(project.Policy, f) })
	return "The latest commits:\n\n" + head(strings.Join(subjects, "\n")) + "\n\nWhat was asked:\n\n" + head(list(askedToLand(st))) +
		"\nThe files:\n\n" + head(stat(l.Files)) + "\nThe change:\n\n" + head(hunks(files)), nil
}

// lands reports whether a file of the session is in what was chosen to land.
func lands(l worktree.Landing, f worktree.FileDiff) bool {
	return slices.ContainsFunc(l.Files, func(g worktree.FileDiff) bool { return g.Path == f.Path })
}

// mayShow reports whether a model may read a changed file unasked. Landing it needs no such permission.
func (s *Session) mayShow(policy guard.Policy, f worktree.FileDiff) bool {
	may := func(path string) bool {
		a := guard.Action{Op: guard.OpRead, Path: path}
		return path == "" || guard.Decide(policy, guard.State{Approvals: s.guard.Approvals()}, a).Verdict == guard.Allow
	}
	return may(f.Path) && may(f.OldPath)
}

// askedToLand are the first lines of what was asked since the last landing. A landing that was undone lands again, with nothing asked since.
func askedToLand(st view.State) []string {
	if asks := asksToLand(st); len(asks) > 0 {
		return asks
	}
	return []string{subject(st.FirstAsk)}
}

func list(lines []string) string { return "- " + strings.Join(lines, "\n- ") + "\n" }

func stat(files []worktree.FileDiff) string {
	var b strings.Builder
	for _, f := range files {
		fmt.Fprintf(&b, "%s %s (+%d -%d)\n", f.Status, f.Path, f.Insertions, f.Deletions)
	}
	return b.String()
}

// hunks is the change as text, no more of it than is used.
func hunks(files []worktree.FileDiff) string {
	var b strings.Builder
	for _, f := range files {
		b.WriteString(f.Path + "\n")
		for _, h := range f.Hunks {
			if b.Len() > maxMaterial {
				return b.String()
			}
			b.WriteString(h.Header + "\n" + h.Text)
		}
	}
	return b.String()
}
