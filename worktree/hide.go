package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// hideRoot keeps the folder of all trees out of the status of the person's checkout, where they chose one inside of it: git would show each tree as an untracked repository. The line stands in git's own list, which no commit holds.
func (r *Repository) hideRoot(tree string) error {
	root, err := filepath.Rel(r.root, filepath.Dir(filepath.Dir(tree)))
	if r.bare || err != nil || !filepath.IsLocal(root) || root == "." || strings.Contains(root, "\n") {
		return nil
	}
	plain := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
	line := "/" + plain.Replace(filepath.ToSlash(root)) + "/"
	if err := addLine(filepath.Join(r.common, "info", "exclude"), line); err != nil {
		return fmt.Errorf("exclude the folder of the worktrees: %w", err)
	}
	return nil
}

// addLine adds a line to the end of a file that does not hold it yet, in one write, so that what others add meanwhile stays.
func addLine(name, line string) error {
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if err != nil || slices.Contains(strings.Split(string(text), "\n"), line) {
		return err
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		line = "\n" + line
	}
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.WriteString(line + "\n")
	return errors.Join(err, file.Close())
}
