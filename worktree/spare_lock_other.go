//go:build !unix || aix || solaris

package worktree

import (
	"fmt"
	"os"
	"runtime"
)

// tryLock refuses: a spare needs a lock that ends with its process, which is not made for this system.
func tryLock(*os.File) error {
	return fmt.Errorf("keep a spare: that does not work on %s yet; set spare = false", runtime.GOOS)
}

func unlock(*os.File) {}
