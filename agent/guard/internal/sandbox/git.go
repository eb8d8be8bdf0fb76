package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
)

// Repository is where git keeps what belongs to a linked worktree.
type Repository struct {
	// Common is the folder that all worktrees share, Admin the one of this worktree in it.
	Common, Admin string
	// Branch is the worktree's own, without "refs/heads/".
	Branch string
}

// Add lets git commit to the branch of a worktree and do nothing else to the repository: objects come in, the branch and its log move. What git would run, and what says where the repository is, stays as it is.
func (g Repository) Add(l *Layout) error {
	l.Visible = append(l.Visible, g.Common)
	l.Writable = append(l.Writable, filepath.Join(g.Common, "objects"), g.Admin)
	l.ReadOnly = append(l.ReadOnly, filepath.Join(l.Tree, ".git"), filepath.Join(g.Admin, "commondir"), filepath.Join(g.Admin, "gitdir"), filepath.Join(g.Admin, "locked"),
		filepath.Join(g.Common, "objects", "info"), filepath.Join(g.Common, "objects", "pack"))
	own := filepath.Join(g.Admin, "config.worktree")
	if err := makeEmpty(own); err != nil {
		return err
	}
	l.ReadOnly = append(l.ReadOnly, own)
	folder, name := filepath.Split(filepath.FromSlash(g.Branch))
	if folder == "" {
		return nil // the branch lies among those of the person, which must not move
	}
	refs, logs := filepath.Join(g.Common, "refs", "heads", folder), filepath.Join(g.Common, "logs", "refs", "heads", folder)
	if err := errors.Join(os.MkdirAll(refs, 0o755), os.MkdirAll(logs, 0o755)); err != nil {
		return err
	}
	l.Writable = append(l.Writable, refs, logs)
	others, err := os.ReadDir(refs)
	for _, o := range others {
		if o.Name() != name && !strings.HasSuffix(o.Name(), ".lock") {
			l.ReadOnly = append(l.ReadOnly, filepath.Join(refs, o.Name()))
		}
	}
	return err
}

// makeEmpty makes a file that a command could make otherwise, and leaves one that is there as it is: no command has ever written it.
func makeEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}
