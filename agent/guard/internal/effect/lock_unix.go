//go:build unix

package effect

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile waits until this process alone holds the lock, and returns what ends that. The lock is released before the file is closed: a child that is forked meanwhile holds a copy of the descriptor until its exec.
func lockFile(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
		if err != unix.EINTR {
			break
		}
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return func() {
		_ = unix.Flock(int(f.Fd()), unix.LOCK_UN)
		_ = f.Close()
	}, nil
}
