package worktree

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// RevertSpec says what of a session's work is to be taken back.
type RevertSpec struct {
	// Session is the session's id, and Turn its last turn; they name the ref.
	Session string
	Turn    int
	// Last is the newest snapshot, or where the session counts from: what differs from it now was edited since, by somebody else than the session.
	Last string
	// To is what to go back to: the snapshot at the end of a turn, or where the session counts from.
	To string
	// Syncs are the syncs since To, oldest first: what they brought in is no work of the session's and stays.
	Syncs []Synchronized
	// Path takes only one file or folder back, Hunk only one hunk, by its id in the diff from To to Last or to the files as they are now. Both empty takes everything back.
	Path string
	Hunk string
	// Preview keeps nothing and so cannot be carried out.
	Preview bool
}

// Synchronized is a sync that happened: where the session counted from before, and since.
type Synchronized struct{ From, To string }

// PrepareRevert works out a revert. Edits that somebody made in the tree since the newest snapshot are kept: where they stand in other lines they are merged, and where they meet what is taken back, a ConflictError names them. No file changes; ApplyRewrite carries the revert out.
//
// A process that dies in it leaves objects, or the ref that keeps them.
func (r *Repository) PrepareRevert(ctx context.Context, id Identity, spec RevertSpec) (Rewrite, error) {
	rw, err := r.prepareRevert(ctx, id, spec)
	if err != nil {
		return Rewrite{}, fmt.Errorf("revert in worktree %q: %w", id.Path, err)
	}
	return rw, nil
}

func (r *Repository) prepareRevert(ctx context.Context, id Identity, spec RevertSpec) (Rewrite, error) {
	tree, err := r.checked(id.Path)
	if err != nil {
		return Rewrite{}, err
	}
	snap, err := r.snapshot(ctx, tree)
	if err != nil {
		return Rewrite{}, err
	}
	to, err := r.broughtAlong(ctx, spec)
	if err != nil {
		return Rewrite{}, err
	}
	from, wanted, err := r.wanted(ctx, spec, to, snap.tree)
	if err != nil {
		return Rewrite{}, err
	}
	files, err := r.turned(ctx, tree, from, wanted, snap.tree)
	if err != nil {
		return Rewrite{}, err
	}
	if files == snap.tree {
		return Rewrite{}, refuse(NothingToRevert, "nothing to take back: the files are that way already")
	}
	o, err := r.stay(ctx, tree, snap, files)
	if err != nil {
		return Rewrite{}, err
	}
	w := writing{id: id, session: spec.Session, turn: spec.Turn, subject: "revert", preview: spec.Preview}
	return r.prepareRewrite(ctx, tree, w, snap, o)
}

// broughtAlong is what to go back to, with what syncs brought in since.
func (r *Repository) broughtAlong(ctx context.Context, spec RevertSpec) (string, error) {
	to, err := r.treeOf(ctx, spec.To)
	if err != nil {
		return "", err
	}
	for _, s := range spec.Syncs {
		merged, conflicts, err := r.merge3(ctx, s.From, to, s.To)
		if err != nil {
			return "", err
		}
		if len(conflicts) > 0 {
			return "", &ConflictError{Conflicts: r.meetings(ctx, conflicts, s.From, to, s.To), Own: true}
		}
		to = merged
	}
	return to, nil
}

// wanted returns what the session's work is to become, and what of it is meant: its newest snapshot, or the files as they are now when the part that was chosen is only there.
func (r *Repository) wanted(ctx context.Context, spec RevertSpec, to, now string) (from, wanted string, err error) {
	last, err := r.treeOf(ctx, spec.Last)
	if err != nil || spec.Path == "" && spec.Hunk == "" {
		return last, to, err
	}
	for _, from := range [...]string{last, now} {
		wanted, err = r.withoutPart(ctx, spec, to, from)
		if !refusedFor(err, BadChoice) {
			return from, wanted, err
		}
	}
	return "", "", err
}

