package worktree

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// tryLockFile takes the lock on an open file and reports whether it got it.
func tryLockFile(file *os.File) (taken bool, err error) {
	err = onHandle(file, func(h windows.Handle) error {
		return windows.LockFileEx(h, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &windows.Overlapped{})
	})
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return false, nil
	}
	return err == nil, err
}

func unlockFile(file *os.File) error {
	return onHandle(file, func(h windows.Handle) error {
		return windows.UnlockFileEx(h, 0, 1, 0, &windows.Overlapped{})
	})
}

func onHandle(file *os.File, do func(windows.Handle) error) error {
	conn, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(h uintptr) { failed = do(windows.Handle(h)) })
	return errors.Join(err, failed)
}
