//go:build unix

package main

import (
	"errors"
	"os"
	"syscall"
)

// alive reports whether a process exists; one that belongs to somebody else does.
func alive(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// interruptible returns the stream in a form whose Close ends a read that is under way: a blocking descriptor would keep the reader until the peer writes or closes.
func interruptible(f *os.File) (*os.File, error) {
	fd := int(f.Fd())
	if err := syscall.SetNonblock(fd, true); err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), f.Name()), nil
}
