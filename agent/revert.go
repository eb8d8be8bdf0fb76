package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// RevertSpec says what is taken back.
type RevertSpec struct {
	// What is "files" (also when empty), "chat" or "both".
	What string
	// Turn is the turn to whose end it goes back, 0 for the start; nil takes files back to where the session counts from.
	Turn *int
	// Path takes only that file or folder back, Hunk only that hunk.
	Path, Hunk string
	// Preview computes everything and changes nothing.
	Preview bool
	// Undo takes the last revert back; then only Preview counts beside it.
	Undo bool
	// Actor is who asked for it.
	Actor string
}

// Reverted is what a revert changed, or would change.
type Reverted struct {
	What  string
	Files []worktree.FileDiff
	// Turns are the turns that left the model's window, or came back into it.
	Turns []int
	// Commit is the snapshot of the files as they are now; empty when none changed.
	Commit string
}

// Revert takes files back, or what was said, or both. It is on record before anything changes, and the model is told of it.
func (s *Session) Revert(ctx context.Context, spec RevertSpec) (Reverted, error) {
	if err := s.hold(); err != nil {
		return Reverted{}, fmt.Errorf("revert in session %s: %w", s.id, err)
	}
	defer s.letGo()
	if err := s.snapTorn(ctx, spec); err != nil {
		return Reverted{}, fmt.Errorf("revert in session %s: %w", s.id, err)
	}
	record, rw, err := s.planRevert(ctx, spec)
	if err != nil {
		return Reverted{}, fmt.Errorf("revert in session %s: %w", s.id, err)
	}
	done := Reverted{What: record.What, Files: rw.Files, Turns: s.turnsOf(record)}
	if spec.Preview {
		return done, nil
	}
	record.Actor, record.Before, record.Commit = spec.Actor, rw.Before, rw.Commit
	if err := s.record(record); err != nil {
		return Reverted{}, err
	}
	s.forgetFolders(record)
	if rw.Commit == "" {
		return done, nil
	}
	done.Commit = rw.Commit
	if err := s.applyRevert(context.WithoutCancel(ctx), rw.Commit); err != nil {
		return Reverted{}, err
	}
	s.meetLater()
	return done, nil
}

// snapTorn keeps what a turn that was cut off left as its own, so that it is taken back with the turn and nobody takes it for the person's edits.
func (s *Session) snapTorn(ctx context.Context, spec RevertSpec) error {
	st := s.State()
	if !st.Torn || spec.Preview || spec.Undo || s.repo == nil || !s.repo.Present(s.tree) {
		return nil
	}
	return s.checkpoint(ctx, st.Turn)
}

// planRevert works out what would be recorded and what it would do to the files.
func (s *Session) planRevert(ctx context.Context, spec RevertSpec) (event.SessionRevert, worktree.Rewrite, error) {
	st := s.State()
	if spec.Undo {
		return s.planUndo(ctx, st, spec.Preview)
	}
	record := event.SessionRevert{What: spec.What, ToTurn: spec.Turn, Path: spec.Path, Hunk: spec.Hunk}
	if record.What == "" {
		record.What = "files"
	}
	if spec.Turn != nil && *spec.Turn > st.Turn {
		return record, worktree.Rewrite{}, &InvalidError{Field: "turn", Reason: fmt.Sprintf("the session has %d turns", st.Turn)}
	}
	if record.What == "chat" {
		if len(s.turnsOf(record)) == 0 {
			return record, worktree.Rewrite{}, nothingSaid(*spec.Turn)
		}
		return record, worktree.Rewrite{}, nil
	}
	if s.repo == nil {
		return record, worktree.Rewrite{}, ErrNoWorktree
	}
	rw, err := s.prepareRevert(ctx, st, spec)
	if record.What == "both" && refusedFor(err, worktree.NothingToRevert) && len(s.turnsOf(record)) > 0 {
		err = nil // only what was said is left to take back
	}
	if record.Hunk != "" && record.Path == "" && len(rw.Files) > 0 {
		record.Path = rw.Files[0].Path
	}
	return record, rw, err
}

func (s *Session) prepareRevert(ctx context.Context, st view.State, spec RevertSpec) (worktree.Rewrite, error) {
	plan := worktree.RevertSpec{Session: s.id, Turn: max(st.Turn, 1), Last: st.Tip(), Path: spec.Path, Hunk: spec.Hunk, Preview: spec.Preview}
	var err error
	if st.Torn { // nothing else would say what a turn that was cut off wrote
		if plan.Last, err = s.repo.Tree(ctx, s.tree); err != nil {
			return worktree.Rewrite{}, err
		}
	}
	if spec.Turn == nil {
		if plan.To, err = s.repo.CountsFrom(ctx, s.tree, landings(st)); err != nil {
			return worktree.Rewrite{}, err
		}
	} else {
		var syncs []event.WorktreeSync
		plan.To, syncs = st.EndOf(*spec.Turn)
		for _, y := range syncs {
			plan.Syncs = append(plan.Syncs, worktree.Synchronized{From: y.From, To: y.Base})
		}
	}
	return s.repo.PrepareRevert(ctx, s.tree, plan)
}

func (s *Session) planUndo(ctx context.Context, st view.State, preview bool) (event.SessionRevert, worktree.Rewrite, error) {
	last, ok := st.LastRevert()
	if !ok {
		return last, worktree.Rewrite{}, &worktree.RefusedError{Reason: worktree.NothingToRevert, Message: "there is no revert to undo"}
	}
	record := last
	record.Undo, record.Before, record.Commit = true, "", ""
	if last.Commit == "" {
		return record, worktree.Rewrite{}, nil
	}
	if s.repo == nil {
		return record, worktree.Rewrite{}, ErrNoWorktree
	}
	rw, err := s.repo.PrepareUndo(ctx, s.tree, worktree.UndoSpec{Session: s.id, Turn: max(st.Turn, 1), Commit: last.Commit, Preview: preview})
	return record, rw, err
}

// turnsOf lists the turns that a revert takes out of the window, or puts back.
func (s *Session) turnsOf(r event.SessionRevert) []int {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.What == "files":
		return nil
	case r.Undo:
		return s.messages.Gone()
	}
	return s.messages.Turns(*r.ToTurn)
}

// forgetFolders has instruction files told again after what was said about them left the window.
func (s *Session) forgetFolders(r event.SessionRevert) {
	if r.What == "files" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.folders)
}

func nothingSaid(turn int) error {
	return &worktree.RefusedError{Reason: worktree.NothingToRevert, Message: fmt.Sprintf("nothing was said after turn %d", turn)}
}

func refusedFor(err error, reason worktree.Reason) bool {
	refused, ok := errors.AsType[*worktree.RefusedError](err)
	return ok && refused.Reason == reason
}
