package worktree

import (
	"context"
	"fmt"
)

// PersonEdits compares the session's files as they are now with its newest snapshot, or with where it counts from when there is none: between turns that is what somebody else than the session did. It also returns the tree that it looked at.
func (r *Repository) PersonEdits(ctx context.Context, id Identity, last string) (files []FileDiff, now string, err error) {
	if now, err = r.Tree(ctx, id); err != nil {
		return nil, "", err
	}
	files, err = r.Diff(ctx, last, now, "")
	return files, now, err
}

// Against compares a branch with what it would have if the session's work landed there now: what a person sees who reviews the session against the branch, without the branch's own newer commits. Tip is a snapshot or a tree. Of a file that both changed in the same places, the session's version is compared, and conflicts names it.
func (r *Repository) Against(ctx context.Context, id Identity, into, tip string, landings []Landing) (files []FileDiff, conflicts []Conflict, err error) {
	files, conflicts, err = r.against(ctx, id, into, tip, landings)
	if err != nil {
		return nil, nil, fmt.Errorf("compare with %q: %w", into, err)
	}
	return files, conflicts, nil
}

func (r *Repository) against(ctx context.Context, id Identity, into, tip string, landings []Landing) ([]FileDiff, []Conflict, error) {
	if into == "" {
		into = id.Base
	}
	target, err := r.syncTarget(ctx, id, into)
	if err != nil {
		return nil, nil, err
	}
	base, err := r.CountsFrom(ctx, id, landings)
	if err != nil {
		return nil, nil, err
	}
	merged, conflicts, err := r.merge3(ctx, base, target, tip)
	if err != nil {
		return nil, nil, err
	}
	if len(conflicts) > 0 {
		if merged, err = r.sideOf(ctx, merged, tip, conflicts); err != nil {
			return nil, nil, err
		}
		conflicts = r.meetings(ctx, conflicts, base, target, tip)
	}
	files, err := r.diff(ctx, target, merged, "")
	return files, conflicts, err
}
