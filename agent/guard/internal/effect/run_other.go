//go:build !unix

package effect

import (
	"context"
	"errors"
	"fmt"
	"runtime"
)

// Run refuses: a command whose processes could not be ended with it is not started.
func Run(context.Context, Spec) (Result, error) {
	return Result{}, fmt.Errorf("commands on %s: %w", runtime.GOOS, errors.ErrUnsupported)
}
