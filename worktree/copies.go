package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-json-experiment/json"
)

// manifest says which ignored files were copied into a tree, so that a change of one can be seen. It lies in the tree's administrative folder and goes with it.
type manifest struct {
	// From is the checkout that they came from.
	From string `json:"from"`
	// Files holds the SHA-256 of each as it was copied; empty while it is being copied.
	Files map[string]string `json:"files"`
}

const manifestName = "nodwyn-copied"

func readManifest(admin string) (manifest, error) {
	m := manifest{Files: make(map[string]string)}
	text, err := os.ReadFile(filepath.Join(admin, manifestName))
	if errors.Is(err, fs.ErrNotExist) {
		return m, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("read the list of copied files: %w", err)
	}
	return m, nil
}

// write puts the list into place in one step.
func (m manifest) write(admin string) error {
	text, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("note the copied files: %w", err)
	}
	name := filepath.Join(admin, manifestName)
	if err := os.WriteFile(name+".new", text, 0o600); err != nil {
		return fmt.Errorf("note the copied files: %w", err)
	}
	if err := os.Rename(name+".new", name); err != nil {
		return fmt.Errorf("note the copied files: %w", err)
	}
	return nil
}

// copies copies files between two folders, never out of either.
type copies struct {
	admin    string
	from, to *os.Root
	list     manifest
	left     int64 // bytes that may still be copied
}

func openCopies(tree checkout, from string, limit int64) (*copies, error) {
	const usual = 512 << 20
	if limit == 0 {
		limit = usual
	}
	list, err := readManifest(tree.admin)
	if err != nil {
		list = manifest{Files: make(map[string]string)} // a list that was cut off or spoilt only forgets what was copied
	}
	list.From = from
	source, err := os.OpenRoot(from)
	if err != nil {
		return nil, err
	}
	target, err := os.OpenRoot(tree.path)
	if err != nil {
		return nil, errors.Join(err, source.Close())
	}
	return &copies{admin: tree.admin, from: source, to: target, list: list, left: limit}, nil
}

func (c *copies) close() error { return errors.Join(c.from.Close(), c.to.Close()) }

// copyAll notes what it is about to copy, copies, and notes what it copied: a file that is noted without a sum was cut off, and is written again.
func (c *copies) copyAll(ctx context.Context, names []string, e *Equipment) error {
	var todo []string
	for _, name := range names {
		if c.wanted(name, e) {
			todo = append(todo, name)
			c.list.Files[name] = ""
		}
	}
	if len(todo) > 0 {
		if err := c.list.write(c.admin); err != nil {
			return err
		}
	}
	for _, name := range todo {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		sum, err := c.copy(name)
		if err != nil {
			delete(c.list.Files, name)
			e.leave(name, fmt.Sprintf("it could not be copied: %v", err))
			continue
		}
		c.list.Files[name] = sum
	}
	if len(todo) > 0 {
		if err := c.list.write(c.admin); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.list.Files)) {
		if _, err := c.to.Lstat(name); err == nil {
			e.Copied = append(e.Copied, name)
		}
	}
	return nil
}

// wanted reports whether a file is to be copied, and says why not.
func (c *copies) wanted(name string, e *Equipment) bool {
	sum, noted := c.list.Files[name]
	if _, err := c.to.Lstat(name); err == nil && (!noted || sum != "") {
		if !noted {
			e.leave(name, "the tree has one already")
		}
		return false
	}
	stat, err := c.from.Lstat(name)
	switch {
	case err != nil:
		e.leave(name, "it cannot be read")
	case stat.Mode()&fs.ModeSymlink != 0:
		_, inner := c.linkOf(name)
		if !inner {
			e.leave(name, "it is a symbolic link that leads out of the checkout")
		}
		return inner
	case !stat.Mode().IsRegular():
		e.leave(name, "it is no regular file")
	case stat.Size() > c.left:
		e.leave(name, fmt.Sprintf("it is too large (%d bytes; %d may still be copied)", stat.Size(), c.left))
	default:
		c.left -= stat.Size()
		return true
	}
	return false
}

