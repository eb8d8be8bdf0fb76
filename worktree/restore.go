package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Restore brings the session's tree back: it makes a missing one again from the newest checkpoint (empty: from its branch), repairs the link of one whose repository moved, and finishes one that was never checked out completely. A tree that is there is never rebuilt. Status comes back as it was at the checkpoint, staged changes included.
func (r *Repository) Restore(ctx context.Context, id Identity, session, checkpoint string) error {
	_, err := r.checked(id.Path)
	switch {
	case err == nil:
		return nil
	case refusedFor(err, WorktreeBroken):
		return r.repair(ctx, id)
	case refusedFor(err, WorktreeUnfinished):
		err = trash(id.Path)
	case refusedFor(err, WorktreeMissing):
		err = nil
	}
	if err == nil {
		err = r.makeAgain(ctx, id, session, checkpoint)
	}
	if err != nil {
		return fmt.Errorf("restore worktree %q: %w", id.Path, err)
	}
	return nil
}

// repair rewrites the tree's .git file from the repository's side. It names no path to git: for a named one git would also believe the tree's side, and a swapped .git file could take over the registration of another worktree.
func (r *Repository) repair(ctx context.Context, id Identity) error {
	if _, err := r.find(id.Path); err != nil {
		return err
	}
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if _, err := r.change(ctx, r.mainPlace(), nil, "worktree", "repair"); err != nil {
		return fmt.Errorf("repair worktree %q: %w", id.Path, err)
	}
	_, err = r.checked(id.Path)
	return err
}

func (r *Repository) makeAgain(ctx context.Context, id Identity, session, checkpoint string) error {
	if err := r.addAgain(ctx, id, session, checkpoint); err != nil {
		return err
	}
	tree, err := r.find(id.Path)
	if err != nil {
		return err
	}
	if checkpoint == "" {
		return r.populate(ctx, tree, "HEAD")
	}
	if err := r.populate(ctx, tree, checkpoint); err != nil {
		return err
	}
	return r.restoreIndex(ctx, tree, checkpoint)
}

// addAgain registers the tree on its branch; a branch that is gone is made again where the checkpoint branched off.
func (r *Repository) addAgain(ctx context.Context, id Identity, session, checkpoint string) error {
	branch, err := r.branchCommit(ctx, id.Branch)
	if err != nil {
		return err
	}
	if holder, err := r.holder(ctx, id.Branch); err != nil || holder.path != "" && holder.path != id.Path {
		if err != nil {
			return err
		}
		return refuse(BranchTaken, "branch %q is checked out at %q; check out another branch there first", id.Branch, holder.path)
	}
	if err := r.forget(ctx, id.Path); err != nil {
		return err
	}
	if branch == "" {
		return r.add(ctx, id, session, r.startOf(ctx, id, checkpoint))
	}
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	if err := os.MkdirAll(filepath.Dir(id.Path), 0o700); err != nil {
		return err
	}
	return r.register(ctx, id, session)
}

func (r *Repository) forget(ctx context.Context, path string) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	return r.unregister(ctx, path)
}

func (r *Repository) startOf(ctx context.Context, id Identity, checkpoint string) string {
	if checkpoint == "" {
		return id.BaseCommit
	}
	parent, err := r.resolve(ctx, r.mainPlace(), checkpoint+"^1")
	if err != nil || parent == "" {
		return id.BaseCommit
	}
	return parent
}

// restoreIndex stages what was staged at the checkpoint: its second parent when it has one, else nothing beyond HEAD.
func (r *Repository) restoreIndex(ctx context.Context, tree checkout, checkpoint string) error {
	staged, err := r.resolve(ctx, r.mainPlace(), checkpoint+"^2")
	if err != nil {
		return err
	}
	_, head, err := r.head(ctx, tree.at)
	if err != nil {
		return err
	}
	if staged == "" || head == checkpoint {
		staged = head
	}
	if _, err := r.change(ctx, tree.at, nil, "read-tree", "-m", staged); err != nil {
		return err
	}
	// Exit code 1 says that files differ from the index, which is what a session's work is.
	if _, err := r.change(ctx, tree.at, nil, "update-index", "-q", "--refresh"); err != nil && exitCode(err) != 1 {
		return err
	}
	return nil
}

// trash renames a tree into the trash folder of its root, which is one step and keeps every file, ignored ones too.
func trash(path string) error {
	bin := filepath.Join(filepath.Dir(filepath.Dir(path)), ".trash")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return err
	}
	name := filepath.Base(path) + "-" + time.Now().UTC().Format("20060102T150405.000000000")
	return os.Rename(path, filepath.Join(bin, name))
}
