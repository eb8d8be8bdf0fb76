package sessionlog

import (
	"crypto/rand"
	"strings"
	"time"
)

// maxID is the longest session id, so that ids fit file names, refs and branch names everywhere.
const maxID = 64

// NewID returns the id of a session that is created at now. Ids sort by that time to the millisecond; random characters keep those of one millisecond apart.
func NewID(now time.Time) string {
	stamp := strings.ReplaceAll(now.UTC().Format("20060102-150405.000"), ".", "")
	return stamp + "-" + strings.ToLower(rand.Text()[:10])
}

// ValidID says whether id can be the id of a session: 1 to 64 characters of a-z, 0-9 and -.
func ValidID(id string) bool {
	if len(id) == 0 || len(id) > maxID {
		return false
	}
	for _, c := range []byte(id) {
		letter, digit := 'a' <= c && c <= 'z', '0' <= c && c <= '9'
		if !letter && !digit && c != '-' {
			return false
		}
	}
	return true
}
