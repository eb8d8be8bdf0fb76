package sessionlog

import (
	"errors"
	"fmt"
	"io/fs"
)

var (
	// ErrOpen says that another writer, in this process or another, has the log open.
	ErrOpen = errors.New("log is already open in another writer; close the session there first")
	// ErrTruncated says that a torn end was moved out of the log; a *TruncatedError has the details.
	ErrTruncated = errors.New("torn end of the log was repaired")
	// ErrExist says that the session has a log already; it wraps fs.ErrExist.
	ErrExist = fmt.Errorf("log is there already: %w", fs.ErrExist)
	// ErrNotExist says that there is no such log; it wraps fs.ErrNotExist.
	ErrNotExist = fmt.Errorf("no such log: %w", fs.ErrNotExist)

	errID = errors.New("a session id is 1 to 64 characters of a-z, 0-9 and -")
)

// DamageError says that a line of a log cannot be accepted. Nothing in the file was changed.
type DamageError struct {
	// File is the path of the log.
	File string
	// Line is the number of the line, from 1.
	Line int
	// Reason says what is wrong with the line and what can be done.
	Reason string
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("read log %q: line %d: %s", e.File, e.Line, e.Reason)
}

// TruncatedError says what a repair took from the end of a log. The log is sound and the Writer beside the error usable; no event that was acknowledged is lost.
type TruncatedError struct {
	// File is the path of the log.
	File string
	// Kept is the file beside the log that holds the bytes now.
	Kept string
	// Bytes is how many there are.
	Bytes int64
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("%v: a crash left %d bytes that are no event at the end of %q; they are kept in %q", ErrTruncated, e.Bytes, e.File, e.Kept)
}

// Unwrap makes the error an ErrTruncated.
func (e *TruncatedError) Unwrap() error { return ErrTruncated }
