package sessionlog

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// makeFolder makes dir and the folders above it that are missing, for the owner only, and syncs each new name: a log is not durable before the way to it is.
func makeFolder(dir string) error {
	_, err := os.Stat(dir)
	parent := filepath.Dir(dir)
	if !errors.Is(err, fs.ErrNotExist) || parent == dir {
		return err
	}
	if err := makeFolder(parent); err != nil {
		return err
	}
	// Another session may make the same folder at the same time.
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncFolder(parent)
}

// syncFolder makes the names in dir durable. Windows has no such call for folders; NTFS journals its names.
func syncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
