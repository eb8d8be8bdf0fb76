package effect

import (
	"os"
	"path/filepath"
)

// RealPath returns where an absolute path lies when its links are followed.
func RealPath(dir string) (string, error) { return filepath.EvalSymlinks(dir) }

// InRepository reports whether dir or a folder above it is a repository's.
func InRepository(dir string) bool { return anyAbove(dir, IsRepository) }

// IsRepository reports whether dir holds a .git, as file or folder.
func IsRepository(dir string) bool {
	_, err := os.Lstat(filepath.Join(dir, ".git"))
	return err == nil
}

// InGitFolder reports whether dir or a folder above it is one in which git keeps a repository, whatever its name.
func InGitFolder(dir string) bool { return anyAbove(dir, isGitFolder) }

// isGitFolder looks for what git itself looks for.
func isGitFolder(dir string) bool {
	if _, err := os.Lstat(filepath.Join(dir, "HEAD")); err != nil {
		return false
	}
	for _, name := range []string{"objects", "refs"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

// anyAbove reports whether something holds of dir or of a folder above it.
func anyAbove(dir string, holds func(string) bool) bool {
	for !holds(dir) {
		above := filepath.Dir(dir)
		if above == dir {
			return false
		}
		dir = above
	}
	return true
}