// linkOf returns where a symbolic link leads, and whether that is inside of the checkout by its own words: then it leads to the same place of the worktree. Without such links the commands of a node_modules are not there.
func (c *copies) linkOf(name string) (target string, inner bool) {
	target, err := c.from.Readlink(filepath.FromSlash(name))
	if err != nil || filepath.IsAbs(target) {
		return "", false
	}
	return target, filepath.IsLocal(filepath.Join(filepath.Dir(filepath.FromSlash(name)), target))
}

// copy writes one file or link and returns its sum. What it replaces is its own, of a call that was cut off.
func (c *copies) copy(name string) (sum string, err error) {
	if target, inner := c.linkOf(name); inner {
		return sumOfLink(target), c.place(name, func() error { return c.to.Symlink(target, filepath.FromSlash(name)) })
	}
	source, err := c.from.Open(name)
	if err != nil {
		return "", err
	}
	defer source.Close()
	stat, err := source.Stat()
	if err != nil {
		return "", err
	}
	listed, err := c.from.Lstat(name)
	if err != nil {
		return "", err
	}
	if !stat.Mode().IsRegular() || !os.SameFile(stat, listed) {
		return "", &fs.PathError{Op: "open", Path: name, Err: errors.New("it changed into something else meanwhile")}
	}
	err = c.place(name, func() error {
		sum, err = c.fill(name, source, stat.Mode().Perm())
		return err
	})
	return sum, err
}

// place makes room for a file and lets it be made.
func (c *copies) place(name string, build func() error) error {
	if err := c.to.MkdirAll(filepath.Dir(filepath.FromSlash(name)), 0o755); err != nil {
		return err
	}
	if err := c.to.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return build()
}

func (c *copies) fill(name string, source io.Reader, mode fs.FileMode) (sum string, err error) {
	target, err := c.to.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	_, err = io.Copy(io.MultiWriter(target, hash), source)
	if closed := target.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = c.to.Chmod(name, mode)
	}
	if err != nil {
		return "", errors.Join(err, c.to.Remove(name))
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}

// ChangedCopies lists the copied ignored files that changed in the tree since, and are not what the person's checkout has by now either: no snapshot holds them, so a removal would take them.
func (r *Repository) ChangedCopies(id Identity) ([]string, error) {
	tree, err := r.find(id.Path)
	if refusedFor(err, WorktreeMissing) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return changedCopies(tree)
}

func changedCopies(tree checkout) ([]string, error) {
	list, err := readManifest(tree.admin)
	if err != nil || len(list.Files) == 0 {
		return nil, err
	}
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(list.Files)) {
		now, err := sumOf(tree.path, name)
		if err != nil {
			return nil, err
		}
		if now == "" || now == list.Files[name] {
			continue // deleted, or as it was copied: the person has it
		}
		if theirs, err := sumOf(list.From, name); err == nil && theirs == now {
			continue
		}
		changed = append(changed, name)
	}
	return changed, nil
}

// sumOfLink is the sum of a symbolic link: of where it leads.
func sumOfLink(target string) string {
	sum := sha256.Sum256([]byte("link to " + target))
	return hex.EncodeToString(sum[:])
}

// sumOf returns the SHA-256 of a regular file or a symbolic link, empty when there is neither; it follows no link.
func sumOf(dir, name string) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	stat, err := root.Lstat(name)
	if err == nil && stat.Mode()&fs.ModeSymlink != 0 {
		target, err := root.Readlink(name)
		return sumOfLink(target), err
	}
	if err != nil || !stat.Mode().IsRegular() {
		return "", nil
	}
	file, err := root.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	hash := sha256.New()
	if _, err := io.Copy(hash, file); err != nil {
		return "", err
	}
	return hex.EncodeToString(hash.Sum(nil)), nil
}
