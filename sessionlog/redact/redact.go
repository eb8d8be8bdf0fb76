// Package redact takes secrets out of text before it reaches the log, a model or an editor.
//
// Two things are secret: values that were registered, in the encodings they commonly travel in, and texts that have the shape of a known kind of token. Each is replaced by a placeholder, [redacted:CLASS:ID], which tells nothing about the secret but which one it was.
//
// Invariant: the result depends on the text, the registered values and the rules alone, never on a clock, a random number or how a stream was cut. Redacting twice gives what redacting once gave. Nothing here does I/O, and no error or count ever holds a secret.
package redact

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Version is the version of the rule set. A rule names the version that added it, so that a replay can leave out rules that its events never saw.
const Version = 3

// minValue is the shortest value that can be registered: shorter ones would be found all over ordinary text.
const minValue = 8

// maxValue bounds a registered value, and with it how much a stream may have to hold back.
const maxValue = 8 << 10

// Count says how many secrets of one class were taken out.
type Count struct {
	// Class is the class of the placeholder.
	Class string
	// N is the number of placeholders that were put in.
	N int
}

// tally is a list of counts, sorted by class.
type tally []Count

func (t *tally) add(class string, n int) {
	i, found := slices.BinarySearchFunc(*t, class, func(c Count, class string) int {
		return strings.Compare(c.Class, class)
	})
	if !found {
		*t = slices.Insert(*t, i, Count{Class: class})
	}
	(*t)[i].N += n
}

// Redactor finds and replaces secrets. It is safe for concurrent use; New makes one.
type Redactor struct {
	// mu serialises Register; readers load table without it.
	mu sync.Mutex
	// values are the registered values, in the order they came. Guarded by mu.
	values []value
	// table is replaced as a whole whenever a value is registered.
	table atomic.Pointer[table]
}

// value is one registered secret.
type value struct {
	mark mark
	text string
}

// New returns a Redactor that knows the shapes and no values yet.
func New() *Redactor {
	r := new(Redactor)
	r.table.Store(newTable(Version, nil))
	return r
}

// Register makes a value secret from now on. White space around it does not count. Class and id become part of the placeholder, so they are short words of letters, digits and "._@/-". A value under 8 bytes is refused because it would hide innocent text, one over 8 KiB because a stream could not hold it, and one that a placeholder contains because it could never be taken out.
func (r *Redactor) Register(class, id, secret string) error {
	m := mark{class: class, id: id}
	if !word(class) || !word(id) {
		return fmt.Errorf("register credential %q of class %q: both need 1 to 64 letters, digits or any of ._@/-", id, class)
	}
	secret = strings.TrimSpace(secret)
	if len(secret) < minValue || len(secret) > maxValue {
		return fmt.Errorf("register credential %q of class %q: its value has %d bytes, and %d to %d can be redacted", id, class, len(secret), minValue, maxValue)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if slices.ContainsFunc(r.values, func(v value) bool { return v.text == secret }) {
		return nil
	}
	values := append(slices.Clip(r.values), value{mark: m, text: secret})
	t := newTable(Version, values)
	if !t.stable(values) {
		return fmt.Errorf("register credential %q of class %q: its value also stands in a placeholder; choose another id, or another secret", id, class)
	}
	r.values = values
	r.table.Store(t)
	return nil
}

// String returns s with a placeholder for each secret, and how many there were of each class, sorted by class. A text without secrets comes back as it is.
func (r *Redactor) String(s string) (string, []Count) {
	return r.table.Load().redact(s)
}

// HasPlaceholder reports whether s contains a placeholder, [redacted:CLASS:ID]. A tool refuses to write such a text into a file: it would replace the secret by its stand-in.
func HasPlaceholder(s string) bool {
	for {
		_, rest, found := strings.Cut(s, opening)
		if !found {
			return false
		}
		inner, _, closed := strings.Cut(rest, "]")
		class, id, two := strings.Cut(inner, ":")
		if closed && two && word(class) && word(id) {
			return true
		}
		s = rest
	}
}

// opening starts every placeholder.
const opening = "[redacted:"

// mark is what a placeholder tells of a secret.
type mark struct{ class, id string }

func (m mark) placeholder() string { return opening + m.class + ":" + m.id + "]" }

// word reports whether s can be a part of a placeholder.
func word(s string) bool {
	if s == "" || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		if !nameBytes.has(s[i]) {
			return false
		}
	}
	return true
}

// stable reports whether every placeholder that the table can write passes it unchanged, which is what makes redaction idempotent.
func (t *table) stable(values []value) bool {
	for i := range rules {
		if _, counts := t.redact(rules[i].mark().placeholder()); counts != nil {
			return false
		}
	}
	for _, v := range values {
		if _, counts := t.redact(v.mark.placeholder()); counts != nil {
			return false
		}
	}
	return true
}
