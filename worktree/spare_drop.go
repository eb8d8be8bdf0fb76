package worktree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// oldSpare begins the names of spares that are being deleted.
const oldSpare = ".spare-old-"

// dropSpare removes what there is of a spare, whole or not. What somebody may have put there goes to the trash; the rest is deleted under another name, so that a git that outlived its process cannot write into the next spare.
func (r *Repository) dropSpare(ctx context.Context, path string) error {
	if _, err := os.Lstat(path); err == nil {
		if err := r.dropSpareFolder(ctx, path); err != nil {
			return err
		}
	}
	if err := r.forget(ctx, path); err != nil {
		return err
	}
	return r.sweepSpares(path)
}

func (r *Repository) dropSpareFolder(ctx context.Context, path string) error {
	ours := false
	if tree, err := r.find(path); err == nil {
		if _, err := readSpareNote(tree.admin); errors.Is(err, os.ErrNotExist) {
			ours = true // it was being made
		} else if ours, err = r.pure(ctx, tree); err != nil {
			return err
		}
		if err := os.Remove(filepath.Join(tree.admin, spareNoteName)); err != nil && !os.IsNotExist(err) {
			return err
		}
	}
	if !ours {
		_, err := setAside(filepath.Join(filepath.Dir(path), "spare"), path) // the trash knows names of sessions only
		return err
	}
	return os.Rename(path, filepath.Join(filepath.Dir(path), oldSpare+time.Now().UTC().Format("20060102T150405.000000000")))
}

// sweepSpares deletes the folders of dropped spares.
func (r *Repository) sweepSpares(path string) error {
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return err
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), oldSpare) {
			if err := os.RemoveAll(filepath.Join(filepath.Dir(path), entry.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}
