package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// preparePatch computes a landing as uncommitted edits: what the checkout of the target has now, and what it will have. Both are kept as commits of ours, the second on the first, which is what the landing records; neither enters the person's history.
func (r *Repository) preparePatch(ctx context.Context, spec LandSpec, target string, landing *Landing) ([]change, error) {
	at, err := r.placeOf(spec.holder)
	if err != nil {
		return nil, err
	}
	base, err := r.ancestorFor(ctx, spec, target)
	if err != nil {
		return nil, err
	}
	if err := r.noJournal(at); err != nil {
		return nil, err
	}
	s, err := r.surveyPatch(ctx, at, base, spec.Tip)
	if conflict, ok := errors.AsType[*ConflictError](err); ok {
		err = r.ofTheTarget(ctx, conflict, base, target, spec.Tip)
	}
	if err != nil {
		return nil, err
	}
	defer s.discard()
	if s.before == s.after {
		return nil, r.nothing(ctx, spec)
	}
	if landing.Commit, err = r.patchCommit(ctx, s, target, landing.session); err != nil {
		return nil, err
	}
	return r.changes(ctx, s.before, s.after, nil)
}

// surveyPatch merges what changed from one tree to another into the files of a checkout. Of the untracked files only those that the change names are looked at. The index is left alone.
func (r *Repository) surveyPatch(ctx context.Context, at place, from, to string) (*shift, error) {
	from, err := r.treeOf(ctx, from)
	if err != nil {
		return nil, err
	}
	if to, err = r.treeOf(ctx, to); err != nil {
		return nil, err
	}
	touched, err := r.between(ctx, from, to)
	if err != nil {
		return nil, err
	}
	s, err := r.look(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := r.combinePatch(ctx, s, from, to, touched); err != nil {
		s.discard()
		return nil, r.elsewhere(at, err)
	}
	return s, nil
}

func (r *Repository) combinePatch(ctx context.Context, s *shift, from, to string, touched []delta) error {
	if err := r.takeFiles(ctx, s, touched); err != nil {
		return err
	}
	s.stagedAfter = s.staged
	merged, conflicts, err := r.merge3At(ctx, s.at, from, s.before, to)
	if err != nil {
		return err
	}
	if len(conflicts) > 0 {
		return r.inPlace(ctx, s, &ConflictError{Conflicts: conflicts}, from, to)
	}
	s.after = merged
	return r.comesBack(ctx, s)
}

// takeFiles takes every edited file into the scratch index, and what lies untracked where the change goes.
func (r *Repository) takeFiles(ctx context.Context, s *shift, touched []delta) error {
	edited, err := r.deltas(ctx, s.tmp(), "diff-files")
	if err != nil {
		return fmt.Errorf("see what is edited in %q: %w", s.at.dir, err)
	}
	known, err := r.entriesOf(ctx, s.tmp())
	if err != nil {
		return err
	}
	for _, d := range edited {
		s.parted[d.path] = true
	}
	var there []delta // as if the change added all of them: what the index lacks can only be a stray
	for _, d := range touched {
		there = append(there, delta{path: d.path, oldMode: noMode})
	}
	stray, blocked := strays(s.at.dir, there, known)
	if blocked {
		conflicts, err := r.inTheWay(ctx, s.at, namesOf(touched))
		if err != nil {
			return err
		}
		conflicts = slices.DeleteFunc(conflicts, func(c Conflict) bool { return known[c.Path] || slices.Contains(stray, c.Path) })
		if len(conflicts) > 0 {
			return &ConflictError{Conflicts: conflicts}
		}
	}
	for _, name := range stray {
		s.parted[name] = true
	}
	return r.stage(ctx, s, slices.Sorted(maps.Keys(s.parted)))
}

// entriesOf lists the paths of an index.
func (r *Repository) entriesOf(ctx context.Context, at place) (map[string]bool, error) {
	out, err := r.ask(ctx, at, "ls-files", "-z")
	if err != nil {
		return nil, err
	}
	names := make(map[string]bool)
	for in := (&fields{out}); in.rest != ""; {
		names[in.next()] = true
	}
	return names, nil
}

// ofTheTarget looks whether a conflict is one with the target's commit, which the person cannot commit or stash away.
func (r *Repository) ofTheTarget(ctx context.Context, conflict *ConflictError, base, target, tip string) error {
	_, conflicts, err := r.merge3(ctx, base, target, tip)
	if err != nil {
		return err
	}
	if len(conflicts) == 0 {
		return conflict
	}
	return &ConflictError{Conflicts: r.meetings(ctx, conflicts, base, target, tip)}
}

// patchCommit makes the commits of a patch. The patches of a session hang together, so that one ref keeps them all.
func (r *Repository) patchCommit(ctx context.Context, s *shift, target, session string) (string, error) {
	earlier, err := r.refCommit(ctx, "refs/nodwyn/"+session+"/patch")
	if err != nil {
		return "", err
	}
	before, err := r.commitTree(ctx, r.mainPlace().with(ours...), s.before, "before a patch", target)
	if err != nil {
		return "", err
	}
	parents := []string{before}
	if earlier != "" {
		parents = append(parents, earlier)
	}
	return r.commitTree(ctx, r.mainPlace().with(ours...), s.after, "patch", parents...)
}

// applyPatch writes the files of a patch. What decides is the session's own ref, which moves when all of them are there.
func (r *Repository) applyPatch(ctx context.Context, l Landing) error {
	m, err := r.patchMove(ctx, l)
	if err != nil {
		return err
	}
	if err := r.keepBase(ctx, l); err != nil {
		return err
	}
	at, err := r.patched(ctx, l)
	if err != nil {
		return err
	}
	return r.advance(ctx, at, m, func(ctx context.Context) (*shift, error) {
		return r.prepared(ctx, at, l.Commit+"^1", l.Commit)
	})
}

// prepared is the shift between two known trees. A file that changed since they were made makes git refuse the whole, because the scratch index has it as it is now.
func (r *Repository) prepared(ctx context.Context, at place, from, to string) (*shift, error) {
	var trees [2]string
	for i, revision := range [...]string{from, to} {
		var err error
		if trees[i], err = r.treeOf(ctx, revision); err != nil {
			return nil, err
		}
	}
	touched, err := r.between(ctx, trees[0], trees[1])
	if err != nil {
		return nil, err
	}
	s, err := r.look(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := r.takeFiles(ctx, s, touched); err != nil {
		s.discard()
		return nil, err
	}
	s.before, s.after, s.stagedAfter = trees[0], trees[1], s.staged
	return s, nil
}

// patched returns where the target of a patch is checked out.
func (r *Repository) patched(ctx context.Context, l Landing) (place, error) {
	if err := r.idle(ctx, l.Into); err != nil {
		return place{}, err
	}
	holder, err := r.holder(ctx, l.Into)
	if err != nil {
		return place{}, err
	}
	if holder.path == "" {
		return place{}, notCheckedOut(l.Into)
	}
	return r.placeOf(holder)
}

func notCheckedOut(branch string) error {
	return refuse(NotCheckedOut, "branch %q is checked out nowhere, so there are no files that could be edited; check it out (git switch), or land with another strategy", branch)
}

// patchMove is the move of the ref that keeps a session's patches.
func (r *Repository) patchMove(ctx context.Context, l Landing) (move, error) {
	session := l.session
	m := move{session: session, ref: deciding(session, l), into: l.Into, at: l.Previous, to: l.Commit}
	var err error
	if m.from, err = r.resolve(ctx, r.mainPlace(), l.Commit+"^2"); err != nil {
		return move{}, err
	}
	now, err := r.refCommit(ctx, m.ref)
	if err == nil && now != m.from {
		err = m.movedAway()
	}
	return m, err
}
