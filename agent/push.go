package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/worktree"
)

// Pushed says what became of the push of a branch.
type Pushed struct {
	// Remote is the name of the remote, URL where it pushes to; empty when the repository has none.
	Remote, URL string
	// Done says that the remote has the branch now.
	Done bool
	// Reason says why it does not.
	Reason string
}

// pushPatience bounds a push to a server that does not answer.
const pushPatience = 10 * time.Minute

// planPush says where a branch would be pushed.
func planPush(ctx context.Context, repo *worktree.Repository, branch string) *Pushed {
	p, err := repo.Pushing(ctx, branch, "")
	if err != nil {
		return &Pushed{Reason: err.Error()}
	}
	return &Pushed{Remote: p.Remote, URL: p.URL, Reason: "it is pushed after a permission"}
}

// push sends a branch that landed to its remote, with the person's own credentials and after their permission. What goes wrong is told and stays a landing.
func (s *Session) push(ctx context.Context, branch string) *Pushed {
	ctx, done := s.cancellable(ctx)
	defer done()
	p, err := s.repo.Pushing(ctx, branch, "")
	if err != nil {
		return &Pushed{Reason: err.Error()}
	}
	pushed := &Pushed{Remote: p.Remote, URL: p.URL}
	out, err := s.guard.ForCall(max(s.State().Turn, 1), "").Run(ctx, guard.Command{
		// The address may be relative to the repository, where the session has no business otherwise.
		Argv: append([]string{"git", "-C", p.Dir}, p.Argv[1:]...), Cwd: ".", Timeout: pushPatience, ForPerson: true, Action: fmt.Sprintf("Push branch %s to %s (%s)", branch, p.Remote, p.URL),
	})
	denied, refused := errors.AsType[*guard.DeniedError](err)
	switch {
	case refused:
		pushed.Reason = "not permitted: " + denied.Error()
	case err != nil:
		pushed.Reason = err.Error()
	case out.Exit != nil && *out.Exit == 0:
		pushed.Done = true
	case out.TimedOut:
		pushed.Reason = fmt.Sprintf("git did not end within %s", pushPatience)
	default:
		pushed.Reason = "git says: " + strings.TrimSpace(tail(out.Text, maxOutputTail))
	}
	return pushed
}
