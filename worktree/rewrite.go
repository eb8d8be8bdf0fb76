package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Rewrite is a change of a session's own files that is worked out and not carried out yet: a revert, a sync, or the undoing of one.
//
// Its commits say everything about it, so that a session that was cut off can go on from the record of Commit alone. Commit holds the files as they become; its parents are the HEAD that the tree then has, what is then staged, and Before, a snapshot of everything as it is.
type Rewrite struct {
	// Commit holds the files as they become. Once carried out, it is the session's newest snapshot.
	Commit string
	// Before holds the files as they are.
	Before string
	// Ref keeps both: refs/nodwyn/<session>/<turn>.<n>; empty for a preview.
	Ref string
	// Tree is the tree of Commit.
	Tree string
	// Files is what changes.
	Files []FileDiff
}

// movesBase reports whether an entry of a session's landings is none: it only says where the session counts from, which no branch can undo.
func (l Landing) movesBase() bool { return l.Strategy == Carried || l.Strategy == Synced }

// outcome is what a rewrite makes of a tree.
type outcome struct {
	// tree is that of the files, head the commit that HEAD is at, index the tree of what is staged.
	tree, head, index string
}

// writing names a rewrite.
type writing struct {
	id      Identity
	session string
	turn    int
	subject string
	preview bool
}

// prepareRewrite makes the commits of a rewrite and keeps them, so that nothing is written before a ref holds what was there.
func (r *Repository) prepareRewrite(ctx context.Context, tree checkout, w writing, snap snapshot, o outcome) (rw Rewrite, err error) {
	rw.Tree = o.tree
	if rw.Files, err = r.diff(ctx, snap.tree, o.tree, ""); err != nil {
		return rw, err
	}
	if err := r.clear(ctx, tree, snap.tree, o.tree); err != nil {
		return rw, err
	}
	if rw.Before, err = r.commitSnapshot(ctx, tree, w.id, snap, "before: "+w.subject); err != nil {
		return rw, err
	}
	at := r.mainPlace().with(ours...)
	staged, err := r.commitTree(ctx, at, o.index, "staged", o.head)
	if err != nil {
		return rw, err
	}
	if rw.Commit, err = r.commitTree(ctx, at, o.tree, w.subject, o.head, staged, rw.Before); err != nil || w.preview {
		return rw, err
	}
	if rw.Ref, err = r.nextRef(ctx, w.session, w.turn); err != nil {
		return rw, err
	}
	return rw, r.keep(ctx, rw.Ref, rw.Commit)
}

// stay is the outcome that changes files only.
func (r *Repository) stay(ctx context.Context, tree checkout, snap snapshot, files string) (outcome, error) {
	_, head, err := r.head(ctx, tree.at)
	if err != nil {
		return outcome{}, err
	}
	o := outcome{tree: files, head: head, index: snap.index}
	if o.index == "" { // it has unmerged files, which are no tree; they stay in the index as they are
		o.index, err = r.treeOf(ctx, head)
	}
	return o, err
}

// nextRef names the next snapshot behind a turn's own.
func (r *Repository) nextRef(ctx context.Context, session string, turn int) (string, error) {
	prefix := fmt.Sprintf("refs/nodwyn/%s/%04d.", session, turn)
	out, err := r.ask(ctx, r.mainPlace(), "for-each-ref", "--format=%(refname)", prefix+"*")
	if err != nil {
		return "", err
	}
	last := 0
	for name := range strings.Lines(out) {
		if n, err := strconv.Atoi(strings.TrimPrefix(strings.TrimSpace(name), prefix)); err == nil {
			last = max(last, n)
		}
	}
	return prefix + strconv.Itoa(last+1), nil
}

// ApplyRewrite carries a prepared rewrite out, known by its commit: the files become those of the commit, written by git, so that filters, modes and links are right. What it does not touch stays as it is, whatever was done to it since the rewrite was prepared; a file that it touches and that changed since is a ConflictError, and then nothing is written. The index and HEAD stay as they are, but for a sync, which takes the session's branch along where that is a fast-forward.
//
// The steps, and what a process that dies behind each leaves, are those of a landing in the session's own tree: the old state or, once its ref moved, the new one, which RecoverRewrite completes.
func (r *Repository) ApplyRewrite(ctx context.Context, id Identity, commit string) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	tree, err := r.checked(id.Path)
	if err != nil {
		return err
	}
	err = r.applyRewrite(ctx, tree, id, commit)
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		conflict.Own = true
	}
	if err != nil {
		return fmt.Errorf("rewrite worktree %q: %w", id.Path, err)
	}
	return nil
}

func (r *Repository) applyRewrite(ctx context.Context, tree checkout, id Identity, commit string) error {
	p, err := r.partsOf(ctx, commit)
	if err != nil {
		return err
	}
	m, err := r.rewriteMove(ctx, id, p)
	if err != nil || m.from == m.to {
		return err
	}
	if m.into, m.at, err = r.head(ctx, tree.at); err != nil {
		return err
	}
	if p.movesHead() && (m.into != id.Branch || m.at != p.oldHead) {
		return m.movedAway()
	}
	return r.advance(ctx, tree.at, m, func(ctx context.Context) (*shift, error) { return r.surveyRewrite(ctx, tree, p) })
}

