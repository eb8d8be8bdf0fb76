//go:build unix

package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// private refuses what another user owns or anyone else has a right to. An access list shows in the bits of the group.
func private(info fs.FileInfo) error {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return errors.New("its owner is unknown")
	}
	if int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("it belongs to user %d", st.Uid)
	}
	if info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("it is open to others (%v)", info.Mode().Perm())
	}
	return nil
}
