//go:build unix

package worktree

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// tryLockFile takes the lock on an open file and reports whether it got it.
func tryLockFile(file *os.File) (taken bool, err error) {
	err = onDescriptor(file, func(fd int) error { return unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB) })
	if errors.Is(err, unix.EWOULDBLOCK) || errors.Is(err, unix.EINTR) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(file *os.File) error {
	return onDescriptor(file, func(fd int) error { return unix.Flock(fd, unix.LOCK_UN) })
}

func onDescriptor(file *os.File, do func(fd int) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}
