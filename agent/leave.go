package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/worktree"
)

// leaveTree removes the worktree when nothing in it would be lost, or moves its branch to the newest snapshot so that nothing lives in hidden refs alone.
func (s *Session) leaveTree(ctx context.Context, discard bool) (Closed, error) {
	if s.repo == nil {
		return Closed{}, nil
	}
	if _, _, opening := s.Opening(); opening {
		s.repo.TakeBack(ctx, s.tree, s.id, s.checkout.begun)
		s.releasePorts(ctx)
		return Closed{WorktreeRemoved: true}, s.record(event.WorktreeRemove{Worktree: event.Worktree(s.tree)})
	}
	if !s.repo.Present(s.tree) {
		return s.leaveLost(ctx)
	}
	if err := s.checkpoint(ctx, max(s.State().Turn, 1)); err != nil {
		return Closed{}, err
	}
	st := s.State()
	removed, unlanded, err := s.repo.Remove(ctx, s.tree, worktree.RemoveSpec{Session: s.id, Landings: landings(st), Tip: st.Tip(), Discard: discard})
	if err != nil {
		return Closed{Unlanded: unlanded}, fmt.Errorf("remove worktree %s: %w", s.tree.Path, err)
	}
	if removed {
		s.releasePorts(ctx)
		return Closed{WorktreeRemoved: true}, s.record(event.WorktreeRemove{Worktree: event.Worktree(s.tree)})
	}
	if err := s.repo.Settle(ctx, s.tree, st.Tip()); err != nil {
		return Closed{Unlanded: unlanded}, fmt.Errorf("keep unlanded work on %s: %w", s.tree.Branch, err)
	}
	return Closed{Unlanded: unlanded}, nil
}

// leaveLost leaves a worktree that is not there, or not what it should be, as it is, and says what would be lost with it. A resume restores it.
func (s *Session) leaveLost(ctx context.Context) (Closed, error) {
	st := s.State()
	if st.WorktreeRemoved {
		return Closed{}, nil
	}
	unlanded, err := s.repo.Unlanded(ctx, s.tree, st.Tip(), landings(st))
	var refused *worktree.RefusedError
	if errors.As(err, &refused) {
		return Closed{}, s.record(event.Note{Code: "worktree_kept", Text: refused.Message})
	}
	return Closed{Unlanded: unlanded}, err
}
