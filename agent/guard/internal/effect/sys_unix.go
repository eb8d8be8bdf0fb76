//go:build unix

package effect

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openNonblock keeps the opening of a FIFO from waiting for its writer.
const openNonblock = syscall.O_NONBLOCK

// linksOf counts the names of a file.
func linksOf(info fs.FileInfo) uint64 {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 1
	}
	return uint64(st.Nlink)
}

// keepOwner gives the file that will take a place the owner of the one that had it. Only root may give files away, so for others the new owner stands.
func keepOwner(dir *os.Root, name string, old fs.FileInfo) error {
	st, ok := old.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	err := dir.Lchown(name, int(st.Uid), int(st.Gid))
	if errors.Is(err, fs.ErrPermission) {
		return nil
	}
	return err
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir *os.Root) error {
	f, err := dir.Open(".")
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
