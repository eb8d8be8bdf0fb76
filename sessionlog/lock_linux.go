package sessionlog

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lock takes two locks, both of which belong to the open file and so also keep a second writer of this process out: the flock that decides who writes, and one on the first byte that others can ask about without touching the flock.
func lock(f *os.File) error {
	return withFD(f, func(fd int) error {
		err := unix.Flock(fd, unix.LOCK_EX|unix.LOCK_NB)
		if errors.Is(err, unix.EWOULDBLOCK) {
			return ErrOpen
		}
		if err != nil {
			return fmt.Errorf("lock: %w", err)
		}
		mark := firstByte(unix.F_WRLCK)
		if err := unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &mark); err != nil {
			return errors.Join(fmt.Errorf("lock first byte: %w", err), unix.Flock(fd, unix.LOCK_UN))
		}
		return nil
	})
}

// release gives back both locks. Closing f is not enough while a forked child holds a copy of it.
func release(f *os.File) error {
	return withFD(f, func(fd int) error {
		mark := firstByte(unix.F_UNLCK)
		if err := errors.Join(unix.FcntlFlock(uintptr(fd), unix.F_OFD_SETLK, &mark), unix.Flock(fd, unix.LOCK_UN)); err != nil {
			return fmt.Errorf("unlock: %w", err)
		}
		return nil
	})
}

// held says whether a writer has the file that f is open on. It asks and takes nothing.
func held(f *os.File) (bool, error) {
	mark := firstByte(unix.F_RDLCK)
	err := withFD(f, func(fd int) error {
		return unix.FcntlFlock(uintptr(fd), unix.F_OFD_GETLK, &mark)
	})
	if err != nil {
		return false, fmt.Errorf("ask for the lock: %w", err)
	}
	return mark.Type != unix.F_UNLCK, nil
}

func firstByte(kind int16) unix.Flock_t {
	return unix.Flock_t{Type: kind, Len: 1}
}
