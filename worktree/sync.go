package worktree

import (
	"context"
	"fmt"
)

// Synced is the strategy of the entry in a session's landings that says that a sync happened there: its Base is where the session counts from since. Nothing landed with it, so that it always stands. A sync that was undone has no entry.
const Synced Strategy = "synced"

// SyncSpec says what is to be brought into a session's tree.
type SyncSpec struct {
	// Session is the session's id, and Turn its last turn; they name the ref.
	Session string
	Turn    int
	// Onto is the branch, or any revision, that is brought in; empty means the base branch of the identity.
	Onto string
	// Landings are the session's landings so far, as in LandSpec, with what it carried and the syncs before.
	Landings []Landing
	// Preview keeps nothing and so cannot be carried out.
	Preview bool
}

// Sync is a sync that is worked out.
type Sync struct {
	Rewrite
	// From is where the session counted from.
	From string
	// Onto is the commit that is brought in.
	Onto string
	// Base is where the session counts from afterwards, also when files conflict: Onto, or a commit of ours on it that has what the session counts as the person's beside it.
	Base string
	// Conflicts are the files that both changed. Those of the kind "contents" get conflict markers; of the others the session's side stays, as far as git has a choice.
	Conflicts []Conflict
	// Yielded are files of the person's carried state for which the branch has something else by now; the branch's version counts.
	Yielded []string
}

// PrepareSync works out how the moved target comes into the session's tree. No file changes; ApplyRewrite carries it out, by the commit.
//
// Where the session's branch is an ancestor of what comes in, it moves there, so that git status in the tree goes on showing the session's work alone. A branch with commits of its own stays.
//
// A process that dies in it leaves objects, or the ref that keeps them.
func (r *Repository) PrepareSync(ctx context.Context, id Identity, spec SyncSpec) (Sync, error) {
	if spec.Onto == "" {
		spec.Onto = id.Base
	}
	s, err := r.prepareSync(ctx, id, spec)
	if err != nil {
		return Sync{}, fmt.Errorf("sync with %q: %w", spec.Onto, err)
	}
	return s, nil
}

func (r *Repository) prepareSync(ctx context.Context, id Identity, spec SyncSpec) (s Sync, err error) {
	if s.Onto, err = r.syncTarget(ctx, id, spec.Onto); err != nil {
		return s, err
	}
	tree, err := r.checked(id.Path)
	if err != nil {
		return s, err
	}
	snap, err := r.snapshot(ctx, tree)
	if err != nil {
		return s, err
	}
	if s.From, err = r.CountsFrom(ctx, id, spec.Landings); err != nil {
		return s, err
	}
	base, err := r.nextBase(ctx, id, spec.Landings, &s)
	if err != nil {
		return s, err
	}
	o, err := r.brought(ctx, tree, id, snap, base, spec.Onto, &s)
	if err != nil {
		return s, err
	}
	w := writing{id: id, session: spec.Session, turn: spec.Turn, subject: "sync with " + spec.Onto, preview: spec.Preview}
	s.Rewrite, err = r.prepareRewrite(ctx, tree, w, snap, o)
	return s, err
}

func (r *Repository) syncTarget(ctx context.Context, id Identity, onto string) (string, error) {
	switch {
	case r.version.Before(forLanding):
		return "", refuse(GitTooOld, "it needs git %s or newer, this is %s; install a newer git, or merge by hand in %q", forLanding, r.version, id.Path)
	case onto == "":
		return "", refuse(NoTarget, "the session started from a detached HEAD, so it has no branch to follow; name the branch to bring in")
	case onto == id.Branch:
		return "", refuse(NoTarget, "%q is the session's own branch; name the branch to bring in", onto)
	}
	commit, err := r.branchCommit(ctx, onto)
	if err == nil && commit == "" {
		commit, err = r.resolve(ctx, r.mainPlace(), onto+"^{commit}")
	}
	if err == nil && commit == "" {
		err = refuse(NoTarget, "there is no such branch or commit; name one that exists")
	}
	return commit, err
}

