//go:build !linux

package effect

import (
	"fmt"
	"os"
	"runtime"
)

// Supervise refuses: only Linux has a subreaper.
func Supervise() int {
	fmt.Fprintf(os.Stderr, "nodwyn supervise: there is no process supervisor on %s\n", runtime.GOOS)
	return 2
}
