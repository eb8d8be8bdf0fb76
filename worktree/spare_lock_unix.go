//go:build unix && !aix && !solaris

package worktree

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// tryLock takes the lock on a file, which ends when the file is closed or its process dies.
func tryLock(f *os.File) error {
	err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return errBusy
	}
	if err != nil {
		return fmt.Errorf("lock %q: %w", f.Name(), err)
	}
	return nil
}

// unlock gives the lock back. Closing the file is not enough while a child that was just forked holds a copy of it.
func unlock(f *os.File) { _ = unix.Flock(int(f.Fd()), unix.LOCK_UN) }
