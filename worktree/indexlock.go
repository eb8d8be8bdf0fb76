package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// indexHold is git's own lock on the index of a checkout. While it is held, no git of the person's stages, commits or checks anything out there.
type indexHold struct{ name string }

// The first words of a lock of ours; the session follows. What git itself writes into a lock begins otherwise.
const (
	holdMark = "nodwyn: landing of session "
	holdHelp = "\nIf nodwyn is not running, resume that session: it finishes the landing or takes it back. Deleting this file leaves the landing half done.\n"
)

// holdIndex takes the lock, by the rule that git itself follows: who creates the file has it. One that somebody else holds is waited for a few times.
func (r *Repository) holdIndex(ctx context.Context, at place, session string) (*indexHold, error) {
	h := &indexHold{name: filepath.Join(at.gitDir, "index.lock")}
	wait := firstPause
	for attempt := 1; ; attempt++ {
		err := h.create(session)
		if !errors.Is(err, fs.ErrExist) {
			return h, err
		}
		if other := holdOf(h.name); other != "" {
			return nil, refuse(TargetBusy, "a landing of session %q is under way in %q, or was cut off there; try again in a moment, and if it stays, resume that session, which finishes it or takes it back", other, at.dir)
		}
		if attempt == attempts {
			return nil, refuse(TargetBusy, "another git command holds a lock in %q (%s exists); let it end, then try again", at.dir, h.name)
		}
		if err := pause(ctx, wait); err != nil {
			return nil, err
		}
		wait *= 2
	}
}

func (h *indexHold) create(session string) error {
	file, err := os.OpenFile(h.name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	_, err = file.WriteString(holdMark + session + holdHelp)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return errors.Join(fmt.Errorf("lock the index: %w", err), os.Remove(h.name))
	}
	return nil
}

func (h *indexHold) release() error {
	if err := os.Remove(h.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("unlock the index: %w", err)
	}
	return nil
}

// holdOf returns the session whose lock a file is; empty when it is none of ours.
func holdOf(name string) string {
	text, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	rest, ours := strings.CutPrefix(string(text), holdMark)
	session, _, whole := strings.Cut(rest, "\n")
	if !ours || !whole {
		return ""
	}
	return session
}
