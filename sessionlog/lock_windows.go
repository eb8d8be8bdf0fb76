package sessionlog

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/windows"
)

// Locks are mandatory here, so they stand far behind the end of any log, where they keep no reader out.
const (
	lockHigh = 1 << 30
	// writerByte decides who writes.
	writerByte = 0
	// liveByte is held beside it for others to ask about: Windows has no question without a try, and a try must not take the byte that decides.
	liveByte = 1
)

// lock takes both bytes. Only a question can be in the way of the second, and it lasts a moment, so that one is waited for.
func lock(f *os.File) error {
	err := lockByte(f, writerByte, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrOpen
	}
	if err != nil {
		return fmt.Errorf("lock: %w", err)
	}
	if err := lockByte(f, liveByte, windows.LOCKFILE_EXCLUSIVE_LOCK); err != nil {
		return errors.Join(fmt.Errorf("lock: %w", err), unlockByte(f, writerByte))
	}
	return nil
}

// release gives both bytes back.
func release(f *os.File) error {
	if err := errors.Join(unlockByte(f, liveByte), unlockByte(f, writerByte)); err != nil {
		return fmt.Errorf("unlock: %w", err)
	}
	return nil
}

// held says whether a writer has the file that f is open on.
func held(f *os.File) (bool, error) {
	err := lockByte(f, liveByte, windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("ask for the lock: %w", err)
	}
	return false, unlockByte(f, liveByte)
}

func lockByte(f *os.File, at, flags uint32) error {
	return withHandle(f, func(h windows.Handle) error {
		return windows.LockFileEx(h, flags, 0, 1, 0, &windows.Overlapped{Offset: at, OffsetHigh: lockHigh})
	})
}

func unlockByte(f *os.File, at uint32) error {
	return withHandle(f, func(h windows.Handle) error {
		return windows.UnlockFileEx(h, 0, 1, 0, &windows.Overlapped{Offset: at, OffsetHigh: lockHigh})
	})
}

func withHandle(f *os.File, do func(windows.Handle) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(h uintptr) { failed = do(windows.Handle(h)) })
	return errors.Join(err, failed)
}
