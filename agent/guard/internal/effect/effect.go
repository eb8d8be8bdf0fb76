// Package effect is the only place where a session's reads, writes, commands and connections touch the machine. It does what it is told and decides nothing: package guard, which is the only one that can import it, asks and records first.
//
// Invariant: a file operation never leaves the tree that was opened, neither through "..", nor through a link, nor through a mount, whatever changes on disk between two calls. A command's processes do not outlive the call that started them, nor, on Linux, this process.
package effect

import "errors"

// Errors that the guard turns into a denial with words of its own.
var (
	// ErrEscape says that a path leads out of the tree.
	ErrEscape = errors.New("path leaves the tree")
	// ErrNotRegular says that something which is no regular file stands at the path.
	ErrNotRegular = errors.New("not a regular file")
	// ErrHardLink says that the file has further names, which a replacement would part from it.
	ErrHardLink = errors.New("file has several hard links")
	// ErrStale says that the file is not what it was when it was read.
	ErrStale = errors.New("file changed in the meantime")
	// ErrTooLarge says that the file has more bytes than the caller takes.
	ErrTooLarge = errors.New("file is too large")
)
