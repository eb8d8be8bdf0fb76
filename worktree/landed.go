package worktree

import (
	"context"
	"fmt"
	"slices"
)

// Landed reports whether everything up to tip (a commit or tree) has arrived in the session's base branch. Content decides, not history: it is true after a squash, a cherry-pick or a merge by hand too, and false after the landings were undone.
func (r *Repository) Landed(ctx context.Context, id Identity, tip string, landings []Landing) (bool, error) {
	base, err := r.CountsFrom(ctx, id, landings)
	if err != nil {
		return false, err
	}
	left, err := r.missing(ctx, id.Base, base, tip)
	if err != nil {
		return false, fmt.Errorf("compare with branch %q: %w", id.Base, err)
	}
	return len(left) == 0, nil
}

// Unlanded lists the paths of work that a removal would take from the person: in the session's tree as it is now, on its branch, and in what no snapshot holds (repositories of their own, changes inside submodules, files that could not be read, copied ignored files that changed since). When the tree is gone, tip (the newest checkpoint; empty for none) stands for it.
func (r *Repository) Unlanded(ctx context.Context, id Identity, tip string, landings []Landing) ([]string, error) {
	paths, err := r.unlanded(ctx, id, tip, landings)
	if err != nil {
		return nil, fmt.Errorf("list unlanded work of branch %q: %w", id.Branch, err)
	}
	return paths, nil
}

func (r *Repository) unlanded(ctx context.Context, id Identity, tip string, landings []Landing) ([]string, error) {
	base, err := r.CountsFrom(ctx, id, landings)
	if err != nil {
		return nil, err
	}
	if tip == "" {
		tip = base
	}
	w, err := r.work(ctx, id, tip)
	if err != nil {
		return nil, err
	}
	paths, err := r.missing(ctx, id.Base, base, w.content)
	if err != nil {
		return nil, err
	}
	onBranch, err := r.unlandedBranch(ctx, id, base, w.head)
	paths = slices.Concat(paths, onBranch, w.outside)
	slices.Sort(paths)
	return slices.Compact(paths), err
}

// work is what a session has done.
type work struct {
	// content is the tree or commit that holds it.
	content string
	// head is a commit in whose history the session's own commits are.
	head string
	// outside are the paths that content does not hold.
	outside []string
}

// work returns what counts as the session's. A tree whose checkout never ended holds no work.
func (r *Repository) work(ctx context.Context, id Identity, tip string) (work, error) {
	tree, err := r.find(id.Path)
	if refusedFor(err, WorktreeMissing) || err == nil && !tree.complete() {
		return work{content: tip, head: tip}, nil
	}
	if err != nil {
		return work{}, err
	}
	snap, err := r.snapshot(ctx, tree)
	if err != nil {
		return work{}, err
	}
	nested, err := r.nested(ctx, tree, id.BaseCommit, snap.tree)
	if err != nil {
		return work{}, err
	}
	inside, err := r.changedSubmodules(ctx, tree.at)
	if err != nil {
		return work{}, err
	}
	copied, err := changedCopies(tree)
	if err != nil {
		return work{}, err
	}
	_, head, err := r.head(ctx, tree.at)
	return work{content: snap.tree, head: head, outside: slices.Concat(snap.missed, nested, inside, copied)}, err
}

// unlandedBranch lists work on the session's branch that its tree does not stand on: commits that were left behind by a detached HEAD or another branch.
func (r *Repository) unlandedBranch(ctx context.Context, id Identity, base, head string) ([]string, error) {
	branch, err := r.branchCommit(ctx, id.Branch)
	if err != nil || branch == "" {
		return nil, err
	}
	for _, covering := range [...]string{head, base, id.BaseCommit} {
		covered, err := r.ancestor(ctx, branch, covering)
		if err != nil || covered {
			return nil, err
		}
	}
	return r.missing(ctx, id.Base, id.BaseCommit, branch)
}

// missing lists the paths of base..tip that have not arrived in the branch into.
func (r *Repository) missing(ctx context.Context, into, base, tip string) ([]string, error) {
	from, err := r.treeOf(ctx, base)
	if err != nil {
		return nil, err
	}
	to, err := r.treeOf(ctx, tip)
	if err != nil || from == to {
		return nil, err
	}
	target := ""
	if into != "" {
		target, err = r.branchCommit(ctx, into)
	}
	if err != nil {
		return nil, err
	}
	commit, err := r.resolve(ctx, r.mainPlace(), tip+"^{commit}")
	if err != nil {
		return nil, err
	}
	if commit != "" {
		if arrived, err := r.arrived(ctx, from, commit, target); err != nil || arrived {
			return nil, err
		}
	}
	if target == "" || r.version.Before(forLanding) {
		return r.names(ctx, from, to)
	}
	merged, conflicts, err := r.merge3(ctx, from, target, to)
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		return r.names(ctx, from, to)
	}
	return r.names(ctx, target, merged)
}

func (r *Repository) names(ctx context.Context, from, to string) ([]string, error) {
	changes, err := r.changes(ctx, from, to, nil)
	return pathsOf(changes), err
}
