package worktree

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// clear refuses a rewrite in whose way something lies that no snapshot holds, such as an ignored file: git would write over it.
func (r *Repository) clear(ctx context.Context, tree checkout, before, after string) error {
	moving, err := r.between(ctx, before, after)
	if err != nil {
		return err
	}
	goes := make(map[string]bool)
	for _, d := range moving {
		goes[d.path] = d.deleted()
	}
	var conflicts []Conflict
	for _, d := range moving {
		if !d.added() {
			continue
		}
		name, err := inPlaceOf(tree.path, d.path, goes)
		if err != nil {
			return err
		}
		if name != "" {
			conflicts = append(conflicts, Conflict{Path: name, Kind: ignored})
		}
	}
	if len(conflicts) > 0 {
		return &ConflictError{Conflicts: slices.CompactFunc(conflicts, func(a, b Conflict) bool { return a.Path == b.Path }), Own: true}
	}
	return nil
}

// inPlaceOf returns a file that stands where one is to be added: itself, one in a folder of its name, or one where its folder goes. Those that go anyway do not count.
func inPlaceOf(dir, name string, goes map[string]bool) (string, error) {
	at := filepath.Join(dir, filepath.FromSlash(name))
	stat, err := os.Lstat(at)
	switch {
	case err == nil && !stat.IsDir():
		return name, nil
	case err == nil:
		return fileBelow(dir, at, goes)
	}
	for i, c := range name {
		if c != '/' || goes[name[:i]] {
			continue
		}
		if stat, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name[:i]))); err == nil && !stat.IsDir() {
			return name[:i], nil
		}
	}
	return "", nil
}

// fileBelow returns the first file in a folder that does not go.
func fileBelow(dir, folder string, goes map[string]bool) (found string, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if name = filepath.ToSlash(name); err == nil && !goes[name] {
			found, err = name, fs.SkipAll
		}
		return err
	})
	return found, err
}
