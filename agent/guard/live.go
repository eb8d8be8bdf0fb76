package guard

import (
	"bytes"
	"unicode/utf8"
)

// liveText passes a command's output on while it runs, fit to be shown. What a piece ends in the middle of waits for the next one.
type liveText struct {
	to   func(string)
	rest []byte
}

// Write never fails, so that a command is not held up by who looks at it.
func (l *liveText) Write(p []byte) (int, error) {
	all := append(l.rest, p...)
	whole := wholeText(all)
	l.rest = bytes.Clone(all[whole:])
	if whole > 0 {
		l.to(clean(all[:whole]))
	}
	return len(p), nil
}

// flush passes on what waits for a rest that will not come.
func (l *liveText) flush() {
	if len(l.rest) > 0 {
		l.to(clean(l.rest))
		l.rest = nil
	}
}

// wholeText returns the length of the text in front of a rune, or of a line end in two bytes, that is there in part.
func wholeText(p []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if b := p[len(p)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(p[len(p)-n:]) || b == '\r' && n == 1 {
				return len(p) - n
			}
			break
		}
	}
	return len(p)
}
