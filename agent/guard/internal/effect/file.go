package effect

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Version is the content of a file at one moment, or its absence.
type Version struct {
	Exists  bool
	Content []byte
}

// Current returns the present version of the file at a resolved path, for a Replace that must not lose what it did not see.
func (c *Cursor) Current(name string, limit int64) (Version, error) {
	dir, base, err := c.enter(name)
	if errors.Is(err, fs.ErrNotExist) {
		return Version{}, nil
	}
	if err != nil {
		return Version{}, err
	}
	v, _, err := current(dir, base, limit)
	return v, err
}

// Replace puts content in the place of the version was, as a whole or not at all; the file keeps its mode, and missing folders are made. ErrStale says that the file is not that version any more. What is left of the race is the moment between the last look and the rename.
func (c *Cursor) Replace(name string, was Version, content []byte) error {
	if err := c.makeFolders(path.Dir(path.Clean(name))); err != nil {
		return err
	}
	dir, base, err := c.enter(name)
	if err != nil {
		return err
	}
	temp, err := writeTemp(dir, content, was.Exists)
	if err != nil {
		return err
	}
	if err := swap(dir, temp, base, was); err != nil {
		return errors.Join(err, dir.Remove(temp))
	}
	return syncFolder(dir)
}

// swap renames temp to base if base still is the version was.
func swap(dir *os.Root, temp, base string, was Version) error {
	now, info, err := current(dir, base, int64(len(was.Content)))
	if errors.Is(err, ErrTooLarge) {
		return ErrStale
	}
	if err != nil {
		return err
	}
	if now.Exists != was.Exists || !bytes.Equal(now.Content, was.Content) {
		return ErrStale
	}
	if now.Exists {
		if err := keepOwner(dir, temp, info); err != nil {
			return err
		}
		if err := dir.Chmod(temp, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return dir.Rename(temp, base)
}

// makeFolders makes what is missing of dir, one component after the other, so that no link is followed.
func (c *Cursor) makeFolders(dir string) error {
	if dir == "." {
		return nil
	}
	names := strings.Split(dir, "/")
	for i := range names {
		err := c.w.to(path.Join(names[:i+1]...))
		if !errors.Is(err, fs.ErrNotExist) {
			if err != nil {
				return err
			}
			continue
		}
		if err := c.w.top().Mkdir(names[i], 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := syncFolder(c.w.top()); err != nil {
			return err
		}
		err = c.w.to(path.Join(names[:i+1]...))
		if errors.Is(err, fs.ErrNotExist) {
			return ErrStale // something that is no folder has taken the name
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// current reads the version of base in dir, which must be a regular file with one name.
func current(dir *os.Root, base string, limit int64) (Version, fs.FileInfo, error) {
	content, info, err := readFile(dir, base, limit)
	if errors.Is(err, fs.ErrNotExist) {
		return Version{}, nil, nil
	}
	if err != nil {
		return Version{}, nil, err
	}
	if linksOf(info) > 1 {
		return Version{}, nil, ErrHardLink
	}
	return Version{Exists: true, Content: content}, info, nil
}

// readFile opens base without waiting and without following a link, and proves on the open file what Lstat said of the name.
func readFile(dir *os.Root, base string, limit int64) ([]byte, fs.FileInfo, error) {
	info, err := dir.Lstat(base)
	if err != nil {
		return nil, nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, nil, ErrNotRegular
	}
	f, err := dir.OpenFile(base, os.O_RDONLY|openNonblock, 0)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	opened, err := f.Stat()
	if err != nil {
		return nil, nil, err
	}
	if !os.SameFile(opened, info) {
		return nil, nil, ErrStale
	}
	content, err := readLimited(f, opened.Size(), limit)
	return content, opened, err
}

// readLimited reads to the end and trusts no announced size: a file may grow meanwhile.
func readLimited(r io.Reader, size, limit int64) ([]byte, error) {
	if size > limit {
		return nil, ErrTooLarge
	}
	var b bytes.Buffer
	b.Grow(int(size) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(r, limit+1)); err != nil {
		return nil, err
	}
	if int64(b.Len()) > limit {
		return nil, ErrTooLarge
	}
	return b.Bytes(), nil
}

// writeTemp writes content to a new file in dir, durable when it returns. One that will take a file's place is closed to others until it has that file's mode.
func writeTemp(dir *os.Root, content []byte, private bool) (string, error) {
	perm := fs.FileMode(0o666)
	if private {
		perm = 0o600
	}
	name := fmt.Sprintf(".nodwyn-%s.tmp", rand.Text()[:12])
	f, err := dir.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, dir.Remove(name))
	}
	return name, nil
}
