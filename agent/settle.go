package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// settle finds out what became of what the last life of the session left half done, and completes it or takes it back. In a worktree that was made again the newest snapshot is all there is.
func (s *Session) settle(ctx context.Context, before view.State, restored bool) error {
	if s.repo == nil {
		return nil
	}
	if err := s.settleLanding(ctx, before); err != nil {
		return err
	}
	if err := s.settleSync(ctx, before.Sync, restored); err != nil {
		return err
	}
	if before.Rewrite == "" || restored {
		return nil
	}
	done, err := s.repo.RecoverRewrite(ctx, s.tree, before.Rewrite)
	if err != nil {
		return fmt.Errorf("complete the revert: %w", err)
	}
	if done {
		return nil
	}
	err = s.applyRevert(ctx, before.Rewrite)
	_, met := errors.AsType[*worktree.ConflictError](err)
	if met && s.log.Err() == nil { // somebody edited the files meanwhile; it is on record as taken back, and says so
		return nil
	}
	return err
}

// settleLanding finds out what became of a landing whose outcome is not on record. The last one is looked at also where its outcome is known, since a disk that was full may have left a checkout half moved.
func (s *Session) settleLanding(ctx context.Context, st view.State) error {
	l := st.Landing
	if l == nil {
		last := st.Tried
		if last == nil {
			return nil
		}
		if _, err := s.repo.Recover(ctx, s.tree, landingOf(*last)); err != nil {
			return s.record(event.Note{Code: "landing_unclear", Text: fmt.Sprintf("see whether the landing on %s left anything half done: %v", last.Into, err)})
		}
		return nil
	}
	landed, err := s.repo.Recover(ctx, s.tree, landingOf(*l))
	if err != nil {
		return fmt.Errorf("see whether %s landed on %s: %w", l.Commit, l.Into, err)
	}
	done, ok := *l, landed != l.Undo
	done.OK = &ok
	if ok {
		return s.record(done)
	}
	text := fmt.Sprintf("the landing on %s that was under way did not happen; nothing of it is there, and it can be landed again", l.Into)
	if l.Undo {
		text = fmt.Sprintf("the landing on %s was not taken back; it is there as it was", l.Into)
	}
	return s.record(done, event.Note{Code: "landing_cut_off", Text: text})
}

func (s *Session) settleSync(ctx context.Context, sync *event.WorktreeSync, restored bool) error {
	if sync == nil {
		return nil
	}
	ok := false
	if !restored {
		var err error
		if ok, err = s.repo.RecoverRewrite(ctx, s.tree, sync.Commit); err != nil {
			return fmt.Errorf("see what became of the sync: %w", err)
		}
	}
	done := *sync
	done.OK = &ok
	if ok {
		return s.record(done)
	}
	return s.record(done, event.Note{Code: "sync_cut_off", Text: "the sync that was under way did not happen; the worktree is as it was, and it can be synced again"})
}

// applyRevert changes the files as the record before it says. When that cannot be, the record is taken back.
func (s *Session) applyRevert(ctx context.Context, commit string) error {
	failed := s.repo.ApplyRewrite(ctx, s.tree, commit)
	if failed == nil {
		return nil
	}
	st := s.State()
	return errors.Join(failed, s.record(st.Unrecorded(commit), event.Note{Code: "revert_failed", Text: failed.Error()}))
}
