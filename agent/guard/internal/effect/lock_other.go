//go:build !unix

package effect

import (
	"errors"
	"fmt"
	"runtime"
)

// lockFile refuses: without a lock two processes could lose each other's answers.
func lockFile(string) (func(), error) {
	return nil, fmt.Errorf("file locks on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
