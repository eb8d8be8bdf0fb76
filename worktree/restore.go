package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Restore brings the session's tree back: it makes a missing one again from the newest checkpoint (empty: from what the session began with), mends the link of one whose repository moved or whose .git was replaced, and makes one that was never checked out completely again. A tree that is there is never rebuilt. Status comes back as it was at the checkpoint, staged changes included.
//
// Whatever else stands at the path is not taken for the tree, however it came there: it is set aside in the trash, and aside says where it is. Aside is empty when nothing had to move.
func (r *Repository) Restore(ctx context.Context, id Identity, session, checkpoint string) (aside string, err error) {
	aside, err = r.restore(ctx, id, session, checkpoint)
	if err != nil {
		return aside, fmt.Errorf("restore worktree %q: %w", id.Path, err)
	}
	return aside, nil
}

func (r *Repository) restore(ctx context.Context, id Identity, session, checkpoint string) (aside string, err error) {
	again, err := r.reopen(ctx, id, session, checkpoint)
	if err != nil || again.whole {
		return again.aside, err
	}
	tree, err := r.find(id.Path)
	if err != nil {
		return again.aside, err
	}
	return again.aside, r.fill(ctx, tree, again.content)
}

// reopened is a tree that is registered again.
type reopened struct {
	// aside is where that went which stood at its path.
	aside string
	// whole is set when the files are there; else those of content are to be written.
	whole bool
	// content is a snapshot; empty means the tree's HEAD.
	content string
}

// reopen does all of a restore but write the files.
func (r *Repository) reopen(ctx context.Context, id Identity, session, checkpoint string) (again reopened, err error) {
	_, err = r.checked(id.Path)
	if err == nil {
		return reopened{whole: true}, nil
	}
	unfinished := refusedFor(err, WorktreeUnfinished)
	if refusedFor(err, WorktreeBroken) {
		tree, held, err := r.holds(ctx, id, checkpoint)
		if err != nil {
			return again, err
		}
		if held {
			again.whole = true
			again.aside, err = r.relink(ctx, tree)
			return again, err
		}
	} else if !refusedFor(err, WorktreeUnfinished) && !refusedFor(err, WorktreeMissing) {
		return again, err
	}
	if err := r.outlive(ctx, id.Path); err != nil {
		return again, err
	}
	if checkpoint == "" { // a session that did nothing yet has what it began with
		if checkpoint, err = r.refCommit(ctx, carriedRef(session)); err != nil {
			return again, err
		}
	}
	again.content = checkpoint
	if err := r.restorable(ctx, id, checkpoint); err != nil {
		return again, err
	}
	if again.aside, err = setTreeAside(id.Path); err != nil {
		return again, err
	}
	if unfinished { // with the lock on its index that a git which was killed in it left
		if err := r.unregister(ctx, id.Path); err != nil {
			return again, err
		}
	}
	return again, r.addAgain(ctx, id, session, checkpoint)
}

// Finish makes the worktree of a start that was cut off after it was planned: at any step of Create, branch, registration and folder may be there in part, and all of them are ours, because Plan found their names free. Aside is as in Restore.
func (r *Repository) Finish(ctx context.Context, id Identity, session string) (aside string, err error) {
	if err := r.finishable(ctx, id); err != nil {
		return "", fmt.Errorf("finish worktree %q: %w", id.Path, err)
	}
	return r.Restore(ctx, id, session, "")
}

// finishable refuses a branch that is not the start's, and clears a registration away that was cut off.
func (r *Repository) finishable(ctx context.Context, id Identity) error {
	branch, err := r.branchCommit(ctx, id.Branch)
	if err != nil {
		return err
	}
	if branch != "" && branch != id.BaseCommit {
		return refuse(BranchTaken, "branch %q exists and is not where the session's branch starts; rename it (git branch -m), then resume the session", id.Branch)
	}
	return r.dropStub(ctx, filepath.Base(id.Path))
}

// dropStub removes a registration that was cut off before it named its tree. Git never removes one that is locked, and would give the tree another name beside it. Only what git writes before that point goes; anything more keeps the folder there.
func (r *Repository) dropStub(ctx context.Context, name string) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	stub := filepath.Join(r.common, "worktrees", name)
	if text, err := os.ReadFile(filepath.Join(stub, "gitdir")); err == nil && len(text) > 0 {
		return nil
	}
	for _, name := range [...]string{"gitdir", "locked", ""} {
		if err := os.Remove(filepath.Join(stub, name)); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove the unfinished registration: %w", err)
		}
	}
	return nil
}

// addAgain registers the tree on its branch; a branch that is gone is made again where the checkpoint branched off.
func (r *Repository) addAgain(ctx context.Context, id Identity, session, checkpoint string) error {
	branch, err := r.branchCommit(ctx, id.Branch)
	if err != nil {
		return err
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

// restorable refuses, before anything is moved, what making the tree again could stumble over.
func (r *Repository) restorable(ctx context.Context, id Identity, checkpoint string) error {
	holder, err := r.holder(ctx, id.Branch)
	if err != nil {
		return err
	}
	if holder.path != "" && holder.path != id.Path {
		return refuse(BranchTaken, "branch %q is checked out at %q; check out another branch there first", id.Branch, holder.path)
	}
	if checkpoint == "" {
		return nil
	}
	kept, err := r.resolve(ctx, r.mainPlace(), checkpoint+"^{tree}")
	if err == nil && kept == "" {
		return refuse(WorktreeMissing, "its newest snapshot %s is no longer in the repository, since its ref was deleted and git pruned it; fetch that commit from a copy of the repository, or start a new session", checkpoint)
	}
	return err
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

// outlive waits for a git of a server that died: it is ended a moment after its server, and takes its lock away by name, which would be the lock of what works here then. A lock that nobody takes away is of one that was killed.
func (r *Repository) outlive(ctx context.Context, path string) error {
	admin, err := r.adminOf(path)
	if err != nil || admin == "" {
		return err
	}
	const longest = 5 * time.Second
	for waited := time.Duration(0); waited < longest; waited += firstPause {
		if _, err := os.Lstat(filepath.Join(admin, "index.lock")); err != nil {
			return nil
		}
		if err := pause(ctx, firstPause); err != nil {
			return err
		}
	}
	return nil
}
