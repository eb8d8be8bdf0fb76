package effect

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Folder is a folder of a tree that was opened, so that a command starts in it and in no other that has its name by then.
type Folder struct {
	tree *Tree
	name string // as the caller named it, below the tree
	open *os.File
	path string
}

// Folder opens the folder that a path below the tree leads to, its links followed. fs.ErrNotExist says that there is none, ErrNotRegular that it is something else.
func (t *Tree) Folder(name string) (*Folder, error) {
	real, err := t.Resolve(name)
	if err != nil {
		return nil, err
	}
	w := &walk{tree: t}
	defer w.close()
	if err := w.to(real); err != nil {
		return nil, err
	}
	open, err := w.top().Open(".")
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return &Folder{tree: t, name: name, open: open, path: filepath.Join(t.dir, filepath.FromSlash(real))}, nil
}

// Check returns ErrStale when the path leads to another folder than when it was opened, or to none.
func (f *Folder) Check() error {
	if f.name == "." {
		return f.sameAs(os.Stat(f.tree.dir))
	}
	now, err := f.tree.Folder(f.name)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	defer now.Close()
	return f.sameAs(now.open.Stat())
}

func (f *Folder) sameAs(now fs.FileInfo, err error) error {
	if err != nil {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	was, err := f.open.Stat()
	if err != nil {
		return err
	}
	if !os.SameFile(was, now) {
		return ErrStale
	}
	return nil
}

// Close releases the folder.
func (f *Folder) Close() error { return f.open.Close() }
