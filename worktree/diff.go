package worktree

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// FileDiff is how one file differs between two trees.
type FileDiff struct {
	// Path is the file, relative to the tree.
	Path string
	// OldPath is where a renamed file was before.
	OldPath string
	// Status is A (added), M (modified), D (deleted), R (renamed) or T (its type changed).
	Status string
	// Insertions counts added lines, 0 for a binary file.
	Insertions int
	// Deletions counts removed lines, 0 for a binary file.
	Deletions int
	// Binary is set when git does not compare the file by lines.
	Binary bool
	// Hunks are the changed places in order; a binary file and a change of mode or name alone have none.
	Hunks []Hunk
}

// change is a FileDiff without hunks, as git lists it.
type change struct {
	FileDiff
	// repository is set when the new side is a repository of its own (a gitlink) and the old side was not.
	repository bool
}

// Diff compares two commits or trees. A path keeps only that file or folder; renames into and out of it stay renames.
func (r *Repository) Diff(ctx context.Context, from, to, path string) ([]FileDiff, error) {
	files, err := r.diff(ctx, from, to, strings.TrimSuffix(path, "/"))
	if err != nil {
		return nil, fmt.Errorf("diff %s..%s: %w", from, to, err)
	}
	return files, nil
}

func (r *Repository) diff(ctx context.Context, from, to, path string) ([]FileDiff, error) {
	from, err := r.treeOf(ctx, from)
	if err != nil {
		return nil, err
	}
	if to, err = r.treeOf(ctx, to); err != nil {
		return nil, err
	}
	changes, err := r.changes(ctx, from, to, nil)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	if path == "" {
		return r.patch(ctx, from, to, changes, nil)
	}
	changes = slices.DeleteFunc(changes, func(c change) bool { return !within(c.Path, path) && !within(c.OldPath, path) })
	if len(changes) == 0 {
		return nil, nil
	}
	// Listed again with both names of each rename, so that list and patch rest on the same search for renames.
	paths := pathsOf(changes)
	if changes, err = r.changes(ctx, from, to, paths); err != nil {
		return nil, err
	}
	return r.patch(ctx, from, to, changes, paths)
}

func (r *Repository) patch(ctx context.Context, from, to string, changes []change, paths []string) ([]FileDiff, error) {
	text, err := r.diffTree(ctx, from, to, paths, "--patch", "--unified=3")
	if err != nil {
		return nil, err
	}
	return withHunks(changes, text)
}

func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func pathsOf(changes []change) []string {
	var paths []string
	for _, c := range changes {
		paths = append(paths, c.Path)
		if c.OldPath != "" {
			paths = append(paths, c.OldPath)
		}
	}
	return paths
}

// changes lists what differs between two trees, in git's order.
func (r *Repository) changes(ctx context.Context, from, to string, paths []string) ([]change, error) {
	out, err := r.diffTree(ctx, from, to, paths, "--raw", "--numstat", "-z")
	if err != nil {
		return nil, err
	}
	return parseChanges(out)
}

// diffTree runs the plumbing command, which reads no display settings, and never a program that the repository names for comparing or converting files.
func (r *Repository) diffTree(ctx context.Context, from, to string, paths []string, form ...string) (string, error) {
	args := append([]string{"diff-tree", "-r", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/"}, form...)
	args = append(args, from, to, "--")
	out, err := r.git.Run(ctx, r.mainPlace().dir, r.mainPlace().environment(), nil, append(args, paths...)...)
	return string(out), err
}

// fields hands out NUL-ended fields one by one.
type fields struct{ rest string }

func (f *fields) next() string {
	field, rest, _ := strings.Cut(f.rest, "\x00")
	f.rest = rest
	return field
}

// parseChanges reads raw records followed by numstat records, which name the same files in the same order.
func parseChanges(out string) ([]change, error) {
	in := &fields{out}
	var changes []change
	for strings.HasPrefix(in.rest, ":") {
		c, err := parseRaw(in)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	for i := range changes {
		if err := changes[i].parseNumstat(in); err != nil {
			return nil, err
		}
	}
	if in.rest != "" {
		return nil, fmt.Errorf("read list of changes: %q stands behind its end", in.rest)
	}
	return changes, nil
}

// gitlink is the mode of a commit that stands in a tree in place of a file.
const gitlink = "160000"

func parseRaw(in *fields) (change, error) {
	record := in.next()
	parts := strings.Split(strings.TrimPrefix(record, ":"), " ")
	if len(parts) != 5 || parts[4] == "" {
		return change{}, fmt.Errorf("read list of changes: record %q is not of the known form", record)
	}
	c := change{repository: parts[1] == gitlink && parts[0] != gitlink}
	c.Status = parts[4][:1]
	if c.Status == "R" || c.Status == "C" {
		c.OldPath = in.next()
	}
	c.Path = in.next()
	return c, nil
}

func (c *change) parseNumstat(in *fields) error {
	record := in.next()
	parts := strings.SplitN(record, "\t", 3)
	if len(parts) != 3 {
		return fmt.Errorf("read list of changes: count %q is not of the known form", record)
	}
	old, path := "", parts[2]
	if path == "" {
		old, path = in.next(), in.next()
	}
	if old != c.OldPath || path != c.Path {
		return fmt.Errorf("read list of changes: counts of %q stand where those of %q should", path, c.Path)
	}
	if c.Binary = parts[0] == "-"; c.Binary {
		return nil
	}
	var err error
	if c.Insertions, err = strconv.Atoi(parts[0]); err != nil {
		return fmt.Errorf("read list of changes: %w", err)
	}
	if c.Deletions, err = strconv.Atoi(parts[1]); err != nil {
		return fmt.Errorf("read list of changes: %w", err)
	}
	return nil
}