// withoutPart takes a file, a folder or a hunk of what changed from one tree to another out of the second.
func (r *Repository) withoutPart(ctx context.Context, spec RevertSpec, to, from string) (string, error) {
	files, err := r.diff(ctx, to, from, "")
	if err != nil {
		return "", err
	}
	var paths, hunks []string
	if spec.Path != "" {
		paths = []string{spec.Path}
	}
	if spec.Hunk != "" {
		hunks = []string{spec.Hunk}
	}
	if spec.Path != "" && spec.Hunk != "" { // the path only says where the hunk is
		paths = nil
		files = slices.DeleteFunc(files, func(f FileDiff) bool { return f.Path != spec.Path })
	}
	picked, err := pick(files, paths, hunks)
	if err != nil {
		return "", err
	}
	entries, err := r.formerEntries(ctx, to, from, files, picked)
	if err != nil {
		return "", err
	}
	return r.treeWith(ctx, from, entries)
}

// formerEntries returns what the picked parts were before.
func (r *Repository) formerEntries(ctx context.Context, to, from string, files []FileDiff, picked []choice) ([]entry, error) {
	list, err := r.between(ctx, to, from)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]delta)
	for _, d := range list {
		changed[d.path] = d
	}
	var entries []entry
	for _, c := range picked {
		d, old := changed[c.file.Path], changed[c.file.OldPath]
		if c.hunks == nil {
			entries = append(entries, entry{d.oldMode, d.oldID, d.path})
			if old.path != "" {
				entries = append(entries, entry{old.oldMode, old.oldID, old.path})
			}
			continue
		}
		if c.file.Status != "M" && c.file.Status != "R" {
			return nil, refuse(BadChoice, "hunk %q is one of several of %q, whose type changed too; take the file back as a whole", c.hunks[0].ID, c.file.Path)
		}
		blob := d.oldID
		if c.file.Status == "R" {
			blob = old.oldID
		}
		id, err := r.withHunks(ctx, blob, choice{c.file, others(files, c)})
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{d.newMode, id, d.path})
	}
	return entries, nil
}

// others returns the hunks of a file that were not picked.
func others(files []FileDiff, c choice) []Hunk {
	var rest []Hunk
	for _, f := range files {
		if f.Path != c.file.Path {
			continue
		}
		for _, h := range f.Hunks {
			if !slices.ContainsFunc(c.hunks, func(picked Hunk) bool { return picked.ID == h.ID }) {
				rest = append(rest, h)
			}
		}
	}
	return rest
}

// turned puts a change into the files as they are now, which may have other edits: as it is where only the change touches a file, merged where both do.
func (r *Repository) turned(ctx context.Context, tree checkout, from, wanted, now string) (string, error) {
	touched, err := r.between(ctx, from, wanted)
	if err != nil {
		return "", err
	}
	since, err := r.between(ctx, from, now)
	if err != nil {
		return "", err
	}
	s := &shift{at: tree.at, before: now, parted: make(map[string]bool)}
	for _, c := range sameFiles(touched, since) {
		s.parted[c.Path] = true
	}
	if s.after, err = r.carried(ctx, s, from, now, touched); err != nil {
		return "", r.editedSince(ctx, err, from, now, wanted)
	}
	if err := r.onlyTouched(ctx, s, touched); err != nil {
		return "", err
	}
	err = r.comesBack(ctx, s)
	return s.after, r.editedSince(ctx, err, from, now, wanted)
}

// editedSince names conflicts for what they are here.
func (r *Repository) editedSince(ctx context.Context, err error, from, now, wanted string) error {
	conflict, ok := errors.AsType[*ConflictError](err)
	if !ok {
		return err
	}
	for i := range conflict.Conflicts {
		conflict.Conflicts[i].Kind = edited
	}
	conflict.Own, conflict.Conflicts = true, r.meetings(ctx, conflict.Conflicts, from, now, wanted)
	return conflict
}

// onlyTouched refuses what would drop a file that the change does not name: somebody made it since where the change needs a folder, or a folder where it needs a file.
func (r *Repository) onlyTouched(ctx context.Context, s *shift, touched []delta) error {
	moving, err := r.between(ctx, s.before, s.after)
	if err != nil {
		return err
	}
	meant := make(map[string]bool)
	for _, d := range touched {
		meant[d.path] = true
	}
	var conflicts []Conflict
	for _, d := range moving {
		if !meant[d.path] {
			conflicts = append(conflicts, Conflict{Path: d.path, Kind: edited})
		}
	}
	if len(conflicts) > 0 {
		return &ConflictError{Conflicts: conflicts, Own: true}
	}
	return nil
}
