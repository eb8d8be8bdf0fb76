package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Create makes the planned worktree and its branch from the base commit alone. When it fails, neither is left behind.
func (r *Repository) Create(ctx context.Context, id Identity, session string) error {
	_, err := r.Start(ctx, id, StartSpec{Session: session})
	return err
}

// StartSpec says what a session begins with.
type StartSpec struct {
	// Session is the session's id.
	Session string
	// Carry is what comes along of the person's own state.
	Carry CarrySpec
	// Again says that an earlier start of the same plan was cut off, at any step: what is there of it is used, above all the state that was taken then.
	Again bool
}

// Started is what a session began with.
type Started struct {
	// Carry is what came along.
	Carry Carry
	// Aside is where something was moved that stood in the way of a start that is made good; empty when nothing had to move.
	Aside string
}

// Start makes the planned worktree and its branch, with as much of the person's state as the spec asks for: changed and deleted files lie there as they do in the person's checkout, and what is staged is staged. The person's checkout stays as it is, byte for byte. When Start fails, nothing is left behind.
//
// The steps, and what a process that dies behind each leaves:
//
//  1. The person's state as a commit under refs/nodwyn/<session>/0000: that ref.
//  2. The branch: both.
//  3. The registration and an empty folder: a worktree that is not complete, in which nothing works.
//  4. The files, and the index last, which makes it complete: the whole, but all that came along may show as staged.
//  5. The index as it is to be: the whole.
//
// A second Start with Again makes each of these good.
func (r *Repository) Start(ctx context.Context, id Identity, spec StartSpec) (Started, error) {
	var started Started
	var err error
	if spec.Again {
		started, err = r.startAgain(ctx, id, spec)
	} else {
		started.Carry, err = r.start(ctx, id, spec)
	}
	if err != nil {
		return started, fmt.Errorf("create worktree %q: %w", id.Path, err)
	}
	return started, nil
}

func (r *Repository) start(ctx context.Context, id Identity, spec StartSpec) (Carry, error) {
	if _, err := os.Lstat(id.Path); err == nil {
		return Carry{}, refuse(PathTaken, "%q exists already; a path is never used twice", id.Path)
	}
	c, err := r.carry(ctx, id, spec.Session, spec.Carry)
	if err != nil {
		return Carry{}, err
	}
	if err := r.build(ctx, id, spec.Session, c.Commit); err != nil {
		r.dropCarried(ctx, spec.Session, c.Commit)
		return Carry{}, err
	}
	return c, nil
}

// build makes the tree from the base commit, or from what is carried.
func (r *Repository) build(ctx context.Context, id Identity, session, carried string) error {
	if err := r.add(ctx, id, session, id.BaseCommit); err != nil {
		return err
	}
	tree, err := r.find(id.Path)
	if err == nil && carried == "" {
		err = r.populate(ctx, tree, "HEAD")
	} else if err == nil {
		err = r.populateFrom(ctx, tree, carried)
	}
	if err != nil {
		r.unmake(ctx, id)
	}
	return err
}

// startAgain makes a start good that was cut off. The state that it took is used, not that of now: the person has gone on working since.
func (r *Repository) startAgain(ctx context.Context, id Identity, spec StartSpec) (started Started, err error) {
	c := &started.Carry
	if c.Commit, err = r.refCommit(ctx, carriedRef(spec.Session)); err != nil {
		return started, err
	}
	if c.Commit == "" {
		if *c, err = r.carry(ctx, id, spec.Session, spec.Carry); err != nil {
			return started, err
		}
	} else if err = r.countCarried(ctx, id, c); err != nil {
		return started, err
	}
	if started.Aside, err = r.Finish(ctx, id, spec.Session); err != nil || c.Commit == "" {
		return started, err
	}
	tree, err := r.checked(id.Path)
	if err != nil {
		return started, err
	}
	return started, r.restoreIndex(ctx, tree, c.Commit)
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
