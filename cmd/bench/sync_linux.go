package main

import (
	"os"

	"golang.org/x/sys/unix"
)

// datasync is what the log's writer uses here.
func datasync(f *os.File) error { return unix.Fdatasync(int(f.Fd())) }
