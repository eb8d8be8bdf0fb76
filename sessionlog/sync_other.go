//go:build !linux

package sessionlog

import "os"

// syncData makes what was written to f durable. On macOS File.Sync reaches the medium, which a plain fsync does not.
func syncData(f *os.File) error {
	return f.Sync()
}
