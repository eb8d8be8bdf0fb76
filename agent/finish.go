package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/worktree"
)

// finish proves the turn, takes its checkpoint and records its end. Nothing of it is cut short by the turn's own cancellation.
func (t *Turn) finish(ctx context.Context, failed error) (TurnResult, error) {
	s := t.s
	cause := context.Cause(ctx)
	after := context.WithoutCancel(ctx)
	if err := s.log.Err(); err != nil {
		return TurnResult{}, fmt.Errorf("end turn %d of session %s: %w", t.n, s.id, err)
	}
	s.guard.Kill(after)
	// What is wrong with the tree ended the loop already, and is said once.
	if err := t.prove(ctx, failed == nil); err != nil && (failed == nil || failed.Error() != err.Error()) {
		failed = errors.Join(failed, err)
	}
	outcome, reason, text := outcomeOf(cause, failed)
	wall := time.Since(t.start).Milliseconds()
	evs, err := s.append(event.TurnEnd{Turn: t.n, Outcome: outcome, Reason: reason, Error: text, WallMS: &wall})
	if err != nil {
		return TurnResult{}, err
	}
	end := evs[0].Payload.(event.TurnEnd)
	if t.text == "" {
		t.text = end.Error
	}
	s.mu.Lock()
	usage := s.totals.Turn(t.n)
	s.mu.Unlock()
	return TurnResult{Turn: t.n, Outcome: outcome, Reason: reason, Text: t.text, Usage: usage, Revision: evs[len(evs)-1].Seq}, nil
}

// check runs the closeout items after a turn that wrote. It reports whether the model gets another try, with what failed before its eyes.
func (t *Turn) check(ctx context.Context, tries map[string]int) (bool, error) {
	changed, err := t.changed(ctx)
	if err != nil {
		return false, fmt.Errorf("see what turn %d changed: %w", t.n, err)
	}
	if len(changed) == 0 {
		return false, nil
	}
	failures, err := t.closeout(ctx, "turn")
	t.failed = names(failures)
	if err != nil || ctx.Err() != nil {
		return false, errors.Join(err, context.Cause(ctx))
	}
	return t.retry(failures, tries)
}

// retry gives what failed back to the model, for the items that have a try left.
func (t *Turn) retry(failures []failure, tries map[string]int) (bool, error) {
	var payloads []event.Payload
	for _, f := range failures {
		if tries[f.item.Name] >= f.item.Retry {
			continue
		}
		tries[f.item.Name]++
		payloads = append(payloads, textAttach(t.n, "instructions", "diagnostics", "", []byte(f.text())))
	}
	if len(payloads) == 0 {
		return false, nil
	}
	t.s.mu.Lock()
	t.steerable = true
	t.s.mu.Unlock()
	return true, t.s.record(payloads...)
}

// prove records what was written and takes the checkpoint.
func (t *Turn) prove(ctx context.Context, completed bool) error {
	s := t.s
	after := context.WithoutCancel(ctx)
	changed, err := t.changed(after) // a check may have written, a formatter does
	if err != nil {
		return fmt.Errorf("see what turn %d changed: %w", t.n, err)
	}
	if !completed && len(changed) == 0 {
		return nil
	}
	if err := s.record(proof(t.n, changed, t.failed)); err != nil {
		return err
	}
	return s.checkpoint(after, t.n)
}

func proof(turn int, changed []worktree.FileDiff, failures []string) event.Proof {
	p := event.Proof{Turn: turn, Wrote: []string{}, DiffStat: []event.DiffStat{}, Failed: append([]string{}, failures...)}
	for _, f := range changed {
		p.Wrote = append(p.Wrote, f.Path)
		p.DiffStat = append(p.DiffStat, event.DiffStat{Path: f.Path, Status: f.Status, Insertions: f.Insertions, Deletions: f.Deletions})
	}
	return p
}

// changed lists what the turn changed: against the last snapshot in a worktree, by the guard's record elsewhere.
func (t *Turn) changed(ctx context.Context) ([]worktree.FileDiff, error) {
	s := t.s
	st := s.State()
	if s.repo == nil {
		var files []worktree.FileDiff
		for _, path := range st.Written() {
			files = append(files, worktree.FileDiff{Path: path, Status: "M"})
		}
		return files, nil
	}
	tree, err := s.repo.Tree(ctx, s.tree)
	if err != nil {
		return nil, err
	}
	return s.repo.Diff(ctx, st.Tip(), tree, "")
}

// checkpoint takes a snapshot of the worktree and records it, unless nothing changed.
func (s *Session) checkpoint(ctx context.Context, turn int) error {
	if s.repo == nil {
		return nil
	}
	st := s.State()
	c, err := s.repo.Checkpoint(ctx, s.tree, worktree.CheckpointSpec{
		Session: s.id, Turn: turn, Previous: st.Tip(), Subject: subject(st.Ask(turn)),
	})
	if err != nil {
		return fmt.Errorf("checkpoint turn %d: %w", turn, err)
	}
	if c == nil {
		return nil
	}
	payloads := []event.Payload{event.WorktreeCheckpoint{
		Turn: turn, Commit: c.Commit, Ref: c.Ref, Files: c.Files, Insertions: c.Insertions, Deletions: c.Deletions,
	}}
	if len(c.LeftOut) > 0 {
		payloads = append(payloads, event.Note{Code: "checkpoint_left_out", Text: "the snapshot does not hold " + strings.Join(c.LeftOut, "; ")})
	}
	return s.record(payloads...)
}

// subject makes a commit's first line of what was asked.
func subject(ask string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(ask), "\n")
	line = strings.TrimSpace(line)
	if line == "" {
		return "Changes by nodwyn"
	}
	if runes := []rune(line); len(runes) > 72 {
		line = strings.TrimSpace(string(runes[:71])) + "…"
	}
	return line
}
