//go:build unix

package worktree

import (
	"time"

	"golang.org/x/sys/unix"
)

// touchedAt returns when anything about a file last changed, which nobody can set.
func touchedAt(path string) (time.Time, bool) {
	var stat unix.Stat_t
	if err := unix.Lstat(path, &stat); err != nil {
		return time.Time{}, false
	}
	return time.Unix(stat.Ctim.Unix()), true
}
