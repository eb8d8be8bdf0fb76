package worktree

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// hideRoot keeps the folder of all trees out of the status of the person's checkout, where they chose one inside of it. The line goes into git's own list of that repository, which no commit holds.
func (r *Repository) hideRoot(tree string) error {
	root, err := filepath.Rel(r.root, filepath.Dir(filepath.Dir(tree)))
	if r.bare || err != nil || !filepath.IsLocal(root) || root == "." || strings.Contains(root, "\n") {
		return nil
	}
	plain := strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)
	line := []byte("/" + plain.Replace(filepath.ToSlash(root)) + "/\n")
	name := filepath.Join(r.common, "info", "exclude")
	text, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(filepath.Dir(name), 0o755)
	}
	if err != nil {
		return fmt.Errorf("exclude the folder of the worktrees: %w", err)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		text, line = append(text, '\n'), append([]byte("\n"), line...)
	}
	if bytes.Contains(append([]byte("\n"), text...), append([]byte("\n"), bytes.TrimPrefix(line, []byte("\n"))...)) {
		return nil
	}
	return appendTo(name, line)
}

func appendTo(name string, text []byte) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	return errors.Join(err, file.Close())
}
