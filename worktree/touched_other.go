//go:build !unix

package worktree

import "time"

// touchedAt does not know it on this system.
func touchedAt(string) (time.Time, bool) { return time.Time{}, false }
