package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// lockFiles say which packages a tree needs, by the managers that write or read them.
var lockFiles = [...]string{
	"bun.lock", "bun.lockb", "deno.lock", "npm-shrinkwrap.json", "package-lock.json", "pnpm-lock.yaml", "yarn.lock",
	"go.sum", "go.work.sum", "Cargo.lock",
	"Pipfile.lock", "pdm.lock", "poetry.lock", "pylock.toml", "requirements.txt", "requirements-dev.txt", "uv.lock", "conda-lock.yml",
	"Gemfile.lock", "composer.lock", "mix.lock", "rebar.lock", "pubspec.lock", "Podfile.lock", "Package.resolved",
	"gradle.lockfile", "packages.lock.json", "stack.yaml.lock", "cabal.project.freeze", "conan.lock", "flake.lock", "Manifest.toml", "shard.lock",
}

// Locked returns a digest of the lock files of package managers at the top of a session's tree: it changes when one of them does, comes or goes. What is no regular file is not read, wherever it would lead.
func (r *Repository) Locked(id Identity) (string, error) {
	if _, err := r.checked(id.Path); err != nil {
		return "", err
	}
	root, err := os.OpenRoot(id.Path)
	if err != nil {
		return "", fmt.Errorf("look at the lock files of %q: %w", id.Path, err)
	}
	defer root.Close()
	all := sha256.New()
	for _, name := range lockFiles {
		if sum := sumIn(root, name); sum != "" {
			fmt.Fprintf(all, "%s %s\n", name, sum)
		}
	}
	return hex.EncodeToString(all.Sum(nil)), nil
}

// sumIn returns the digest of a regular file; empty when there is none. One that cannot be read is there, and that is all that can be said of it.
func sumIn(root *os.Root, name string) string {
	const closed = "unreadable"
	stat, err := root.Lstat(name)
	if err != nil || !stat.Mode().IsRegular() {
		return ""
	}
	file, err := root.Open(name)
	if err != nil {
		return closed
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return closed
	}
	return hex.EncodeToString(sum.Sum(nil))
}
