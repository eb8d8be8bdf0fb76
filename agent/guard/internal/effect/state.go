package effect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReadState returns the content of one of our own files, or nothing when there is none yet. It takes no lock: UpdateState replaces a file as a whole.
func ReadState(name string) ([]byte, error) {
	content, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return content, err
}

// UpdateState replaces one of our own files by what change makes of its content, durably, for its owner's eyes only. Processes that do so at the same time take turns.
func UpdateState(name string, change func(old []byte) ([]byte, error)) error {
	return update(name, ReadState, change)
}

func update(name string, read func(string) ([]byte, error), change func(old []byte) ([]byte, error)) error {
	dir := filepath.Dir(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	unlock, err := lockFile(name + ".lock")
	if err != nil {
		return fmt.Errorf("lock %q: %w", name, err)
	}
	defer unlock()
	old, err := read(name)
	if err != nil {
		return err
	}
	content, err := change(old)
	if err != nil || bytes.Equal(content, old) {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	temp, err := writeTemp(root, content, true)
	if err != nil {
		return err
	}
	if err := root.Rename(temp, filepath.Base(name)); err != nil {
		return errors.Join(err, root.Remove(temp))
	}
	return syncFolder(root)
}
