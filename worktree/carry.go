package worktree

import (
	"context"
	"errors"
	"fmt"
)

// Carried is the strategy of the entry that stands first in a session's landings when the session began with the person's own state: its Base is the commit that holds that state, from which diffs and landings count. Nothing landed with it, so that it always stands.
const Carried Strategy = "carried"

// CarrySpec says which of the person's own state comes along into a new worktree.
type CarrySpec struct {
	// From is a folder of the checkout that the session was asked from, the main one or a linked worktree; empty means the main one.
	From string
	// Uncommitted brings changes of tracked files: staged, unstaged, deleted, of their mode.
	Uncommitted bool
	// Untracked brings the files that git does not know and does not ignore.
	Untracked bool
}

// Carry is what came along, and what did not.
type Carry struct {
	// Commit holds the base commit's files with the person's state in them, under refs/nodwyn/<session>/0000; empty when nothing came along.
	Commit string
	// Files counts the files that came along.
	Files int
	// Left counts what the worktree lacks of the person's state. It is not counted when nothing was asked for, nor for a start that is made good; UncommittedAt counts then.
	Left Counts
	// LeftOut says in words what was asked for and could not come along.
	LeftOut []string
}

// largestCarried is the size from which an untracked file does not come along: it would stay in the repository for as long as the session's refs do.
const largestCarried = 64 << 20

// carriedRef is the ref that keeps what a session began with.
func carriedRef(session string) string { return "refs/nodwyn/" + session + "/0000" }

// state is what the person's checkout holds beside its HEAD, as far as it is to come along.
type state struct {
	head string
	snapshot
	// behind are the tracked files whose changes cannot come along.
	behind int
}

// carry takes the person's state and keeps it. Their index, files and refs stay as they are, byte for byte.
//
// A process that dies in it leaves objects that git prunes some day, or the ref, which the next Start with Again takes for what it is.
func (r *Repository) carry(ctx context.Context, id Identity, session string, spec CarrySpec) (Carry, error) {
	if !spec.Uncommitted && !spec.Untracked {
		return Carry{}, nil
	}
	at, err := r.checkoutAt(ctx, spec.From)
	if errors.Is(err, errNoCheckout) {
		return Carry{}, nil // a bare repository has no state to lack
	}
	if err != nil {
		return Carry{}, err
	}
	var c Carry
	files, err := r.statusAt(ctx, at)
	if err != nil || len(files) == 0 {
		return c, err
	}
	c.Left = count(files)
	s, err := r.stateOf(ctx, at, spec, files)
	if err != nil {
		return Carry{}, fmt.Errorf("take the state of %q: %w", at.dir, err)
	}
	if s, err = r.ontoBase(ctx, id, s); err != nil {
		return Carry{}, err
	}
	return c, r.keepCarried(ctx, id, session, spec, s, &c)
}

// keepCarried makes the commit of what comes along, like that of a checkpoint: on the base, with what was staged beside it.
func (r *Repository) keepCarried(ctx context.Context, id Identity, session string, spec CarrySpec, s state, c *Carry) error {
	changes, err := r.changes(ctx, id.BaseCommit, s.tree, nil)
	if err != nil {
		return err
	}
	base, err := r.treeOf(ctx, id.BaseCommit)
	if err != nil {
		return err
	}
	c.Files, c.LeftOut, c.Left = len(changes), s.leftOut, left(spec, c.Left, s)
	if s.tree == base && (s.index == base || s.index == "") {
		return nil
	}
	parents := []string{id.BaseCommit}
	if s.index != "" && s.index != base {
		staged, err := r.commitTree(ctx, r.mainPlace().with(ours...), s.index, "staged", id.BaseCommit)
		if err != nil {
			return err
		}
		parents = append(parents, staged)
	}
	if c.Commit, err = r.commitTree(ctx, r.mainPlace().with(ours...), s.tree, "what the person had not committed", parents...); err != nil {
		return err
	}
	return r.keep(ctx, carriedRef(session), c.Commit)
}

// left counts what stays behind, asked for or not.
func left(spec CarrySpec, all Counts, s state) Counts {
	if spec.Uncommitted {
		all.Uncommitted = s.behind
	}
	if spec.Untracked {
		all.Untracked = len(s.missed)
	}
	return all
}