// parts are what the commit of a rewrite says about it: commits, and trees.
type parts struct {
	commit, oldHead, head          string
	before, after, staged, toStage string
}

func (p parts) movesHead() bool { return p.head != p.oldHead }

func (r *Repository) partsOf(ctx context.Context, commit string) (parts, error) {
	p := parts{commit: commit}
	for _, part := range [...]struct {
		to   *string
		what string
	}{
		{&p.head, "^1^{commit}"}, {&p.oldHead, "^3^1^{commit}"},
		{&p.after, "^{tree}"}, {&p.before, "^3^{tree}"}, {&p.toStage, "^2^{tree}"}, {&p.staged, "^3^2^{tree}"},
	} {
		var err error
		if *part.to, err = r.resolve(ctx, r.mainPlace(), commit+part.what); err != nil {
			return parts{}, err
		}
	}
	if p.before == "" || p.oldHead == "" {
		return parts{}, fmt.Errorf("read commit %q: it is no rewrite, or it was pruned", commit)
	}
	if p.staged == "" { // nothing was staged beyond HEAD
		var err error
		if p.staged, err = r.treeOf(ctx, p.oldHead); err != nil {
			return parts{}, err
		}
	}
	return p, nil
}

// rewriteMove chooses the ref that decides whether a rewrite happened: the session's branch if that moves, else a ref of its own.
func (r *Repository) rewriteMove(ctx context.Context, id Identity, p parts) (move, error) {
	m := move{session: sessionOf(id)}
	if p.movesHead() {
		back, err := r.ancestor(ctx, p.head, p.oldHead)
		m.ref, m.from, m.to, m.undo = "refs/heads/"+id.Branch, p.oldHead, p.head, back
		return m, err
	}
	var err error
	m.ref, m.to = "refs/nodwyn/"+m.session+"/rewritten", p.commit
	m.from, err = r.refCommit(ctx, m.ref)
	return m, err
}

// surveyRewrite is the shift of a rewrite, if the tree is still what it was prepared for.
func (r *Repository) surveyRewrite(ctx context.Context, tree checkout, p parts) (*shift, error) {
	snap, scratch, err := r.snapshotIndex(ctx, tree)
	if err != nil {
		return nil, err
	}
	s := &shift{at: tree.at, scratch: scratch, before: p.before, after: p.after, parted: make(map[string]bool)}
	if p.movesHead() {
		s.staged, s.stagedAfter = p.staged, p.toStage
	}
	if err := r.asPrepared(ctx, tree, p, snap); err != nil {
		s.discard()
		return nil, err
	}
	return s, nil
}

func (r *Repository) asPrepared(ctx context.Context, tree checkout, p parts, snap snapshot) error {
	moving, err := r.between(ctx, p.before, p.after)
	if err != nil {
		return err
	}
	since, err := r.between(ctx, p.before, snap.tree)
	if err != nil {
		return err
	}
	if p.movesHead() {
		restaged, err := r.restaged(ctx, p, snap)
		if err != nil {
			return err
		}
		since = append(since, restaged...)
	}
	if conflicts := sameFiles(moving, since); len(conflicts) > 0 {
		return &ConflictError{Conflicts: conflicts, Own: true}
	}
	return r.clear(ctx, tree, p.before, p.after)
}

// restaged lists what was staged or unstaged since the rewrite was prepared.
func (r *Repository) restaged(ctx context.Context, p parts, snap snapshot) ([]delta, error) {
	if snap.index == "" { // unmerged: refused when it was prepared, unless that came since
		return r.between(ctx, p.before, p.after)
	}
	return r.between(ctx, p.staged, snap.index)
}

// sameFiles returns the paths that stand in both lists.
func sameFiles(moving, since []delta) []Conflict {
	changed := make(map[string]bool)
	for _, d := range since {
		changed[d.path] = true
	}
	both := make(map[string]bool)
	for _, d := range moving {
		if changed[d.path] {
			both[d.path] = true
		}
	}
	var conflicts []Conflict
	for _, name := range slices.Sorted(maps.Keys(both)) {
		conflicts = append(conflicts, Conflict{Path: name, Kind: edited})
	}
	return conflicts
}

// RecoverRewrite ends what a process that died in ApplyRewrite left half done, and reports whether the rewrite of this commit is the last one that happened: its files are all there then, else those from before. It may be repeated and does nothing where nothing was cut off. When it reports false, ApplyRewrite may be called again.
func (r *Repository) RecoverRewrite(ctx context.Context, id Identity, commit string) (done bool, err error) {
	release, err := r.lock(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if tree, err := r.find(id.Path); err == nil {
		if err := r.recover(ctx, tree.admin, tree.path, sessionOf(id)); err != nil {
			return false, fmt.Errorf("end the rewrite that was cut off in %q: %w", id.Path, err)
		}
	}
	p, err := r.partsOf(ctx, commit)
	if err != nil {
		return false, err
	}
	m, err := r.rewriteMove(ctx, id, p)
	if err != nil || !p.movesHead() {
		return m.from == m.to, err
	}
	now, err := r.branchCommit(ctx, id.Branch)
	if err != nil {
		return false, err
	}
	if m.undo {
		has, err := r.ancestor(ctx, m.from, now)
		return !has, err
	}
	return r.ancestor(ctx, m.to, now)
}
