package worktree

import (
	"context"
	"fmt"
)

// UndoSpec says which rewrite is to be undone.
type UndoSpec struct {
	// Session is the session's id, and Turn its last turn; they name the ref.
	Session string
	Turn    int
	// Commit is that of the rewrite.
	Commit string
	// Preview keeps nothing and so cannot be carried out.
	Preview bool
}

// PrepareUndo works out how a rewrite is undone: a revert, a sync, or the undoing of one. Edits made since are kept as by PrepareRevert. Where a sync had taken the session's branch along, the branch goes back too, unless something was committed on it since, which is refused. Whoever undoes a sync counts from where the session counted before.
//
// A process that dies in it leaves objects, or the ref that keeps them.
func (r *Repository) PrepareUndo(ctx context.Context, id Identity, spec UndoSpec) (Rewrite, error) {
	rw, err := r.prepareUndo(ctx, id, spec)
	if err != nil {
		return Rewrite{}, fmt.Errorf("undo in worktree %q: %w", id.Path, err)
	}
	return rw, nil
}

func (r *Repository) prepareUndo(ctx context.Context, id Identity, spec UndoSpec) (Rewrite, error) {
	tree, err := r.checked(id.Path)
	if err != nil {
		return Rewrite{}, err
	}
	p, err := r.partsOf(ctx, spec.Commit)
	if err != nil {
		return Rewrite{}, err
	}
	snap, err := r.snapshot(ctx, tree)
	if err != nil {
		return Rewrite{}, err
	}
	files, err := r.turned(ctx, tree, p.after, p.before, snap.tree)
	if err != nil {
		return Rewrite{}, err
	}
	o, err := r.stay(ctx, tree, snap, files)
	if err == nil && p.movesHead() {
		o, err = r.headBack(ctx, tree, id, p, snap, o)
	}
	if err != nil {
		return Rewrite{}, err
	}
	if files == snap.tree && !p.movesHead() {
		return Rewrite{}, refuse(NothingToRevert, "nothing to undo: the files are that way already")
	}
	w := writing{id: id, session: spec.Session, turn: spec.Turn, subject: "undo", preview: spec.Preview}
	return r.prepareRewrite(ctx, tree, w, snap, o)
}

// headBack takes HEAD and what is staged back to before a sync. What was staged since stays staged where it fits.
func (r *Repository) headBack(ctx context.Context, tree checkout, id Identity, p parts, snap snapshot, o outcome) (outcome, error) {
	on, head, err := r.head(ctx, tree.at)
	if err != nil {
		return o, err
	}
	if on != id.Branch || head != p.head {
		built, err := r.ancestor(ctx, p.head, head)
		if err == nil && built {
			err = refuse(SyncBuiltOn, "something was committed on what the sync brought in; take those commits back (git reset --soft %.12s in %q), then undo again", p.head, tree.path)
		}
		return o, err
	}
	o.head = p.oldHead
	o.index, err = r.restage(ctx, p.toStage, snap, p.staged, o.tree)
	return o, err
}

// restage returns what is staged when the index moves from one tree to another: with all that is staged beyond the first, if it fits, else without. An index that has everything goes on having everything.
func (r *Repository) restage(ctx context.Context, from string, snap snapshot, to, files string) (string, error) {
	switch snap.index {
	case "":
		return "", refuse(WorktreeBroken, "the session's tree has unmerged files; finish or give up what is under way there, then try again")
	case snap.tree:
		return files, nil
	}
	index, conflicts, err := r.merge3(ctx, from, snap.index, to)
	if len(conflicts) > 0 {
		return to, nil
	}
	return index, err
}
