//go:build !unix

package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
)

// private refuses: who may read a file cannot be told from its mode here.
func private(fs.FileInfo) error {
	return fmt.Errorf("access rights on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
