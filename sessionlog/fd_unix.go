//go:build unix

package sessionlog

import (
	"errors"
	"os"
)

// withFD runs do on the descriptor of f, which cannot be closed and given to another file meanwhile.
func withFD(f *os.File, do func(fd int) error) error {
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = conn.Control(func(fd uintptr) { failed = do(int(fd)) })
	return errors.Join(err, failed)
}
