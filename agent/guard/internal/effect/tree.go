package effect

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// maxLinks is where following links ends, as the kernel's own limit does.
const maxLinks = 40

// Tree is a folder that file operations are confined to. It is safe for concurrent use.
type Tree struct {
	root  *os.Root
	dir   string // without links
	given string // as the caller names it
	mount uint64 // what mountOf said of root
}

// OpenTree opens the folder dir.
func OpenTree(dir string) (*Tree, error) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return nil, fmt.Errorf("open tree: %w", err)
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, fmt.Errorf("open tree: %w", err)
	}
	mount, err := mountOf(root)
	if err != nil {
		_ = root.Close()
		return nil, fmt.Errorf("open tree %q: %w", real, err)
	}
	return &Tree{root: root, dir: real, given: filepath.Clean(dir), mount: mount}, nil
}

// Dir is the tree's absolute path without links.
func (t *Tree) Dir() string { return t.dir }

// Close releases the tree.
func (t *Tree) Close() error { return t.root.Close() }

// Rel turns an absolute path into one below the tree, with slashes. It looks at names only, and reports false for a path outside.
func (t *Tree) Rel(abs string) (string, bool) {
	for _, base := range []string{t.given, t.dir} {
		if rel, err := filepath.Rel(base, abs); err == nil && filepath.IsLocal(rel) {
			return filepath.ToSlash(rel), true
		}
	}
	return "", false
}

// Resolve returns where a path below the tree really lies, its links followed. What does not exist yet is kept as it is named. ErrEscape says that the way leads outside.
func (t *Tree) Resolve(name string) (string, error) {
	w := &walk{tree: t}
	defer w.close()
	todo, links := strings.Split(name, "/"), 0
	for len(todo) > 0 {
		next := todo[0]
		todo = todo[1:]
		switch next {
		case "", ".":
			continue
		case "..":
			if !w.up() {
				return "", ErrEscape
			}
			continue
		}
		info, err := w.top().Lstat(next)
		switch {
		case err != nil:
			return w.missing(next, todo, err)
		case info.Mode().Type() == fs.ModeSymlink:
			if links++; links > maxLinks {
				return "", fmt.Errorf("%w: too many links", ErrEscape)
			}
			target, err := w.link(next)
			if err != nil {
				return "", err
			}
			todo = append(target, todo...)
		case len(todo) == 0:
			return path.Join(w.path(), next), nil
		default:
			if err := w.down(next, info); err != nil {
				return "", err
			}
		}
	}
	return w.path(), nil
}

// Entry is what stands at a path.
type Entry struct {
	Mode    fs.FileMode
	Size    int64
	ModTime time.Time
}

// Cursor looks at one path of a tree after another and keeps the folders of the last one open, so that a batch in order is cheap. It follows no link. It is not safe for concurrent use.
type Cursor struct{ w walk }

// Cursor returns a cursor at the tree's root. Close releases it.
func (t *Tree) Cursor() *Cursor { return &Cursor{w: walk{tree: t}} }

// Close releases the folders that the cursor holds.
func (c *Cursor) Close() { c.w.close() }

// Stat says what stands at a resolved path.
func (c *Cursor) Stat(name string) (Entry, error) {
	dir, base, err := c.enter(name)
	if err != nil {
		return Entry{}, err
	}
	info, err := dir.Lstat(base)
	if err != nil {
		return Entry{}, err
	}
	return Entry{Mode: info.Mode(), Size: info.Size(), ModTime: info.ModTime()}, nil
}

// Read returns the content of the regular file at a resolved path; one of more than limit bytes is ErrTooLarge. It never waits for the writer of a FIFO.
func (c *Cursor) Read(name string, limit int64) ([]byte, error) {
	dir, base, err := c.enter(name)
	if err != nil {
		return nil, err
	}
	content, _, err := readFile(dir, base, limit)
	return content, err
}

// enter moves to the folder of name and returns it with the last component.
func (c *Cursor) enter(name string) (*os.Root, string, error) {
	dir, base := path.Split(path.Clean(name))
	if err := c.w.to(path.Clean(dir)); err != nil {
		return nil, "", err
	}
	return c.w.top(), base, nil
}

// Inside returns the names below the tree, without the tree itself, that an absolute folder has, by its own path and with links followed. A folder outside, or one that holds the tree, has none.
func (t *Tree) Inside(dir string) []string {
	ways := []string{dir}
	if real, err := filepath.EvalSymlinks(dir); err == nil && real != dir {
		ways = append(ways, real)
	}
	var found []string
	for _, way := range ways {
		if rel, ok := t.Rel(filepath.Clean(way)); ok && rel != "." {
			found = append(found, rel)
		}
	}
	return found
}
