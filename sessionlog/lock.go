package sessionlog

import (
	"errors"
	"io/fs"
	"os"
)

// acquire takes the writer's lock on f and makes sure that f still is the file of its name: it may have been removed between opening and locking, and events in a removed file are lost.
func acquire(f *os.File) error {
	if err := lock(f); err != nil {
		return err
	}
	opened, err := f.Stat()
	if err != nil {
		return errors.Join(err, release(f))
	}
	named, err := os.Stat(f.Name())
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(opened, named) {
		err = ErrNotExist
	}
	if err != nil {
		return errors.Join(err, release(f))
	}
	return nil
}
