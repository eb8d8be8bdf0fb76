package guard

import (
	"fmt"
	"path/filepath"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// RootError says that no session may work in a folder.
type RootError struct {
	// Root is the folder.
	Root string
	// Reason is a clause in plain words.
	Reason string
}

func (e *RootError) Error() string {
	return fmt.Sprintf("no session can work in %q: %s", e.Root, e.Reason)
}

// CheckRoot returns a *RootError when no session may work in the absolute folder root, by its name or by where its links lead: it belongs to a repository's own files, or lies in a folder that is closed to sessions.
func CheckRoot(root string, forbidden []string) error {
	return Config{Root: root, Forbidden: forbidden}.checkRoot()
}

// checkRoot follows links, and looks for git's own files where no name tells of them.
func (c Config) checkRoot() error {
	if err := c.checkNames(); err != nil {
		return err
	}
	real, err := effect.RealPath(c.Root)
	if err != nil {
		return fmt.Errorf("open tree: %w", err)
	}
	ways := Config{Root: real, Worktree: c.Worktree, Forbidden: c.Forbidden}
	for _, dir := range c.Forbidden {
		if there, err := effect.RealPath(dir); err == nil { // one that is not there holds nothing
			ways.Forbidden = append(ways.Forbidden[:len(ways.Forbidden):len(ways.Forbidden)], there)
		}
	}
	if err := ways.checkNames(); err != nil {
		return err
	}
	if effect.InGitFolder(real) {
		return inGit(c.Root)
	}
	return nil
}

// checkNames holds the root's name against what it must not be.
func (c Config) checkNames() error {
	root := filepath.ToSlash(filepath.Clean(c.Root))
	if insideGit(root) {
		return inGit(c.Root)
	}
	if c.Worktree {
		return nil // nodwyn has made it, below a folder of its own
	}
	for _, dir := range c.Forbidden {
		if below(root, filepath.ToSlash(filepath.Clean(dir))) {
			return &RootError{c.Root, fmt.Sprintf("%q belongs to nodwyn and is closed to sessions; choose a folder outside it", dir)}
		}
	}
	return nil
}

func inGit(root string) error {
	return &RootError{root, "it holds git's own files, which are never written to; choose the folder with the working files, or start an edit session, which gets a worktree"}
}
