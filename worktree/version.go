package worktree

import "fmt"

// Version is a git version as far as features depend on it.
type Version struct {
	// Major is the first number.
	Major int
	// Minor is the second number.
	Minor int
}

var (
	// forSessions is the first git that records the reason of a lock when it adds a worktree.
	forSessions = Version{2, 33}
	// forLists is the first git whose list of worktrees survives any path.
	forLists = Version{2, 36}
	// forLanding is the first git that merges without a working tree.
	forLanding = Version{2, 38}
)

// Before reports whether v is older than w.
func (v Version) Before(w Version) bool {
	return v.Major < w.Major || v.Major == w.Major && v.Minor < w.Minor
}

// String returns the version as git writes it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// parseVersion reads the output of git version; vendors add words behind the numbers.
func parseVersion(text string) (Version, error) {
	var v Version
	if _, err := fmt.Sscanf(text, "git version %d.%d", &v.Major, &v.Minor); err != nil {
		return Version{}, fmt.Errorf("read git version: %q is not of the known form", text)
	}
	return v, nil
}
