package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// writable returns a look at whether a write to the stream would go through at once. Nobody else may write to it.
func writable(f *os.File) func() bool {
	fd := int32(f.Fd())
	return func() bool {
		fds := []unix.PollFd{{Fd: fd, Events: unix.POLLOUT}}
		n, err := unix.Poll(fds, 0)
		return err == nil && n == 1 && fds[0].Revents == unix.POLLOUT
	}
}
