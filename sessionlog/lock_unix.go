//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package sessionlog

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes the flock that decides who writes.
func lock(f *os.File) error {
	return withFD(f, func(fd int) error {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return ErrOpen
		}
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		return nil
	})
}

// release gives the lock back. Closing f is not enough while a forked child holds a copy of it.
func release(f *os.File) error {
	return withFD(f, func(fd int) error {
		if err := unix.Flock(fd, unix.LOCK_UN); err != nil {
			return fmt.Errorf("unlock: %w", err)
		}
		return nil
	})
}

// held says whether a writer has the file that f is open on. These systems keep flocks and record locks in one list, so F_GETLK sees the flock of a writer and takes nothing.
func held(f *os.File) (bool, error) {
	mark := unix.Flock_t{Type: unix.F_RDLCK, Len: 1}
	err := withFD(f, func(fd int) error {
		return unix.FcntlFlock(uintptr(fd), unix.F_GETLK, &mark)
	})
	if err != nil {
		return false, fmt.Errorf("ask for the lock: %w", err)
	}
	return mark.Type != unix.F_UNLCK, nil
}
