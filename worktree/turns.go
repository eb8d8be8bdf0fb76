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
		commit, err = r.personCommit(ctx, spec, last+"^{tree}", message, target, last)
		return commit, spec.Tip, err
	}
	last, err := r.chain(ctx, spec)
	if err != nil {
		return "", "", err
	}
	commit, err = r.personCommit(ctx, spec, merged, message, target, last)
	return commit, last, err
}

// steps returns the turns to commit, with the tip as the last one when no turn ended with its tree.
func (s LandSpec) steps() []TurnCommit {
	if s.chosen() {
		return []TurnCommit{{Commit: s.Tip, Subject: messageOf(s)}}
	}
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
		if parent, err = r.personCommit(ctx, spec, tree, subjectOf(step), parent); err != nil {
			return "", err
		}
		before = tree
	}
	return parent, nil
}

// replay commits what each turn changed on the one before, from the target on. The only commit of a rebase carries the message of the whole landing.
func (r *Repository) replay(ctx context.Context, spec LandSpec, target string) (string, error) {
	parent, before := target, spec.base
	steps := spec.steps()
	for _, step := range steps {
		tree, conflicts, err := r.merge3(ctx, before, parent, step.Commit)
		if err != nil {
			return "", err
		}
		if len(conflicts) > 0 {
			return "", &ConflictError{Conflicts: r.meetings(ctx, conflicts, before, parent, step.Commit), Turn: step}
		}
		before = step.Commit
		has, err := r.treeOf(ctx, parent)
		if err != nil {
			return "", err
		}
		if has == tree {
			continue
		}
		message := subjectOf(step)
		if len(steps) == 1 && spec.Strategy == Rebase {
			message = messageOf(spec)
		}
		if parent, err = r.personCommit(ctx, spec, tree, message, parent); err != nil {
			return "", err
		}
	}
	return parent, nil
}
