package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/worktree"
)

// SyncSpec says what is brought into a session's worktree.
type SyncSpec struct {
	// Onto is the branch or revision; empty is the branch the session started from.
	Onto string
	// Preview computes everything and changes nothing.
	Preview bool
	// Undo takes the last sync back.
	Undo bool
	// Actor is who asked for it.
	Actor string
}

// Synced is what a sync changed, or would change.
type Synced struct {
	// Base is where diffs and landings count from now.
	Base string
	// Commit is the snapshot of the files as they are now; empty for a preview.
	Commit    string
	Files     []worktree.FileDiff
	Conflicts []worktree.Conflict
	// Yielded are carried files whose version on the branch counts now.
	Yielded []string
}

// Request is what the agent is asked for, so that it resolves the conflicts; empty without any.
func (s Synced) Request() string {
	if len(s.Conflicts) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("The branch went on meanwhile, and it was merged into this tree. Resolve the conflicts that this left, keeping the intent of both sides:\n")
	for _, c := range s.Conflicts {
		fmt.Fprintf(&b, "- %s (%s)\n", c.Path, c.Kind)
	}
	b.WriteString("Files of the kind \"contents\" hold conflict markers: leave none. In the others this session's side stands; see whether that is still right. Then check that everything still works.\n")
	return b.String()
}

// Sync brings the moved target into the worktree, from which diffs and landings count then, or takes the last sync back. It is on record before a file changes.
func (s *Session) Sync(ctx context.Context, spec SyncSpec) (Synced, error) {
	if err := s.hold(); err != nil {
		return Synced{}, fmt.Errorf("sync session %s: %w", s.id, err)
	}
	defer s.letGo()
	if s.repo == nil {
		return Synced{}, fmt.Errorf("sync session %s: %w", s.id, ErrNoWorktree)
	}
	plan := s.planSync
	if spec.Undo {
		plan = s.planUnsync
	}
	record, done, err := plan(ctx, spec)
	if err != nil {
		return Synced{}, fmt.Errorf("sync session %s: %w", s.id, err)
	}
	if spec.Preview {
		return done, nil
	}
	record.Actor, record.Commit = spec.Actor, done.Commit
	if err := s.record(record); err != nil {
		return Synced{}, err
	}
	after := context.WithoutCancel(ctx)
	failed := s.repo.ApplyRewrite(after, s.tree, done.Commit)
	ok := failed == nil
	record.OK = &ok
	if err := s.record(record); err != nil || failed != nil {
		return Synced{}, errors.Join(failed, err)
	}
	if _, err := s.equipTree(after, event.Carry{From: s.State().Carry.From}); err != nil { // submodules may be new
		s.agent.cfg.Log.Warn("equip after sync", "session", s.id, "err", err)
	}
	s.meetLater()
	return done, nil
}

func (s *Session) planSync(ctx context.Context, spec SyncSpec) (event.WorktreeSync, Synced, error) {
	if !spec.Preview { // so that what was there before is a snapshot of its own
		if err := s.checkpoint(ctx, max(s.State().Turn, 1)); err != nil {
			return event.WorktreeSync{}, Synced{}, err
		}
	}
	st := s.State()
	y, err := s.repo.PrepareSync(ctx, s.tree, worktree.SyncSpec{
		Session: s.id, Turn: max(st.Turn, 1), Onto: spec.Onto, Landings: landings(st), Preview: spec.Preview,
	})
	if err != nil {
		return event.WorktreeSync{}, Synced{}, err
	}
	record := event.WorktreeSync{From: y.From, To: y.Onto, Base: y.Base}
	for _, c := range y.Conflicts {
		record.Conflicts = append(record.Conflicts, c.Path)
	}
	return record, Synced{Base: y.Base, Commit: y.Commit, Files: y.Files, Conflicts: y.Conflicts, Yielded: y.Yielded}, nil
}

func (s *Session) planUnsync(ctx context.Context, spec SyncSpec) (event.WorktreeSync, Synced, error) {
	st := s.State()
	last, ok := st.LastSync()
	if !ok {
		return event.WorktreeSync{}, Synced{}, &worktree.RefusedError{Reason: worktree.NothingToSync, Message: "there is no sync to undo that nothing landed on"}
	}
	rw, err := s.repo.PrepareUndo(ctx, s.tree, worktree.UndoSpec{Session: s.id, Turn: max(st.Turn, 1), Commit: last.Commit, Preview: spec.Preview})
	if err != nil {
		return event.WorktreeSync{}, Synced{}, err
	}
	return event.WorktreeSync{From: last.From, To: last.To, Base: last.Base, Undo: true}, Synced{Base: last.From, Commit: rw.Commit, Files: rw.Files}, nil
}
