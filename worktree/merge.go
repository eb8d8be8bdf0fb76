package worktree

import (
	"context"
	"fmt"
	"strings"
)

// merge3 merges what theirs changed since base into ours; each is a commit or a tree. It returns the merged tree or the conflicts, and touches no ref and no working tree.
//
// The ancestor is ours to choose, not git's: after a squash the target has the session's changes but not its history, and git would find the old fork point and see every later edit of the same lines as a conflict. Git before 2.40 takes no ancestor, so three throw-away commits with the same trees stand in for the real ones.
func (r *Repository) merge3(ctx context.Context, base, ours, theirs string) (tree string, conflicts []Conflict, err error) {
	return r.merge3At(ctx, r.mainPlace(), base, ours, theirs)
}

// merge3At merges where a checkout's own attributes and settings hold.
func (r *Repository) merge3At(ctx context.Context, at place, base, ours, theirs string) (tree string, conflicts []Conflict, err error) {
	var trees [3]string
	for i, revision := range [...]string{base, ours, theirs} {
		if trees[i], err = r.treeOf(ctx, revision); err != nil {
			return "", nil, err
		}
	}
	switch trees[0] {
	case trees[1]:
		return trees[2], nil, nil
	case trees[2]:
		return trees[1], nil, nil
	}
	return r.mergeTrees(ctx, at, base, trees)
}

func (r *Repository) mergeTrees(ctx context.Context, at place, root string, trees [3]string) (tree string, conflicts []Conflict, err error) {
	if root == trees[0] { // a commit can be the ancestor itself
		root, err = r.standIn(ctx, root)
	}
	if err != nil {
		return "", nil, err
	}
	one, err := r.standIn(ctx, trees[1], root)
	if err != nil {
		return "", nil, err
	}
	two, err := r.standIn(ctx, trees[2], root)
	if err != nil {
		return "", nil, err
	}
	out, err := r.git.Run(ctx, at.dir, at.environment(), nil, "merge-tree", "--write-tree", "-z", "--messages", one, two)
	switch exitCode(err) {
	case 1:
		return parseConflicts(string(out))
	default:
		tree, _, _ = strings.Cut(string(out), "\x00")
		return tree, nil, err
	}
}

// standIn makes a commit that is the same whenever it is made for the same tree, so that repeating a preview adds no objects.
func (r *Repository) standIn(ctx context.Context, tree string, parents ...string) (string, error) {
	at := r.mainPlace().with(ours...).with("GIT_AUTHOR_DATE=1000000000 +0000", "GIT_COMMITTER_DATE=1000000000 +0000")
	return r.commitTree(ctx, at, tree, "stand-in", parents...)
}

// parseConflicts reads a failed merge-tree: the tree, the conflicted entries ("mode id stage<TAB>path"), an empty field, then messages (how many paths, the paths, the kind, the text).
func parseConflicts(out string) (tree string, conflicts []Conflict, err error) {
	in := &fields{out}
	tree = in.next()
	var paths []string
	for {
		entry := in.next()
		if entry == "" {
			break
		}
		_, path, ok := strings.Cut(entry, "\t")
		if !ok {
			return "", nil, fmt.Errorf("read merge: entry %q is not of the known form", entry)
		}
		if len(paths) == 0 || paths[len(paths)-1] != path {
			paths = append(paths, path)
		}
	}
	kinds, err := parseConflictKinds(in)
	if err != nil {
		return "", nil, err
	}
	for _, path := range paths {
		kind := kinds[path]
		if kind == "" {
			kind = "contents"
		}
		conflicts = append(conflicts, Conflict{Path: path, Kind: kind})
	}
	if len(conflicts) == 0 {
		return "", nil, fmt.Errorf("read merge: git reports a conflict and names no path")
	}
	return tree, conflicts, nil
}

func parseConflictKinds(in *fields) (map[string]string, error) {
	kinds := make(map[string]string)
	for in.rest != "" {
		var count int
		if _, err := fmt.Sscanf(in.next(), "%d", &count); err != nil || count < 0 || count > len(in.rest) {
			return nil, fmt.Errorf("read merge: a message does not say how many paths it has")
		}
		paths := make([]string, 0, count)
		for range count {
			paths = append(paths, in.next())
		}
		kind, isConflict := strings.CutPrefix(in.next(), "CONFLICT (")
		in.next() // the sentence for people, which is in git's words, not ours
		for _, path := range paths {
			if isConflict && kinds[path] == "" {
				kinds[path] = strings.TrimSuffix(kind, ")")
			}
		}
	}
	return kinds, nil
}
