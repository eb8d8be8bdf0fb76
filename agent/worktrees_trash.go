package agent

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nodwyn/nodwyn/worktree"
)

// trash adds what lies in the trash of the roots.
func (s *survey) trash(ctx context.Context) error {
	for _, root := range s.roots {
		trashed, err := worktree.ListTrash(root)
		if err != nil {
			return err
		}
		for _, t := range trashed {
			s.found = append(s.found, s.inTrash(ctx, t))
		}
	}
	return nil
}

// inTrash gives an end to what is a removed tree whose content a recovery ref holds. Anything else stood in a tree's place, and is perhaps the only copy of somebody's work.
func (s *survey) inTrash(ctx context.Context, t worktree.Trashed) Worktree {
	w := Worktree{Session: t.Session, Path: t.Path, State: WorktreeTrash, Since: t.Since, trash: t}
	if t.Common == "" {
		return w
	}
	w.Repository = mainOf(t.Common)
	repo, err := s.repository(ctx, w.Repository)
	if err != nil {
		return w
	}
	w.Repository = repo.Root()
	if kept, err := repo.Recoverable(ctx, t.Session); err == nil && kept {
		w.Until = t.Since.Add(trashAge)
	}
	return w
}

// markTrash says what of the trash goes: what is old, then, as long as everything together is over the quota, the oldest. What has no end never goes by itself.
func markTrash(list []Worktree, total, quota int64, now time.Time) {
	var trash []*Worktree
	for i := range list {
		if list[i].State == WorktreeTrash {
			list[i].Removable = false
			trash = append(trash, &list[i])
		}
	}
	slices.SortStableFunc(trash, func(a, b *Worktree) int { return a.Since.Compare(b.Since) })
	for _, t := range trash {
		if !t.Until.IsZero() && (!now.Before(t.Until) || total > quota) {
			t.Removable = true
			total -= t.Size
		}
	}
}

// SweepTrash lets go of old trash, and of trash over the quota. It looks at nothing that was not removed, takes its time, and does nothing where somebody did it lately.
func (a *Agent) SweepTrash(ctx context.Context) error {
	root, err := worktree.RealRoot(a.cfg.WorktreeRoot)
	if err != nil {
		return fmt.Errorf("sweep the trash: %w", err)
	}
	trashed, err := worktree.ListTrash(root)
	if err != nil || len(trashed) == 0 || !worktree.SweepDue(root, a.cfg.Now()) {
		return err
	}
	var list []Worktree
	s := a.survey("")
	for _, t := range trashed {
		list = append(list, s.inTrash(ctx, t))
	}
	markTrash(list, 0, a.quota(), a.cfg.Now())
	if err := dropMarked(ctx, list); err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(t Worktree) bool { return t.Removable })
	if len(list) == 0 {
		return nil
	}
	total, err := worktree.Size(ctx, root)
	for i := 0; err == nil && i < len(list); i++ {
		list[i].Size, err = worktree.Size(ctx, list[i].Path)
	}
	if err != nil {
		return err
	}
	markTrash(list, total, a.quota(), a.cfg.Now())
	return dropMarked(ctx, list)
}

func dropMarked(ctx context.Context, list []Worktree) error {
	var failed []error
	for _, t := range list {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t.Removable {
			failed = append(failed, t.trash.Drop(ctx))
		}
	}
	return errors.Join(failed...)
}
