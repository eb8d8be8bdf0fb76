package worktree

import (
	"context"
	"fmt"
	"strings"
)

// delta is how one path differs, in git's raw form: with modes and object ids, and renames as a deletion and an addition.
type delta struct {
	path             string
	oldMode, newMode string
	oldID, newID     string
}

// noMode is the mode of what does not exist.
const noMode = "000000"

func (d delta) added() bool   { return d.oldMode == noMode }
func (d delta) deleted() bool { return d.newMode == noMode }

// deltas runs one of git's raw comparisons at a place.
func (r *Repository) deltas(ctx context.Context, at place, command string, args ...string) ([]delta, error) {
	out, err := r.ask(ctx, at, append([]string{command, "-z", "--raw", "--no-renames", "--no-ext-diff", "--ignore-submodules=dirty"}, args...)...)
	if err != nil {
		return nil, err
	}
	return parseDeltas(out)
}

// between lists what differs between two trees.
func (r *Repository) between(ctx context.Context, from, to string) ([]delta, error) {
	if from == to {
		return nil, nil
	}
	return r.deltas(ctx, r.mainPlace(), "diff-tree", "-r", from, to, "--")
}

func parseDeltas(out string) ([]delta, error) {
	var list []delta
	for in := (&fields{out}); in.rest != ""; {
		record := in.next()
		parts := strings.Split(strings.TrimPrefix(record, ":"), " ")
		if len(parts) != 5 {
			return nil, fmt.Errorf("read comparison: record %q is not of the known form", record)
		}
		list = append(list, delta{path: in.next(), oldMode: parts[0], newMode: parts[1], oldID: parts[2], newID: parts[3]})
	}
	return list, nil
}

func namesOf(list []delta) []string {
	names := make([]string, 0, len(list))
	for _, d := range list {
		names = append(names, d.path)
	}
	return names
}

// entry is what an index or a tree is to have at a path.
type entry struct{ mode, id, path string }

func oldSide(list []delta) []entry {
	entries := make([]entry, 0, len(list))
	for _, d := range list {
		entries = append(entries, entry{d.oldMode, d.oldID, d.path})
	}
	return entries
}

func newSide(list []delta) []entry {
	entries := make([]entry, 0, len(list))
	for _, d := range list {
		entries = append(entries, entry{d.newMode, d.newID, d.path})
	}
	return entries
}

// setEntries writes entries into the index of a place; what has no mode goes. Deletions come first, because a folder may stand where a file was.
func (r *Repository) setEntries(ctx context.Context, at place, entries []entry) error {
	var gone, there strings.Builder
	for _, e := range entries {
		if e.mode == noMode {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", strings.Repeat("0", len(e.id)), e.path)
			continue
		}
		fmt.Fprintf(&there, "%s %s\t%s\x00", e.mode, e.id, e.path)
	}
	_, err := r.change(ctx, at, []byte(gone.String()+there.String()), "update-index", "-z", "--index-info")
	return err
}

// entriesIn lists what a tree has at each of its paths.
func (r *Repository) entriesIn(ctx context.Context, tree string) (map[string]entry, error) {
	out, err := r.ask(ctx, r.mainPlace(), "ls-tree", "-r", "-z", "--full-tree", tree)
	if err != nil {
		return nil, err
	}
	entries := make(map[string]entry)
	for in := (&fields{out}); in.rest != ""; {
		what, path, _ := strings.Cut(in.next(), "\t")
		parts := strings.Fields(what)
		if len(parts) != 3 {
			return nil, fmt.Errorf("read tree %s: entry %q is not of the known form", tree, what)
		}
		entries[path] = entry{parts[0], parts[2], path}
	}
	return entries, nil
}
