package worktree

import (
	"os"
	"path/filepath"
)

// link writes the .git file of a tree that has none.
func (c checkout) link() error {
	return os.WriteFile(filepath.Join(c.path, ".git"), []byte("gitdir: "+filepath.ToSlash(c.admin)+"\n"), 0o644)
}

// setTreeAside sets a session's folder aside. One without anything of its own in it is removed: a start that was cut off early leaves such.
func setTreeAside(path string) (string, error) {
	entries, err := os.ReadDir(path)
	bare := len(entries) == 1 && entries[0].Name() == ".git" && entries[0].Type().IsRegular()
	if err == nil && bare {
		if err := os.Remove(filepath.Join(path, ".git")); err != nil {
			return "", err
		}
	}
	if err == nil && (bare || len(entries) == 0) && os.Remove(path) == nil {
		return "", nil
	}
	return setAside(path, path)
}
