package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// maxSecrets bounds a file of secrets, so that a damaged one cannot fill the memory.
const maxSecrets = 4 << 20

// ReadSecret returns the content of a file of secrets, or nothing when there is none yet. A file that someone else may have read or made is refused, and so is one in such a folder: whoever can write there can put another in its place.
func ReadSecret(name string) ([]byte, error) {
	content, err := readSecret(name)
	if !errors.Is(err, ErrStale) {
		return content, err
	}
	// Another process replaced the file between two looks at it. None does while this one has its turn.
	unlock, err := lockFile(name + ".lock")
	if err != nil {
		return nil, fmt.Errorf("lock %q: %w", name, err)
	}
	defer unlock()
	return readSecret(name)
}

// UpdateSecret is UpdateState for a file of secrets, with what ReadSecret refuses.
func UpdateSecret(name string, change func(old []byte) ([]byte, error)) error {
	// A refused folder does not even get a lock.
	if _, err := ReadSecret(name); err != nil {
		return err
	}
	return update(name, readSecret, change)
}

func readSecret(name string) ([]byte, error) {
	dir := filepath.Dir(name)
	root, err := openPrivate(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	content, info, err := readFile(root, filepath.Base(name), maxSecrets)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, ErrNotRegular):
		return nil, fmt.Errorf("a link or a folder in its place is not followed: %w: remove it", err)
	case err != nil:
		return nil, err
	}
	if linksOf(info) > 1 {
		return nil, fmt.Errorf("%w: remove the others", ErrHardLink)
	}
	if err := private(info); err != nil {
		return nil, fmt.Errorf("%w: replace the credentials in it, for they may be known, and make it yours alone (chmod 600)", err)
	}
	return content, nil
}

// openPrivate opens a folder that is no link and its owner's alone, and proves on the open folder what it saw of the name.
func openPrivate(dir string) (*os.Root, error) {
	info, err := os.Lstat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%q is a link or no folder: name the folder itself", dir)
	}
	if err := private(info); err != nil {
		return nil, fmt.Errorf("folder %q: %w: make it yours alone (chmod 700)", dir, err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(opened, info) {
		err = ErrStale
	}
	if err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return root, nil
}
