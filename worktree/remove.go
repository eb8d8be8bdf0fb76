package worktree

import (
	"context"
	"fmt"
)

// Settle moves the session's branch to its newest snapshot, for a session that closes with unlanded work: hidden refs alone are no place for it. The index follows, so that the work does not show twice. An empty commit says that there is no snapshot, and changes nothing. Commits of the branch that the snapshot does not stand on stay in its history.
func (r *Repository) Settle(ctx context.Context, id Identity, commit string) error {
	if commit == "" {
		return nil
	}
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := r.settle(ctx, id, commit); err != nil {
		return fmt.Errorf("settle branch %q: %w", id.Branch, err)
	}
	return nil
}

func (r *Repository) settle(ctx context.Context, id Identity, commit string) error {
	branch, err := r.branchCommit(ctx, id.Branch)
	if err != nil {
		return err
	}
	if commit, err = r.joined(ctx, commit, branch); err != nil {
		return err
	}
	if err := r.setRef(ctx, "refs/heads/"+id.Branch, commit, branch); err != nil {
		return err
	}
	tree, err := r.checked(id.Path)
	if refusedFor(err, WorktreeMissing) {
		return nil
	}
	if err != nil {
		return err
	}
	on, _, err := r.head(ctx, tree.at)
	// A session that checked out something else keeps what it staged there.
	if err != nil || on != id.Branch {
		return err
	}
	_, err = r.change(ctx, tree.at, nil, "reset", "-q")
	return err
}

// joined returns commit when it has other in its history, else a commit with its tree that has both.
func (r *Repository) joined(ctx context.Context, commit, other string) (string, error) {
	has, err := r.ancestor(ctx, other, commit)
	if err != nil || has || other == "" {
		return commit, err
	}
	tree, err := r.treeOf(ctx, commit)
	if err != nil {
		return "", err
	}
	return r.commitTree(ctx, r.mainPlace().with(ours...), tree, "keep both", commit, other)
}

// RemoveSpec says what Remove may take away.
type RemoveSpec struct {
	// Session is the session's id, which names the recovery ref.
	Session string
	// Landings are the session's landings so far, as in LandSpec.
	Landings []Landing
	// Tip is the newest checkpoint; empty when there is none.
	Tip string
	// Discard removes unlanded work too; a person said so.
	Discard bool
}

// Remove takes the worktree and its branch away when nothing in them is unlanded, or on discard; otherwise it changes nothing and names the unlanded paths. Checkpoint refs stay, what the tree held last stays under refs/nodwyn/<session>/recovery, and the folder is renamed into the trash of its root. It may be repeated after it was cut off.
func (r *Repository) Remove(ctx context.Context, id Identity, spec RemoveSpec) (removed bool, unlanded []string, err error) {
	release, err := r.lock(ctx)
	if err != nil {
		return false, nil, err
	}
	defer release()
	if !spec.Discard {
		unlanded, err = r.unlanded(ctx, id, spec.Tip, spec.Landings)
	}
	if err == nil && len(unlanded) == 0 {
		removed, err = true, r.remove(ctx, id, spec.Session)
	}
	if err != nil {
		return false, nil, fmt.Errorf("remove worktree %q: %w", id.Path, err)
	}
	return removed, unlanded, nil
}

func (r *Repository) remove(ctx context.Context, id Identity, session string) error {
	branch, err := r.branchCommit(ctx, id.Branch)
	if err != nil {
		return err
	}
	if err := r.recoverable(ctx, id, session, branch); err != nil {
		return err
	}
	if _, err := setAside(id.Path, id.Path); err != nil {
		return err
	}
	if err := r.unregister(ctx, id.Path); err != nil {
		return err
	}
	holder, err := r.holder(ctx, id.Branch)
	// A branch that a person checked out somewhere is theirs now.
	if err != nil || branch == "" || holder.path != "" {
		return err
	}
	return r.deleteRef(ctx, "refs/heads/"+id.Branch, branch)
}

// recoverable keeps the tree's content and the branch's commits under a ref of their own. A tree that is gone left nothing to keep but its branch.
func (r *Repository) recoverable(ctx context.Context, id Identity, session, branch string) error {
	tree, err := r.find(id.Path)
	commit := branch
	switch {
	case refusedFor(err, WorktreeMissing) || err == nil && !tree.complete():
	case err != nil:
		return err
	default:
		if commit, err = r.recovery(ctx, tree, id); err != nil {
			return err
		}
		if commit, err = r.joined(ctx, commit, branch); err != nil {
			return err
		}
	}
	if commit == "" {
		return nil
	}
	return r.keepLocked(ctx, recoveryRef(session), commit)
}

func recoveryRef(session string) string { return "refs/nodwyn/" + session + "/recovery" }

// Recoverable reports whether a recovery ref holds what a removal of the session's tree took away.
func (r *Repository) Recoverable(ctx context.Context, session string) (bool, error) {
	commit, err := r.refCommit(ctx, recoveryRef(session))
	return commit != "", err
}

func (r *Repository) recovery(ctx context.Context, tree checkout, id Identity) (string, error) {
	snap, err := r.snapshot(ctx, tree)
	if err != nil {
		return "", err
	}
	return r.commitSnapshot(ctx, tree, id, snap, "before removal")
}
