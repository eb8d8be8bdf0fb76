package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// CarrySpec says what of the person's own state comes along into a new worktree.
type CarrySpec struct {
	// Uncommitted brings changes of tracked files, Untracked files that git neither knows nor ignores.
	Uncommitted, Untracked bool
	// Ignored are patterns of ignored files that are copied beside those of the configuration.
	Ignored []string
}

// carry fills in what the request leaves to the configuration.
func (a *Agent) carry(spec StartSpec) event.Carry {
	c := event.Carry{From: spec.Repo, Uncommitted: a.cfg.Worktrees.Carry, Untracked: a.cfg.Worktrees.Carry}
	c.Ignored = append(c.Ignored, a.cfg.Worktrees.CopyIgnored...)
	if spec.Carry != nil {
		c.Uncommitted, c.Untracked = spec.Carry.Uncommitted, spec.Carry.Untracked
		c.Ignored = append(c.Ignored, spec.Carry.Ignored...)
	}
	return c
}

// makeTree makes the planned worktree with what comes along, and records it with the counts of what it lacks. Again makes a start good that was cut off before it was on record.
func (s *Session) makeTree(ctx context.Context, where place, again bool) error {
	if where.repo == nil {
		return nil
	}
	from := where.carry
	lacks, err := where.repo.UncommittedAt(ctx, from.From)
	if err != nil {
		return fmt.Errorf("count uncommitted work: %w", err)
	}
	started, err := where.repo.Start(ctx, where.tree, worktree.StartSpec{
		Session: s.id, Again: again, Carry: worktree.CarrySpec{From: from.From, Uncommitted: from.Uncommitted, Untracked: from.Untracked},
	})
	if err != nil {
		return errors.Join(err, s.noteAside(where, started.Aside))
	}
	s.repo, s.tree = where.repo, where.tree
	if (from.Uncommitted || from.Untracked) && !again {
		lacks = started.Carry.Left
	}
	kit, err := s.equipTree(ctx, from)
	if err != nil {
		return err
	}
	made := event.WorktreeCreate{
		Worktree: event.Worktree(where.tree), Uncommitted: lacks.Uncommitted, Untracked: lacks.Untracked,
		Carried: started.Carry.Commit, IgnoredCopied: firstOf(kit.Copied),
	}
	payloads := append([]event.Payload{made}, leftOut(started.Carry.LeftOut, kit)...)
	return errors.Join(s.record(payloads...), s.noteAside(where, started.Aside))
}

// maxListed bounds the paths of one record.
const maxListed = 100

func firstOf(paths []string) []string { return paths[:min(len(paths), maxListed)] }

// equipTree gives the worktree what no commit holds, whenever it was made.
func (s *Session) equipTree(ctx context.Context, from event.Carry) (worktree.Equipment, error) {
	kit, err := s.repo.Equip(ctx, s.tree, worktree.EquipSpec{From: from.From, Ignored: from.Ignored, Submodules: true})
	if err != nil {
		return kit, fmt.Errorf("equip worktree %s: %w", s.tree.Path, err)
	}
	return kit, nil
}

// leftOut notes what the worktree was to get and does not have.
func leftOut(carry []string, kit worktree.Equipment) []event.Payload {
	why := append([]string{}, carry...)
	for _, l := range kit.LeftOut {
		why = append(why, fmt.Sprintf("%q: %s", l.Path, l.Why))
	}
	if kit.MoreLeftOut > 0 {
		why = append(why, fmt.Sprintf("and %d more ignored files", kit.MoreLeftOut))
	}
	for _, l := range kit.Empty {
		why = append(why, fmt.Sprintf("submodule %q: %s", l.Path, l.Why))
	}
	if kit.Hooks != "" {
		why = append(why, fmt.Sprintf("%q, the folder of the person's git hooks, which commits made here pass over", kit.Hooks))
	}
	if len(why) == 0 {
		return nil
	}
	return []event.Payload{event.Note{Code: "worktree_lacks", Text: "the worktree does not have: " + strings.Join(why, "; ")}}
}

// include copies the ignored files that the repository itself names, once for each worktree that was made, if the person trusts what it names: they may hold what an agent should not see.
func (t *Turn) include(ctx context.Context) error {
	s := t.s
	if s.repo == nil || s.included {
		return nil
	}
	from := s.State().Carry.From
	text, err := s.repo.IncludePatterns(ctx, from)
	if err != nil {
		return fmt.Errorf("read %s: %w", worktree.IncludeFile, err)
	}
	s.included = true
	if strings.TrimSpace(text) == "" {
		return nil
	}
	trusted, err := s.guard.ForCall(t.n, "").Trusted(ctx, worktree.IncludeFile, []byte(text))
	if err != nil || !trusted {
		return err
	}
	kit, err := s.equipTree(ctx, event.Carry{From: from, Ignored: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")})
	if err != nil {
		return err
	}
	payloads := leftOut(nil, kit)
	if len(kit.Copied) > 0 {
		payloads = append(payloads, event.Note{Code: "ignored_copied", Text: "copied into the worktree, as " + worktree.IncludeFile + " says: " + strings.Join(firstOf(kit.Copied), ", ")})
	}
	if len(payloads) == 0 {
		return nil
	}
	return s.record(payloads...)
}

// restoreTree makes a missing worktree again, and one that was planned but never made.
func (s *Session) restoreTree(ctx context.Context, where place, before view.State) (bool, error) {
	if where.repo == nil {
		return false, nil
	}
	if !before.WorktreeMade {
		return false, s.makeTree(ctx, where, true)
	}
	s.repo, s.tree = where.repo, where.tree
	if where.repo.Present(where.tree) {
		s.included = true
		return false, nil
	}
	aside, err := where.repo.Restore(ctx, where.tree, s.id, before.Tip())
	if err != nil {
		return false, errors.Join(err, s.noteAside(where, aside))
	}
	kit, err := s.equipTree(ctx, where.carry)
	if err != nil {
		return false, errors.Join(err, s.noteAside(where, aside))
	}
	made := event.WorktreeRestore{Worktree: event.Worktree(where.tree), IgnoredCopied: firstOf(kit.Copied)}
	payloads := append([]event.Payload{made}, leftOut(nil, kit)...)
	return true, errors.Join(s.record(payloads...), s.noteAside(where, aside))
}

// noteAside says where that went which stood in the worktree's place.
func (s *Session) noteAside(where place, aside string) error {
	if aside == "" {
		return nil
	}
	text := fmt.Sprintf("something at %s was not what the session left there; it was moved to %s, and nothing of it was used", where.tree.Path, aside)
	return s.record(event.Note{Code: "worktree_set_aside", Text: text})
}
