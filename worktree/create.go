package worktree

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
)

// Create makes the planned worktree and its branch from the base commit alone. When it fails, neither is left behind.
func (r *Repository) Create(ctx context.Context, id Identity, session string) error {
	_, err := r.Start(ctx, id, StartSpec{Session: session})
	return err
}

func (r *Repository) countCarried(ctx context.Context, id Identity, c *Carry) error {
	changes, err := r.changes(ctx, id.BaseCommit, c.Commit, nil)
	c.Files = len(changes)
	return err
}

// dropCarried takes the ref of a start that failed back.
func (r *Repository) dropCarried(ctx context.Context, session, commit string) {
	if commit == "" {
		return
	}
	ctx, cancel := finishing(ctx)
	defer cancel()
	if release, err := r.lock(ctx); err == nil {
		defer release()
		_ = r.deleteRef(ctx, carriedRef(session), commit)
	}
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

// register adds the administrative folder and the .git file, and marks the tree as unfinished. The lock keeps a prune by anybody from dropping it while its disk is away.
func (r *Repository) register(ctx context.Context, id Identity, session string) error {
	_, err := r.change(ctx, r.mainPlace(), nil, "worktree", "add", "--no-checkout", "--lock", "--reason", "nodwyn session "+session, "--", id.Path, id.Branch)
	if err != nil {
		return err
	}
	tree, err := r.find(id.Path)
	if err != nil {
		return err
	}
	return tree.mark()
}

// fill writes the files of a snapshot into a tree that has none, or of its HEAD when there is no snapshot, stages what was staged then, and lets the tree be used.
func (r *Repository) fill(ctx context.Context, tree checkout, snapshot string) error {
	err := r.populate(ctx, tree, cmp.Or(snapshot, "HEAD"))
	if err == nil && snapshot != "" {
		err = r.restoreIndex(ctx, tree, snapshot)
	}
	if err != nil {
		return err
	}
	return tree.unmark()
}

// populate writes the files of a revision into a tree, and the index last: all of them where there is no index yet, else those in which the index differs.
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
	_, err := r.change(ctx, r.mainPlace(), nil, "update-ref", "--no-deref", "-m", "nodwyn", name, commit, old)
	return err
}

func (r *Repository) deleteRef(ctx context.Context, name, old string) error {
	_, err := r.change(ctx, r.mainPlace(), nil, "update-ref", "--no-deref", "-d", name, old)
	return err
}