// nextBase returns the tree of the new base and sets its commit: the target, over which lies what the session counts as done and the target does not have, be it carried, landed as a patch, or landed on another branch. Where both have something else, the target's file counts.
func (r *Repository) nextBase(ctx context.Context, id Identity, landings []Landing, s *Sync) (string, error) {
	target, err := r.treeOf(ctx, s.Onto)
	if err != nil {
		return "", err
	}
	base, before := target, id.BaseCommit
	for _, l := range landings {
		over := l.Strategy != Synced
		if !l.movesBase() {
			stands, err := r.stands(ctx, id, before, l)
			if err != nil {
				return "", err
			}
			if !stands {
				break
			}
			has, err := r.ancestor(ctx, l.Commit, s.Onto)
			if err != nil {
				return "", err
			}
			over = !has
		}
		if over {
			if base, err = r.overlay(ctx, base, before, l, s); err != nil {
				return "", err
			}
		}
		before = l.Base
	}
	s.Base = s.Onto
	if base != target {
		s.Base, err = r.commitTree(ctx, r.mainPlace().with(ours...), base, "what the session counts from", s.Onto)
	}
	return base, err
}

// overlay puts what changed up to the Base of an entry over a tree, but for files in which the tree has something else.
func (r *Repository) overlay(ctx context.Context, tree, before string, l Landing, s *Sync) (string, error) {
	merged, conflicts, err := r.merge3(ctx, before, tree, l.Base)
	if err != nil || len(conflicts) == 0 {
		return merged, err
	}
	if l.Strategy == Carried {
		for _, c := range conflicts {
			s.Yielded = append(s.Yielded, c.Path)
		}
	}
	return r.sideOf(ctx, merged, tree, conflicts)
}

// sideOf gives a merged tree one side's version of the files that conflict.
func (r *Repository) sideOf(ctx context.Context, merged, side string, conflicts []Conflict) (string, error) {
	has, err := r.entriesIn(ctx, side)
	if err != nil {
		return "", err
	}
	var entries []entry
	for _, c := range conflicts {
		e, there := has[c.Path]
		if !there {
			e = entry{noMode, merged, c.Path} // the tree's id has the length that is needed
		}
		entries = append(entries, e)
	}
	return r.treeWith(ctx, merged, entries)
}

// brought merges the new base into the files as they are.
func (r *Repository) brought(ctx context.Context, tree checkout, id Identity, snap snapshot, base, onto string, s *Sync) (o outcome, err error) {
	from, err := r.treeOf(ctx, s.From)
	if err != nil {
		return o, err
	}
	if from == base {
		return o, refuse(NothingToSync, "nothing to bring in: the session has everything that is there")
	}
	if o, err = r.stay(ctx, tree, snap, snap.tree); err != nil {
		return o, err
	}
	if o.tree, s.Conflicts, err = r.merge3At(ctx, tree.at, from, snap.tree, base); err != nil {
		return o, err
	}
	if len(s.Conflicts) > 0 {
		if o.tree, err = r.label(ctx, o.tree, onto, s.Conflicts); err != nil {
			return o, err
		}
		s.Conflicts = r.meetings(ctx, s.Conflicts, from, snap.tree, base)
	}
	return r.forward(ctx, tree, id, snap, s.Onto, o)
}

// forward moves HEAD to what came in where that is a fast-forward, and what is staged along.
func (r *Repository) forward(ctx context.Context, tree checkout, id Identity, snap snapshot, onto string, o outcome) (outcome, error) {
	on, head, err := r.head(ctx, tree.at)
	if err != nil || on != id.Branch || head == onto {
		return o, err
	}
	newer, err := r.ancestor(ctx, head, onto)
	if err != nil || !newer {
		return o, err
	}
	o.head = onto
	o.index, err = r.restage(ctx, head, snap, onto, o.tree)
	if err != nil {
		return o, err
	}
	o.index, err = r.treeOf(ctx, o.index)
	return o, err
}
