package worktree

import (
	"context"
	"fmt"
	"strings"
)

// listed is one entry of git's list of worktrees.
type listed struct {
	path   string
	branch string
	// main is set for the first entry, whose path git derives from the git folder and may get wrong.
	main bool
}

// holder returns the working tree that has a branch checked out; its path is empty when none has.
func (r *Repository) holder(ctx context.Context, branch string) (listed, error) {
	entries, err := r.list(ctx)
	if err != nil {
		return listed{}, err
	}
	for _, entry := range entries {
		if entry.branch == branch {
			return entry, nil
		}
	}
	return listed{}, nil
}

// list asks git for all working trees, the main one first.
func (r *Repository) list(ctx context.Context) ([]listed, error) {
	args, end := []string{"worktree", "list", "--porcelain"}, "\n"
	if !r.version.Before(forLists) {
		args, end = append(args, "-z"), "\x00"
	}
	out, err := r.ask(ctx, r.mainPlace(), args...)
	if err != nil {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	return parseWorktrees(out, end), nil
}

func parseWorktrees(out, end string) []listed {
	var entries []listed
	for field := range strings.SplitSeq(out, end) {
		if path, ok := strings.CutPrefix(field, "worktree "); ok {
			entries = append(entries, listed{path: path, main: len(entries) == 0})
		}
		if name, ok := strings.CutPrefix(field, "branch refs/heads/"); ok && len(entries) > 0 {
			entries[len(entries)-1].branch = name
		}
	}
	return entries
}

// placeOf returns where to run commands for a listed worktree, with its own git folder pinned.
func (r *Repository) placeOf(entry listed) (place, error) {
	if entry.main && !r.bare {
		return r.mainPlace(), nil
	}
	tree, err := r.find(entry.path)
	if err != nil {
		return place{}, refuse(TargetBusy, "branch %q is checked out at %q, which cannot be used; remove that worktree (git worktree prune) or check out another branch there", entry.branch, entry.path)
	}
	return tree.at, nil
}
