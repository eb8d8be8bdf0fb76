package agent

import (
	"context"
	"fmt"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// Proved is the last proof of a session, as far as it still holds.
type Proved struct {
	// Turn is the turn that it proves; 0 when nothing was proved yet.
	Turn int
	// Proof says what was written and what failed when it was recorded.
	Proof event.Proof
	// Items are the checks of the turn, each as it ran last.
	Items []ProvedItem
}

// ProvedItem is a check with what became of its files since.
type ProvedItem struct {
	event.CloseoutItem
	// State is "fresh", "stale", or "unknown" where it did not run or no tree is on record for it.
	State string
	// Changed are the paths that changed since it ran.
	Changed []string
}

// Proof returns the last proof of any session, open or not, compared with its files as they are now.
func (a *Agent) Proof(ctx context.Context, session string) (Proved, error) {
	var fold view.Proof
	if err := a.Fold(session, fold.Apply); err != nil {
		return Proved{}, err
	}
	last, items := fold.Last()
	if last == nil {
		return Proved{}, nil
	}
	p := Proved{Turn: last.Turn, Proof: *last}
	compare, err := a.freshness(ctx, session)
	if err != nil {
		return Proved{}, err
	}
	for _, it := range items {
		proved, err := compare(it)
		if err != nil {
			return Proved{}, fmt.Errorf("compare what %s checked in session %s: %w", it.Name, session, err)
		}
		p.Items = append(p.Items, proved)
	}
	return p, nil
}

// freshness returns how a check of the session is compared with the files as they are now; those of a worktree that is gone are as its last snapshot left them.
func (a *Agent) freshness(ctx context.Context, session string) (func(event.CloseoutItem) (ProvedItem, error), error) {
	st, err := a.State(session)
	if err != nil {
		return nil, err
	}
	unknown := func(it event.CloseoutItem) (ProvedItem, error) {
		return ProvedItem{CloseoutItem: it, State: "unknown"}, nil
	}
	if st.Config.Worktree == nil {
		return unknown, nil
	}
	repo, err := a.repository(ctx, st.Config.Worktree.Repository)
	if err != nil {
		return nil, err
	}
	now, err := treeNow(ctx, repo, st)
	if err != nil {
		return nil, err
	}
	return func(it event.CloseoutItem) (ProvedItem, error) {
		if it.Tree == "" || it.Outcome == "skipped" {
			return unknown(it)
		}
		files, err := repo.Diff(ctx, it.Tree, now, "")
		proved := ProvedItem{CloseoutItem: it, State: "fresh"}
		for _, f := range files {
			proved.State, proved.Changed = "stale", append(proved.Changed, f.Path)
		}
		return proved, err
	}, nil
}

// treeNow returns the tree of a session's files, from its last snapshot when they are gone.
func treeNow(ctx context.Context, repo *worktree.Repository, st view.State) (string, error) {
	if w := worktree.Identity(*st.Config.Worktree); !st.WorktreeRemoved && repo.Present(w) {
		return repo.Tree(ctx, w)
	}
	return st.Tip(), nil
}

// Check keeps turns and landings away and returns what runs all of the project's checks, those too that run only when they are asked for, and proves the last turn again. It has to be called, once. It appends to that turn: what was written stands, how the checks went is new.
func (s *Session) Check() (func(context.Context) error, error) {
	if err := s.hold(); err != nil {
		return nil, fmt.Errorf("check session %s: %w", s.id, err)
	}
	cut, done := s.cancellable(context.Background())
	return func(ctx context.Context) error {
		defer s.letGo()
		defer done()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(cut, func() { cancel(context.Cause(cut)) })()
		return s.check(ctx)
	}, nil
}

// check goes on to the end when it is cancelled: what did not run is on record as skipped, as in a turn.
func (s *Session) check(ctx context.Context) error {
	turn := s.State().Turn
	if turn == 0 {
		return fmt.Errorf("check session %s: %w: nothing was asked of it yet", s.id, ErrNothing)
	}
	var fold view.Proof
	if err := s.agent.Fold(s.id, fold.Apply); err != nil {
		return err
	}
	again := event.Proof{Turn: turn, Wrote: []string{}, DiffStat: []event.DiffStat{}}
	if last, _ := fold.Last(); last != nil && last.Turn == turn {
		again = *last
	}
	if ctx.Err() != nil {
		return nil // before anything ran, so that the last proof stands
	}
	failures, err := (&Turn{s: s, n: turn}).closeout(ctx, always)
	if err != nil {
		return fmt.Errorf("check session %s: %w", s.id, err)
	}
	again.Failed = append([]string{}, names(failures)...)
	if err := s.record(again); err != nil {
		return err
	}
	return s.checkpoint(context.WithoutCancel(ctx), turn) // a check may have written, a formatter does
}

// cancellable returns a context that session/cancel and the session's end cut short, for checks that run outside of a turn.
func (s *Session) cancellable(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut = cancel
	if s.leaving != nil {
		cancel(s.leaving)
	}
	return ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.cut = nil
		cancel(nil)
	}
}

// cutLocked ends checks that run outside of a turn.
func (s *Session) cutLocked(cause error) {
	if s.cut != nil {
		s.cut(cause)
	}
}
