package worktree

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// checkout is one linked worktree: its folder, and the folder in the common dir that administers it.
type checkout struct {
	path  string
	admin string
	at    place
}

// Present reports whether the session's tree is there, complete, and linked to this repository in both directions. Nothing may run in the tree when it is not: without its .git file, git commands there could reach another repository.
func (r *Repository) Present(id Identity) bool {
	_, err := r.checked(id.Path)
	return err == nil
}

// checked returns a tree in which the server may work, or a RefusedError that says what is wrong with it.
func (r *Repository) checked(path string) (checkout, error) {
	tree, err := r.find(path)
	if err != nil {
		return checkout{}, err
	}
	link, err := readLink(path)
	if err != nil || !samePath(link, tree.admin) {
		return checkout{}, refuse(WorktreeBroken, "use worktree %q: its .git file no longer points to %q; resume the session to repair it", path, tree.admin)
	}
	if !tree.complete() {
		return checkout{}, refuse(WorktreeUnfinished, "use worktree %q: its files were never checked out completely; resume the session to make it again", path)
	}
	return tree, nil
}

// find returns the tree at path as the repository's own side knows it. What the tree says about itself is not believed here, since commands of the session can write it.
func (r *Repository) find(path string) (checkout, error) {
	if stat, err := os.Lstat(path); err != nil || !stat.IsDir() {
		return checkout{}, refuse(WorktreeMissing, "use worktree %q: the folder is gone; resume the session to restore it from its last checkpoint", path)
	}
	admin, err := r.adminOf(path)
	if err != nil {
		return checkout{}, err
	}
	if admin == "" {
		return checkout{}, refuse(WorktreeBroken, "use worktree %q: repository %q does not know it; move the folder away and resume the session to restore it", path, r.root)
	}
	return checkout{path: path, admin: admin, at: r.linkedPlace(path, admin)}, nil
}

// unfinishedName is a file in the administrative folder of a tree, there from its registration until its files and its index are as they are to be.
const unfinishedName = "nodwyn-unfinished"

// complete reports whether the files are all there; a snapshot of a tree whose checkout was cut off would look like a mass deletion. Git renames the index into place after the last file, so that a tree has none for as long as a registration was cut off before the marker.
func (c checkout) complete() bool {
	_, err := os.Stat(filepath.Join(c.admin, "index"))
	_, marked := os.Lstat(filepath.Join(c.admin, unfinishedName))
	return err == nil && errors.Is(marked, fs.ErrNotExist)
}

func (c checkout) mark() error {
	if err := os.WriteFile(filepath.Join(c.admin, unfinishedName), nil, 0o644); err != nil {
		return fmt.Errorf("mark %q as unfinished: %w", c.path, err)
	}
	return nil
}

func (c checkout) unmark() error {
	if err := os.Remove(filepath.Join(c.admin, unfinishedName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("mark %q as finished: %w", c.path, err)
	}
	return nil
}

// Knows reports whether a session's worktree was made from this repository: its own records name the tree. It tells where a repository went that was moved.
func (r *Repository) Knows(id Identity) bool {
	admin, err := r.adminOf(id.Path)
	return err == nil && admin != ""
}

// adminOf returns the administrative folder of the worktree at path, empty when none is registered.
func (r *Repository) adminOf(path string) (string, error) {
	folder := filepath.Join(r.common, "worktrees")
	entries, err := os.ReadDir(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("list worktrees: %w", err)
	}
	for _, entry := range entries {
		admin := filepath.Join(folder, entry.Name())
		text, err := os.ReadFile(filepath.Join(admin, "gitdir"))
		if err == nil && samePath(absolute(admin, string(text)), filepath.Join(path, ".git")) {
			return admin, nil
		}
	}
	return "", nil
}

// readLink returns where the .git file of a linked worktree points to.
func readLink(path string) (string, error) {
	name := filepath.Join(path, ".git")
	stat, err := os.Lstat(name)
	if err != nil {
		return "", err
	}
	if !stat.Mode().IsRegular() {
		return "", fmt.Errorf("read %q: it is not a regular file", name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(text), "gitdir: ")
	if !ok {
		return "", fmt.Errorf("read %q: it does not point to a git folder", name)
	}
	return absolute(path, target), nil
}

// absolute reads a path as git writes it into its files: with a line feed behind it, and relative to their folder since git 2.48.
func absolute(folder, text string) string {
	path := filepath.FromSlash(strings.TrimRight(text, "\r\n"))
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(folder, path)
}

// samePath compares two absolute paths, seeing through links where both exist.
func samePath(a, b string) bool {
	if a == b {
		return true
	}
	one, errOne := os.Stat(a)
	two, errTwo := os.Stat(b)
	return errOne == nil && errTwo == nil && os.SameFile(one, two)
}

// realPath resolves the links of the part of path that exists, since git records real paths.
func realPath(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	real, err := filepath.EvalSymlinks(path)
	if err == nil || !errors.Is(err, fs.ErrNotExist) {
		return real, err
	}
	parent, err := realPath(filepath.Dir(path))
	return filepath.Join(parent, filepath.Base(path)), err
}
