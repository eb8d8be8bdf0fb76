package guard

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// DeniedError says that an effect did not happen because it was not allowed. Its text is what the model reads.
type DeniedError struct {
	Op Op
	// Target is the path relative to the tree, the path as it was given where it leads out, or the command line.
	Target string
	// Rule is what decided, as the record names it.
	Rule string
	// Reason is a clause in plain words.
	Reason string
	// Note is what the person added.
	Note string
	// Stop says that the person wants the turn to end.
	Stop bool
}

func (e *DeniedError) Error() string {
	verb := map[Op]string{OpRead: "read", OpWrite: "write", OpExec: "run"}[e.Op]
	text := fmt.Sprintf("not allowed to %s %q: %s", verb, e.Target, e.Reason)
	if e.Note != "" {
		text += fmt.Sprintf("; the person adds: %q", e.Note)
	}
	return text
}

// TooLargeError says that a file has more bytes than the caller takes.
type TooLargeError struct {
	// Path is relative to the tree.
	Path string
	// Limit is how many bytes were wanted at most.
	Limit int64
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%q has more than %d bytes", e.Path, e.Limit)
}

// hazardOf turns what the file system said into a hazard, or returns nil for an error that is none.
func hazardOf(err error) *Hazard {
	for _, h := range []struct {
		err    error
		hazard Hazard
	}{
		{effect.ErrEscape, Hazard{"escape", "it leads out of the session's tree, and only files inside it can be used"}},
		{effect.ErrNotRegular, Hazard{"not-regular", "it is a folder, a device or something else that is no plain file"}},
		{effect.ErrHardLink, Hazard{"hard-link", "the file has further hard links, perhaps outside the tree, so replacing it here is refused"}},
		{effect.ErrStale, Hazard{ruleStale, "the file was changed by someone else in the meantime; read it again first"}},
		{fs.ErrPermission, Hazard{"system", "the operating system does not permit it"}},
	} {
		if errors.Is(err, h.err) {
			return &h.hazard
		}
	}
	return nil
}

// explain gives an error of the file system the form that callers branch on.
func explain(op Op, rel string, limit int64, err error) error {
	if errors.Is(err, effect.ErrTooLarge) {
		return &TooLargeError{Path: rel, Limit: limit}
	}
	if h := hazardOf(err); h != nil {
		return &DeniedError{Op: op, Target: rel, Rule: h.Rule, Reason: h.Reason}
	}
	return fmt.Errorf("%s %q: %w", op, rel, err)
}
