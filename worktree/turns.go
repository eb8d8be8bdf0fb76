package worktree

import "context"

// mergeCommit makes the clean commits of the turns and the merge commit over them. It returns the merge commit and where the session counts from afterwards.
//
// The commits stand on the base when the target has it in its history, which is the usual case; then each has exactly its turn's tree. After a squash the target has no commit with the base's tree; then the turns are replayed on the target, one merge each.
func (r *Repository) mergeCommit(ctx context.Context, spec LandSpec, target, merged, message string) (commit, base string, err error) {
	shared, err := r.ancestor(ctx, spec.base, target)
	if err != nil {
		return "", "", err
	}
	if !shared {
		last, err := r.replay(ctx, spec, target)
		if err != nil {
			return "", "", err
		}
		commit, err = r.commitTree(ctx, r.mainPlace(), last+"^{tree}", message, target, last)
		return commit, spec.Tip, err
	}
	last, err := r.chain(ctx, spec)
	if err != nil {
		return "", "", err
	}
	commit, err = r.commitTree(ctx, r.mainPlace(), merged, message, target, last)
	return commit, last, err
}

// steps returns the turns to commit, with the tip as the last one when no turn ended with its tree.
func (s LandSpec) steps() []TurnCommit {
	if n := len(s.Turns); n > 0 && s.Turns[n-1].Commit == s.Tip {
		return s.Turns
	}
	steps := append([]TurnCommit(nil), s.Turns...)
	return append(steps, TurnCommit{Commit: s.Tip, Subject: messageOf(s)})
}

// chain commits each turn's tree on the one before, from the base on.
func (r *Repository) chain(ctx context.Context, spec LandSpec) (string, error) {
	parent := spec.base
	before, err := r.treeOf(ctx, parent)
	if err != nil {
		return "", err
	}
	for _, step := range spec.steps() {
		tree, err := r.treeOf(ctx, step.Commit)
		if err != nil {
			return "", err
		}
		if tree == before {
			continue
		}
		if parent, err = r.commitTree(ctx, r.mainPlace(), tree, subjectOf(step), parent); err != nil {
			return "", err
		}
		before = tree
	}
	return parent, nil
}

// replay commits what each turn changed on the one before, from the target on.
func (r *Repository) replay(ctx context.Context, spec LandSpec, target string) (string, error) {
	parent, before := target, spec.base
	for _, step := range spec.steps() {
		tree, conflicts, err := r.merge3(ctx, before, parent, step.Commit)
		if err != nil {
			return "", err
		}
		if len(conflicts) > 0 {
			return "", &ConflictError{Conflicts: conflicts}
		}
		before = step.Commit
		has, err := r.treeOf(ctx, parent)
		if err != nil {
			return "", err
		}
		if has == tree {
			continue
		}
		if parent, err = r.commitTree(ctx, r.mainPlace(), tree, subjectOf(step), parent); err != nil {
			return "", err
		}
	}
	return parent, nil
}
