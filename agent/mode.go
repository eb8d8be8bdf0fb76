package agent

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// validMode refuses a mode that is none.
func validMode(mode string) error {
	switch mode {
	case "ask", "plan", "edit":
		return nil
	}
	return &InvalidError{Field: "mode", Reason: fmt.Sprintf("%q is not \"ask\", \"plan\" or \"edit\"", mode)}
}

// SetMode moves the session between modes. A session that only read gets its worktree when it starts to edit.
func (s *Session) SetMode(ctx context.Context, mode, actor string) error {
	if err := validMode(mode); err != nil {
		return err
	}
	if err := s.hold(); err != nil {
		return fmt.Errorf("change the mode of session %s: %w", s.id, err)
	}
	defer s.letGo()
	st := s.State()
	if st.Config.Mode == mode {
		return nil
	}
	where, planned, err := s.placeFor(ctx, st, mode)
	if err != nil {
		return fmt.Errorf("change the mode of session %s: %w", s.id, err)
	}
	record := event.SessionMode{From: st.Config.Mode, Mode: mode, Actor: actor}
	if planned {
		w := event.Worktree(where.tree)
		record.Worktree, record.Carry = &w, where.carried()
	}
	if err := s.record(record); err != nil {
		return err
	}
	if err := s.move(ctx, where, planned, mode); err != nil {
		if planned && !s.State().WorktreeMade {
			s.repo, s.tree = nil, worktree.Identity{}
		}
		back := event.SessionMode{From: mode, Mode: st.Config.Mode, Actor: event.SelfActor}
		return errors.Join(err, s.record(event.Note{Code: "mode_failed", Text: err.Error()}, back))
	}
	return nil
}

// placeFor finds where the session works in its new mode, and whether its worktree has to be made.
func (s *Session) placeFor(ctx context.Context, st view.State, mode string) (place, bool, error) {
	if st.Config.Worktree != nil || mode != "edit" {
		where, err := s.placeAgain(ctx, st)
		return where, false, err
	}
	where, err := s.agent.place(ctx, s.id, StartSpec{Repo: st.Config.Repo, Mode: mode, Title: st.Title})
	return where, where.repo != nil, err
}

// move makes what the mode needs and puts a guard of that mode in the place of the old one, which forgets what was approved.
func (s *Session) move(ctx context.Context, where place, planned bool, mode string) error {
	if planned {
		if err := s.makeTree(ctx, where, false); err != nil {
			return err
		}
	}
	old := s.guard
	if err := s.equip(ctx, where, mode); err != nil {
		return err
	}
	return errors.Join(old.Close(), s.preread(ctx, where.project.Policy))
}

// proposePlan lets the person decide on the plan with which a planning session's turn ended. Whatever they say, the turn is done: going on is a request of its own.
func (t *Turn) proposePlan(ctx context.Context) error {
	if t.s.mode() != "plan" || strings.TrimSpace(t.text) == "" {
		return nil
	}
	_, err := t.s.guard.ForCall(t.n, "").Plan(ctx, t.text, planSteps(t.text))
	if errors.Is(err, guard.ErrNobody) {
		return nil
	}
	return err
}

var listItem = regexp.MustCompile(`(?m)^(?:[-*]|\d+[.)])[ \t]+(.+)$`)

// planSteps takes the items of the lists in a text; a text without any is one step.
func planSteps(text string) []string {
	var steps []string
	for _, m := range listItem.FindAllStringSubmatch(text, -1) {
		steps = append(steps, strings.TrimSpace(m[1]))
	}
	if len(steps) == 0 {
		return []string{subject(text)}
	}
	return steps
}
