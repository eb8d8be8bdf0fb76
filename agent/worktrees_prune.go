package agent

import (
	"context"
	"errors"
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/worktree"
)

// PruneSpec says what to remove.
type PruneSpec struct {
	// Repo keeps to one repository; empty is all.
	Repo string
	// Preview removes nothing and says what would be.
	Preview bool
	// Client names the program.
	Client *event.Client
	// Told hears of each worktree that was removed, or why it could not be. A nil error with a worktree that is not Removable says that it is kept after all: somebody opened it or worked in it meanwhile.
	Told func(t Worktree, err error)
}

// Prune removes the worktrees of closed sessions whose work has landed, judged by content at that moment, and lets go of the trash: of what is older than seven days, then, over the quota, of the oldest. Nothing else is touched. It returns what is there then.
func (a *Agent) Prune(ctx context.Context, spec PruneSpec) (Worktrees, error) {
	before, err := a.Worktrees(ctx, spec.Repo)
	if err != nil {
		return before, err
	}
	for i, t := range before.Worktrees {
		if t.State == WorktreeTrash || !t.Removable {
			continue
		}
		if ctx.Err() != nil {
			return before, context.Cause(ctx)
		}
		if !spec.Preview {
			t, err = a.pruneOne(ctx, t, spec.Client)
		}
		spec.Told(t, err)
		before.Worktrees[i] = t
	}
	if spec.Preview {
		return a.previewTrash(before, spec), nil
	}
	return a.pruneTrash(ctx, spec)
}

// pruneOne removes the worktree of one session. The session is opened for it, which takes its log's lock and so keeps everybody else away, and closing it judges the work again and removes what may go.
func (a *Agent) pruneOne(ctx context.Context, t Worktree, client *event.Client) (Worktree, error) {
	if t.State == WorktreeOrphan {
		return a.pruneOrphan(ctx, t)
	}
	s, _, err := a.Resume(ctx, t.Session, ResumeSpec{Client: client})
	if errors.Is(err, ErrOpen) {
		t.State, t.Removable, t.Elsewhere = WorktreeOpen, false, true
		return t, nil
	}
	if err != nil {
		return t, err
	}
	closed, err := s.Close(ctx, false)
	if err == nil && !closed.WorktreeRemoved {
		t.State, t.Unlanded, t.Removable = WorktreeUnlanded, closed.Unlanded, false
	}
	return t, err
}

func (a *Agent) pruneOrphan(ctx context.Context, t Worktree) (Worktree, error) {
	if a.exists(t.Session) == nil {
		t.Removable = false
		return t, nil
	}
	repo, err := a.repository(ctx, t.Repository)
	if err != nil {
		return t, err
	}
	o, err := repo.Orphan(ctx, t.Path)
	if err != nil {
		return t, err
	}
	removed, unlanded, err := repo.Remove(ctx, o.Identity, worktree.RemoveSpec{Session: t.Session, Tip: o.Tip})
	t.Unlanded, t.Removable = unlanded, removed
	return t, err
}

// previewTrash counts what would be removed as the newest in the trash.
func (a *Agent) previewTrash(list Worktrees, spec PruneSpec) Worktrees {
	now := a.cfg.Now()
	trash := slices.Clone(list.Worktrees)
	for i, t := range trash {
		if t.State != WorktreeTrash && t.Removable {
			trash[i].State, trash[i].Since, trash[i].Until = WorktreeTrash, now, now.Add(trashAge)
		}
	}
	markTrash(trash, list.Total, list.Quota, now)
	for i, t := range trash {
		if t.State == WorktreeTrash && t.Removable && list.Worktrees[i].State == WorktreeTrash {
			spec.Told(t, nil)
		}
		if t.State == WorktreeTrash && t.Removable {
			list.Total -= t.Size
		}
	}
	return list
}

// pruneTrash looks again, since what was removed lies in the trash now.
func (a *Agent) pruneTrash(ctx context.Context, spec PruneSpec) (Worktrees, error) {
	list, err := a.Worktrees(ctx, spec.Repo)
	if err != nil {
		return list, err
	}
	for _, t := range list.Worktrees {
		if t.State != WorktreeTrash || !t.Removable {
			continue
		}
		err := t.trash.Drop(ctx)
		if err == nil {
			list.Total -= t.Size
		}
		spec.Told(t, err)
	}
	return list, a.sweepLeftOvers(ctx, list, spec)
}

// sweepLeftOvers deletes what processes that died left in the git folders of the repositories, and gives back the ports of worktrees that are gone.
func (a *Agent) sweepLeftOvers(ctx context.Context, list Worktrees, spec PruneSpec) error {
	var failed []error
	seen := make(map[string]bool)
	for _, t := range list.Worktrees {
		if t.Repository == "" || seen[t.Repository] {
			continue
		}
		seen[t.Repository] = true
		repo, err := a.repository(ctx, t.Repository)
		if err != nil {
			continue // that it cannot be opened is said of its worktrees
		}
		left, err := repo.LeftOvers(a.cfg.Now())
		failed = append(failed, err)
		for _, path := range left {
			failed = append(failed, worktree.DropLeftOver(path))
		}
	}
	return errors.Join(append(failed, a.ports().Sweep(ctx))...)
}
