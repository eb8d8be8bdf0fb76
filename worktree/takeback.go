package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// takeBack puts the files of a move back that was not finished, and ends its journal. A file that is neither what it was nor what it was to become, nor cut off on the way there, was edited since and stays.
func (r *Repository) takeBack(ctx context.Context, at place, j journal) error {
	if err := r.filesBack(ctx, at, j); err != nil {
		return fmt.Errorf("put the files back in %q: %w", at.dir, err)
	}
	return dropJournal(at.gitDir)
}

func (r *Repository) filesBack(ctx context.Context, at place, j journal) error {
	moving, err := r.between(ctx, j.Before, j.After)
	if err != nil {
		return err
	}
	if moving, err = r.present(ctx, at, moving); err != nil || len(moving) == 0 {
		return err
	}
	old, unlike, err := r.compare(ctx, at, oldSide(moving))
	if err != nil {
		return err
	}
	defer os.Remove(old)
	becoming, unlikeNew, err := r.compare(ctx, at, newSide(moving))
	if err != nil {
		return err
	}
	os.Remove(becoming)
	var back []delta
	for _, d := range moving {
		if !unlike[d.path] {
			continue
		}
		ours, err := r.halfWay(ctx, at, d, unlikeNew[d.path])
		if err != nil {
			return err
		}
		if ours {
			back = append(back, d)
		}
	}
	return r.rewrite(ctx, at.with("GIT_INDEX_FILE="+old), back)
}

// present leaves out the paths that a sparse checkout does not show.
func (r *Repository) present(ctx context.Context, at place, moving []delta) ([]delta, error) {
	out, err := r.ask(ctx, at, "ls-files", "-t", "-z")
	if err != nil {
		return nil, err
	}
	hidden := make(map[string]bool)
	for in := (&fields{out}); in.rest != ""; {
		if name, skipped := strings.CutPrefix(in.next(), "S "); skipped {
			hidden[name] = true
		}
	}
	var list []delta
	for _, d := range moving {
		if !hidden[d.path] {
			list = append(list, d)
		}
	}
	return list, nil
}

// compare makes an index with the given entries and says which of their files differ from it.
func (r *Repository) compare(ctx context.Context, at place, entries []entry) (index string, unlike map[string]bool, err error) {
	if index, err = copyIndex(at.gitDir); err != nil {
		return "", nil, err
	}
	tmp := at.with("GIT_INDEX_FILE=" + index)
	err = r.setEntries(ctx, tmp, entries)
	if err == nil {
		_, err = r.change(ctx, tmp, nil, "update-index", "-q", "--refresh")
	}
	var edited []delta
	if err == nil || exitCode(err) == 1 {
		edited, err = r.deltas(ctx, tmp, "diff-files")
	}
	if err != nil {
		return index, nil, errors.Join(err, os.Remove(index))
	}
	unlike = make(map[string]bool)
	for _, d := range edited {
		unlike[d.path] = true
	}
	for _, e := range entries {
		if e.mode == noMode && exists(at.dir, e.path) {
			unlike[e.path] = true
		}
	}
	return index, unlike, nil
}

func exists(dir, name string) bool {
	stat, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
	return err == nil && !stat.IsDir()
}

// halfWay reports whether a file is what the move made of it, or cut off while git wrote it: gone, or only the beginning.
func (r *Repository) halfWay(ctx context.Context, at place, d delta, unlikeNew bool) (bool, error) {
	if !unlikeNew {
		return true, nil
	}
	stat, err := os.Lstat(filepath.Join(at.dir, filepath.FromSlash(d.path)))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil || !stat.Mode().IsRegular() || d.deleted() {
		return false, nil
	}
	there, err := os.ReadFile(filepath.Join(at.dir, filepath.FromSlash(d.path)))
	if err != nil {
		return false, fmt.Errorf("read %q: %w", d.path, err)
	}
	whole, err := r.written(ctx, at, d.path, d.newID)
	return err == nil && strings.HasPrefix(whole, string(there)), err
}

// rewrite puts files back by git, from an index that has them: what was added goes first, because it may be a folder in the place of a file.
func (r *Repository) rewrite(ctx context.Context, at place, back []delta) error {
	var list strings.Builder
	for _, d := range back {
		if !d.added() {
			list.WriteString(d.path + "\x00")
			continue
		}
		if err := removeFile(at.dir, d.path); err != nil {
			return err
		}
	}
	if list.Len() == 0 {
		return nil
	}
	_, err := r.change(ctx, at, []byte(list.String()), "checkout-index", "-f", "-q", "-z", "--stdin")
	return filterRefusal(err)
}

// removeFile removes a file, and the folders above it that it leaves empty.
func removeFile(dir, name string) error {
	if err := os.Remove(filepath.Join(dir, filepath.FromSlash(name))); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for above := filepath.Dir(filepath.FromSlash(name)); above != "."; above = filepath.Dir(above) {
		if os.Remove(filepath.Join(dir, above)) != nil {
			break // it has other files
		}
	}
	return nil
}
