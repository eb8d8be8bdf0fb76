//go:build !linux

package main

import "os"

// datasync is what the log's writer uses here.
func datasync(f *os.File) error { return f.Sync() }
