package main

import (
	"os"

	"golang.org/x/sys/windows"
)

// alive reports whether a process exists.
func alive(pid int) bool {
	h, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return false
	}
	defer windows.CloseHandle(h)
	event, err := windows.WaitForSingleObject(h, 0)
	return err == nil && event == uint32(windows.WAIT_TIMEOUT)
}

// interruptible returns the stream as it is: the server's grace period covers a read that cannot be ended here.
func interruptible(f *os.File) (*os.File, error) { return f, nil }
