package worktree

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// lockedGit finds a lock held for the first so many calls.
type lockedGit struct {
	held  int
	words string
	calls int
}

func (g *lockedGit) Run(context.Context, string, []string, []byte, ...string) ([]byte, error) {
	g.calls++
	if g.calls <= g.held {
		return nil, &gitError{code: 128, stderr: g.words}
	}
	return []byte("done\n"), nil
}

func TestChangeWaitsForLocks(t *testing.T) {
	const refLock = "fatal: cannot lock ref 'refs/heads/main': Unable to create"
	const indexLock = "fatal: Unable to create '/x/.git/index.lock': File exists."
	for _, c := range []struct {
		name  string
		git   lockedGit
		calls int
		ok    bool
	}{
		{"free", lockedGit{}, 1, true},
		{"ref locked for a while", lockedGit{held: 2, words: refLock}, 3, true},
		{"index locked for a while", lockedGit{held: 3, words: indexLock}, 4, true},
		{"ref locked for ever", lockedGit{held: 9, words: refLock}, 4, false},
		{"another failure", lockedGit{held: 9, words: "fatal: bad object"}, 1, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := &Repository{git: &c.git}
				_, err := r.change(t.Context(), place{}, nil, "update-ref")
				check(t, "success", err == nil, c.ok)
				check(t, "calls", c.git.calls, c.calls)
			})
		})
	}
}

func TestWaitingEndsWithItsCause(t *testing.T) {
	cause := errors.New("the person stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	r := &Repository{git: &lockedGit{held: 9, words: "cannot lock ref"}, writes: make(chan struct{}, 1)}
	_, err := r.change(ctx, place{}, nil, "update-ref")
	check(t, "cause while a ref is locked", err, cause)

	release, err := r.lock(t.Context())
	noError(t, err)
	_, err = r.lock(ctx)
	check(t, "cause while another write runs", err, cause)
	release()
	release, err = r.lock(t.Context())
	noError(t, err)
	release()
}
