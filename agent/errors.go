package agent

import (
	"errors"
	"fmt"
	"strings"
)

// Sentinels that callers branch on.
var (
	// ErrUnknownSession says that no log has that id.
	ErrUnknownSession = errors.New("unknown session")
	// ErrNotOpen says that the session exists but is not open in this process.
	ErrNotOpen = errors.New("session is not open here: resume it first")
	// ErrBusy says that a turn is running.
	ErrBusy = errors.New("a turn is running: wait for it or cancel it")
	// ErrOpening says that the files of the worktree are still being written. A turn waits for them.
	ErrOpening = errors.New("the files of its worktree are still being checked out: wait until it is ready")
	// ErrNothing says that there is nothing to continue or to steer.
	ErrNothing = errors.New("nothing to act on")
	// ErrClosed says that the session was closed meanwhile.
	ErrClosed = errors.New("session is closed")
	// ErrNoWorktree says that the session works in its folder, where there is nothing to diff or land.
	ErrNoWorktree = errors.New("session has no worktree: it works in the folder itself")
)

// Causes that end a turn early.
var (
	// ErrCancelled says that a person cancelled the turn.
	ErrCancelled = errors.New("cancelled")
	// ErrEditorExit says that the editor is gone.
	ErrEditorExit = errors.New("the editor is gone")
	// errDenyStop says that a person denied an effect and stopped the turn.
	errDenyStop = errors.New("denied and stopped")
)

// InvalidError says which field of a request is wrong.
type InvalidError struct{ Field, Reason string }

func (e *InvalidError) Error() string { return fmt.Sprintf("%s: %s", e.Field, e.Reason) }

// ChecksError says that a landing was refused since the project's own checks for it did not pass.
type ChecksError struct{ Failed []string }

func (e *ChecksError) Error() string {
	return "not landed: these checks did not pass: " + strings.Join(e.Failed, ", ") + "; their output is in the trail and in `nodwyn replay`. Mend it in the session, by a request or by hand in its worktree, and land again"
}

// ConfigError says which key of which configuration file is wrong, and what to do.
type ConfigError struct {
	File string
	// Line is 0 when the error is about the whole file.
	Line        int
	Key, Reason string
}

func (e *ConfigError) Error() string {
	at := e.File
	if e.Line > 0 {
		at = fmt.Sprintf("%s:%d", e.File, e.Line)
	}
	if e.Key == "" {
		return fmt.Sprintf("configuration %s: %s", at, e.Reason)
	}
	return fmt.Sprintf("configuration %s: %s: %s", at, e.Key, e.Reason)
}
