package worktree

import (
	"context"
	"fmt"
)

// CountsFrom returns the commit from which the session's next diff and landing count: the Base of its last landing, or an earlier one when what landed is no longer where it went, because the branch was set back or the landing was reverted.
func (r *Repository) CountsFrom(ctx context.Context, id Identity, landings []Landing) (string, error) {
	base, _, err := r.countsFrom(ctx, id, landings)
	return base, err
}

// countsFrom also says whether a landing was undone. Landings after an undone one count as undone with it: their work may rest on it, and what is there already adds nothing when it lands again.
func (r *Repository) countsFrom(ctx context.Context, id Identity, landings []Landing) (base string, undone bool, err error) {
	base = id.BaseCommit
	for i, l := range landings {
		if l.movesBase() {
			base = l.Base
			continue
		}
		stands, err := r.stands(ctx, id, base, l)
		if err == nil && !stands && i < len(landings)-1 {
			stands, err = r.superseded(ctx, l, landings[len(landings)-1].Base)
		}
		if err != nil {
			return "", false, fmt.Errorf("see whether landing %s is still on branch %q: %w", l.Commit, l.Into, err)
		}
		if !stands {
			return base, true, nil
		}
		base = l.Base
	}
	return base, false, nil
}

// superseded reports whether the session itself took back the work of a landing until a later one: then nobody can expect it on the branch.
func (r *Repository) superseded(ctx context.Context, l Landing, later string) (bool, error) {
	for _, revision := range [...]string{l.Commit + "^1", later} {
		if known, err := r.resolve(ctx, r.mainPlace(), revision+"^{tree}"); err != nil || known == "" {
			return false, err
		}
	}
	still, err := r.still(ctx, l, later)
	return !still, err
}

// stands reports whether the work of a landing is still there: as a commit that was not reverted, or as content, which survives an amend, a rebase, and a merge into the base branch.
func (r *Repository) stands(ctx context.Context, id Identity, before string, l Landing) (bool, error) {
	if l.Strategy == Patch {
		return r.patchStands(ctx, l)
	}
	if l.Previous == "" { // the landing made its branch
		l.Previous = l.Commit + "^1"
	}
	target, err := r.branchCommit(ctx, l.Into)
	if err != nil {
		return false, err
	}
	if there, err := r.arrived(ctx, l.Previous, l.Commit, target); err != nil || there {
		return there, err
	}
	known, err := r.resolve(ctx, r.mainPlace(), l.Base+"^{tree}")
	if err != nil || known == "" {
		return false, err
	}
	for _, branch := range [...]string{l.Into, id.Base} {
		left, err := r.missing(ctx, branch, before, l.Base)
		if err != nil || len(left) == 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// arrived reports whether a branch at target has a commit in its history and still has something of what it changed since from. Later edits of the same places are no matter of the session's; a commit that was taken back as a whole has not arrived.
func (r *Repository) arrived(ctx context.Context, from, commit, target string) (bool, error) {
	there, err := r.ancestor(ctx, commit, target)
	if err != nil || !there || r.version.Before(forLanding) {
		return there, err
	}
	has, err := r.treeOf(ctx, target)
	if err != nil {
		return false, err
	}
	without, conflicts, err := r.merge3(ctx, commit, target, from)
	return len(conflicts) > 0 || without != has, err
}
