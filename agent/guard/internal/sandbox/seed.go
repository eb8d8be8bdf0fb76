package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// seed is a folder of the person's that a cache begins with. Files that are never changed are links, others copies.
type seed struct {
	from string
	copy bool
}

// mostSeeds bounds how many files a cache begins with; one with more begins empty.
const mostSeeds = 50_000

var errTooMany = errors.New("more files than a cache begins with")

// sow makes a folder for a cache with what the person has downloaded, the first time it is asked. It is whole or not there: a command never sees half of one.
func sow(dir string, seeds map[string]seed) error {
	if _, err := os.Lstat(dir); err == nil {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	made, err := os.MkdirTemp(filepath.Dir(dir), "sow-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(made)
	left := mostSeeds
	for name, s := range seeds {
		to := filepath.Join(made, filepath.FromSlash(name))
		switch err := s.plant(to, &left); {
		case errors.Is(err, errTooMany) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission):
			err = os.RemoveAll(to) // it is a help, and a build goes on without
			if err != nil {
				return err
			}
		case err != nil:
			return err
		}
	}
	err = os.Rename(made, dir)
	if errors.Is(err, fs.ErrExist) {
		return nil // another session of the same repository was faster
	}
	return err
}

func (s seed) plant(to string, left *int) error {
	return filepath.WalkDir(s.from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(s.from, path)
		if err != nil {
			return err
		}
		if *left--; *left < 0 {
			return errTooMany
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular():
			return nil
		case !s.copy:
			return os.Symlink(path, target)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, text, 0o600)
	})
}
