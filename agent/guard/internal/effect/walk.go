package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// walk is a position in a tree. Each step opens one component and proves that it got the folder it looked at, so a link that is put in place between the two is noticed.
type walk struct {
	tree  *Tree
	names []string
	open  []*os.Root // open[i] is the folder names[:i+1]
}

func (w *walk) top() *os.Root {
	if len(w.open) == 0 {
		return w.tree.root
	}
	return w.open[len(w.open)-1]
}

func (w *walk) path() string {
	if len(w.names) == 0 {
		return "."
	}
	return path.Join(w.names...)
}

// down enters the folder name, of which info is what Lstat said.
func (w *walk) down(name string, info fs.FileInfo) error {
	if !info.IsDir() {
		return fmt.Errorf("%q is not a folder: %w", path.Join(w.path(), name), fs.ErrNotExist)
	}
	next, err := w.top().OpenRoot(name)
	if err != nil {
		return err
	}
	if err := w.same(next, info); err != nil {
		_ = next.Close()
		return err
	}
	w.names = append(w.names, name)
	w.open = append(w.open, next)
	return nil
}

// same refuses a folder that is not the one that info describes, or that another file system is mounted on.
func (w *walk) same(dir *os.Root, info fs.FileInfo) error {
	got, err := dir.Stat(".")
	if err != nil {
		return err
	}
	if !os.SameFile(got, info) {
		return ErrStale
	}
	mount, err := mountOf(dir)
	if err != nil {
		return err
	}
	if mount != w.tree.mount {
		return fmt.Errorf("%w: something is mounted there", ErrEscape)
	}
	return nil
}

// up leaves the folder for the one above. It reports false at the root.
func (w *walk) up() bool {
	last := len(w.names) - 1
	if last < 0 {
		return false
	}
	_ = w.open[last].Close()
	w.names, w.open = w.names[:last], w.open[:last]
	return true
}

func (w *walk) close() {
	for w.up() {
	}
}

// to moves to the folder dir without following links, over the folders that the two ways share.
func (w *walk) to(dir string) error {
	var want []string
	if dir != "." {
		want = strings.Split(dir, "/")
	}
	shared := 0
	for shared < min(len(want), len(w.names)) && want[shared] == w.names[shared] {
		shared++
	}
	for len(w.names) > shared {
		w.up()
	}
	for _, name := range want[shared:] {
		info, err := w.top().Lstat(name)
		if err != nil {
			return err
		}
		if err := w.down(name, info); err != nil {
			return err
		}
	}
	return nil
}

// link returns the components that the link name stands for. The way of an absolute target starts over at the root.
func (w *walk) link(name string) ([]string, error) {
	target, err := w.top().Readlink(name)
	if err != nil {
		return nil, err
	}
	if !filepath.IsAbs(target) {
		return strings.Split(filepath.ToSlash(target), "/"), nil
	}
	rel, ok := w.tree.Rel(target)
	if !ok {
		return nil, ErrEscape
	}
	w.close()
	return strings.Split(rel, "/"), nil
}

// missing is the place of a path whose component next is not there.
func (w *walk) missing(next string, rest []string, err error) (string, error) {
	if !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	if slices.Contains(rest, "..") {
		return "", err // what would ".." go back from?
	}
	return path.Join(append([]string{w.path(), next}, rest...)...), nil
}
