package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Create makes the planned worktree and its branch. When it fails, neither is left behind.
func (r *Repository) Create(ctx context.Context, id Identity, session string) error {
	if err := r.build(ctx, id, session); err != nil {
		return fmt.Errorf("create worktree %q: %w", id.Path, err)
	}
	return nil
}

func (r *Repository) build(ctx context.Context, id Identity, session string) error {
	if _, err := os.Lstat(id.Path); err == nil {
		return refuse(PathTaken, "%q exists already; a path is never used twice", id.Path)
	}
	if err := r.add(ctx, id, session, id.BaseCommit); err != nil {
		return err
	}
	tree, err := r.find(id.Path)
	if err == nil {
		err = r.populate(ctx, tree, "HEAD")
	}
	if err != nil {
		r.unmake(ctx, id)
	}
	return err
}

// add registers the worktree without its files. The branch is made first and on its own, by a write that only succeeds when it is new: whoever undoes a failure then knows that the branch is ours.
func (r *Repository) add(ctx context.Context, id Identity, session, start string) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := os.MkdirAll(filepath.Dir(id.Path), 0o700); err != nil {
		return err
	}
	if err := r.setRef(ctx, "refs/heads/"+id.Branch, start, ""); err != nil {
		return err
	}
	if err := r.register(ctx, id, session); err != nil {
		r.unmakeLocked(ctx, id, start)
		return err
	}
	return nil
}

// register adds the administrative folder and the .git file. The lock keeps a prune by anybody from dropping it while its disk is away.
func (r *Repository) register(ctx context.Context, id Identity, session string) error {
	_, err := r.change(ctx, r.mainPlace(), nil, "worktree", "add", "--no-checkout", "--lock", "--reason", "nodwyn session "+session, "--", id.Path, id.Branch)
	return err
}

// populate writes the files of a revision into a tree that has none, and the index last.
func (r *Repository) populate(ctx context.Context, tree checkout, revision string) error {
	_, err := r.change(ctx, tree.at, nil, "read-tree", "-m", "-u", revision)
	return filterRefusal(err)
}

func (r *Repository) unmake(ctx context.Context, id Identity) {
	ctx, cancel := finishing(ctx)
	defer cancel()
	release, err := r.lock(ctx)
	if err != nil {
		return
	}
	defer release()
	r.unmakeLocked(ctx, id, id.BaseCommit)
}

// unmakeLocked takes a half-made worktree back. Its own errors are dropped: the failure that led here is the one to report, and what could not be taken back is refused by name at the next attempt.
func (r *Repository) unmakeLocked(ctx context.Context, id Identity, start string) {
	ctx, cancel := finishing(ctx)
	defer cancel()
	_ = os.RemoveAll(id.Path)
	_ = r.unregister(ctx, id.Path)
	_ = r.deleteRef(ctx, "refs/heads/"+id.Branch, start)
}

// unregister drops the administrative folder of a worktree whose own folder is gone. Unlike a prune it touches no other worktree.
func (r *Repository) unregister(ctx context.Context, path string) error {
	admin, err := r.adminOf(path)
	if err != nil || admin == "" {
		return err
	}
	_, err = r.change(ctx, r.mainPlace(), nil, "worktree", "remove", "--force", "--force", "--", path)
	return err
}

// setRef moves a ref from one known commit to another, or fails; an empty old commit means that the ref must not exist yet.
func (r *Repository) setRef(ctx context.Context, name, commit, old string) error {
	if old == "" {
		old = strings.Repeat("0", len(commit))
	}
	_, err := r.change(ctx, r.mainPlace(), nil, "update-ref", "-m", "nodwyn", name, commit, old)
	return err
}

func (r *Repository) deleteRef(ctx context.Context, name, old string) error {
	_, err := r.change(ctx, r.mainPlace(), nil, "update-ref", "-d", name, old)
	return err
}
