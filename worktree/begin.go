package worktree

import (
	"context"
	"fmt"
	"os"
)

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
	// Aside is where something was moved that stood in the way of a start that is made good, or a spare in which somebody had worked; empty when nothing had to move.
	Aside string
}

// Begun is a start whose worktree is there but for its files.
type Begun struct {
	// Carry is what comes along.
	Carry Carry
	// Aside is as in Started.
	Aside string
	// Spare says that the files of the spare lie there already, of which only those are written that differ.
	Spare bool
	// whole says that an earlier start got to its end.
	whole bool
}

// Start makes the planned worktree and its branch, with as much of the person's state as the spec asks for: changed and deleted files lie there as they do in the person's checkout, and what is staged is staged. The person's checkout stays as it is, byte for byte. When Start fails, nothing is left behind. It is Begin and Complete in one.
//
// The steps, and what a process that dies behind each leaves:
//
//  1. The person's state as a commit under refs/nodwyn/<session>/0000: that ref.
//  2. The branch: both.
//  3. The registration, the marker and an empty folder: a worktree that is not complete, in which nothing works.
//  4. If there is a spare, its folder in place of the empty one, its link, its index: the same, or a folder missing; the spare is whole, or gone.
//  5. The files, and the index: the same, whatever is there.
//  6. The index as it is to be, and the marker gone: the whole.
//
// A second Start with Again makes each of these good.
func (r *Repository) Start(ctx context.Context, id Identity, spec StartSpec) (Started, error) {
	begun, err := r.Begin(ctx, id, spec)
	if err != nil {
		return Started{Aside: begun.Aside}, err
	}
	started, err := r.Complete(ctx, id, spec, begun)
	if err != nil && ctx.Err() != nil && !spec.Again {
		r.takeStartBack(ctx, id, spec.Session, begun)
	}
	return started, err
}

// Begin does the first four steps of Start, which are quick however many files there are: all that can be refused, and the worktree without its files. Until Complete has written them, Present is false and whatever would work in the tree refuses with WorktreeUnfinished. When Begin fails, nothing is left behind; with Again, what was there already stays for the next attempt.
func (r *Repository) Begin(ctx context.Context, id Identity, spec StartSpec) (Begun, error) {
	begin := r.begin
	if spec.Again {
		begin = r.beginAgain
	}
	begun, err := begin(ctx, id, spec)
	if err != nil {
		return begun, fmt.Errorf("create worktree %q: %w", id.Path, err)
	}
	return begun, nil
}

// Complete writes the files of a worktree that Begin made, with the same id and spec. When it fails, what Begin made is taken back. When its context ends, or the start is one that is made good, everything stays as it is, for a Start with Again: the state that was taken may exist nowhere else by then.
func (r *Repository) Complete(ctx context.Context, id Identity, spec StartSpec, begun Begun) (Started, error) {
	started := Started{Carry: begun.Carry, Aside: begun.Aside}
	if begun.whole {
		return started, nil
	}
	aside, err := r.complete(ctx, id, begun)
	if aside != "" {
		started.Aside = aside
	}
	if err == nil {
		return started, nil
	}
	if ctx.Err() == nil && !spec.Again {
		r.takeStartBack(ctx, id, spec.Session, begun)
	}
	return started, fmt.Errorf("create worktree %q: %w", id.Path, err)
}

func (r *Repository) complete(ctx context.Context, id Identity, begun Begun) (aside string, err error) {
	tree, err := r.find(id.Path)
	if err != nil {
		return "", err
	}
	if begun.Spare {
		done, err := r.fillFromSpare(ctx, tree, begun.Carry.Commit)
		if done || err != nil {
			return "", err
		}
		if aside, err = tree.clearOut(); err != nil {
			return aside, err
		}
	}
	return aside, r.fill(ctx, tree, begun.Carry.Commit)
}

func (r *Repository) begin(ctx context.Context, id Identity, spec StartSpec) (Begun, error) {
	if _, err := os.Lstat(id.Path); err == nil {
		return Begun{}, refuse(PathTaken, "%q exists already; a path is never used twice", id.Path)
	}
	c, err := r.carry(ctx, id, spec.Session, spec.Carry)
	if err != nil {
		return Begun{}, err
	}
	if err := r.add(ctx, id, spec.Session, id.BaseCommit); err != nil {
		r.dropCarried(ctx, spec.Session, c.Commit)
		return Begun{}, err
	}
	return Begun{Carry: c, Spare: r.takeSpare(ctx, id, c.Commit)}, nil
}

// beginAgain begins a start that was cut off. The state that it took is used, not that of now: the person has gone on working since.
func (r *Repository) beginAgain(ctx context.Context, id Identity, spec StartSpec) (begun Begun, err error) {
	c := &begun.Carry
	if c.Commit, err = r.refCommit(ctx, carriedRef(spec.Session)); err != nil {
		return begun, err
	}
	if c.Commit == "" {
		*c, err = r.carry(ctx, id, spec.Session, spec.Carry)
	} else {
		err = r.countCarried(ctx, id, c)
	}
	if err != nil {
		return begun, err
	}
	if err := r.finishable(ctx, id); err != nil {
		return begun, err
	}
	again, err := r.reopen(ctx, id, spec.Session, c.Commit)
	begun.Aside, begun.whole = again.aside, again.whole
	return begun, err
}

// takeStartBack leaves nothing behind of a start that began.
func (r *Repository) takeStartBack(ctx context.Context, id Identity, session string, begun Begun) {
	r.unmake(ctx, id)
	r.dropCarried(ctx, session, begun.Carry.Commit)
}
