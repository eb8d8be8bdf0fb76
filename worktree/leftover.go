package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// leftOverAge is how old a temporary file of ours has to be to count as left over. Nothing of ours uses one for longer than minutes, but a machine may sleep in between.
const leftOverAge = 7 * 24 * time.Hour

// scratchNames begin the names of the temporary files that this package makes in git folders.
var scratchNames = [...]string{"nodwyn-index-", "nodwyn-tree-", "nodwyn-include-", journalName + "-"}

// LeftOvers lists the temporary files that processes which died left in the git folders of the repository. Their own time says nothing, because a private index has that of the index that it was copied from; where the system does not tell when a file was made, none is listed.
func (r *Repository) LeftOvers(now time.Time) ([]string, error) {
	folders := []string{r.common}
	admins, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	for _, admin := range admins {
		folders = append(folders, filepath.Join(r.common, "worktrees", admin.Name()))
	}
	var list []string
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("look for left-overs: %w", err)
		}
		for _, entry := range entries {
			if path := filepath.Join(folder, entry.Name()); leftOver(path, now) {
				list = append(list, path)
			}
		}
	}
	return list, nil
}

func leftOver(path string, now time.Time) bool {
	ours := func(begin string) bool { return strings.HasPrefix(filepath.Base(path), begin) }
	if !slices.ContainsFunc(scratchNames[:], ours) {
		return false
	}
	touched, known := touchedAt(path)
	return known && now.Sub(touched) >= leftOverAge
}

// DropLeftOver deletes what LeftOvers listed.
func DropLeftOver(path string) error {
	if err := os.RemoveAll(path); err != nil {
		return fmt.Errorf("delete the left-over %q: %w", path, err)
	}
	return nil
}
