package redact

import (
	"unicode"
	"unicode/utf8"
)

// maxHold is how much decided text without white space a stream keeps before it shows it all the same.
const maxHold = 8 << 10

// Stream redacts a text that arrives in pieces. What it has shown is always the beginning of what String gives for the whole text, however the pieces were cut. It is for one goroutine; Redactor.Stream makes one.
type Stream struct {
	redactor *Redactor
	scanner  scanner
	// text is what is not decided yet, and behind it, for the rules that look back, the end of what is.
	text string
}

// Stream returns a Stream for one text. A value that is registered while the text arrives counts from then on.
func (r *Redactor) Stream() *Stream { return &Stream{redactor: r} }

// Write takes the next piece and returns what may be shown now: the text up to the last white space before anything that may yet turn out to be a secret.
func (s *Stream) Write(piece string) string {
	s.text += piece
	s.scanner.scan(s.redactor.table.Load(), s.text, false)
	s.scanner.flush(s.text)
	s.forget()
	return s.release(shown(s.scanner.out))
}

// Close returns the rest. The Stream must not be used afterwards.
func (s *Stream) Close() string {
	s.scanner.scan(s.redactor.table.Load(), s.text, true)
	s.scanner.flush(s.text)
	return s.release(len(s.scanner.out))
}

// forget drops the decided text that no rule looks back at.
func (s *Stream) forget() {
	c := &s.scanner
	n := c.pos - lookBehind
	if n <= 0 {
		return
	}
	s.text = s.text[n:]
	c.pos -= n
	c.copied -= n
	c.last = max(c.last-n, 0)
	c.open.end -= n
	for i := range c.later {
		c.later[i].start -= n
		c.later[i].end -= n
	}
}

func (s *Stream) release(n int) string {
	out := string(s.scanner.out[:n])
	s.scanner.out = append(s.scanner.out[:0], s.scanner.out[n:]...)
	return out
}

// shown returns how much of the decided text may go: up to the last white space, or up to the last character of a script that does without it.
func shown(out []byte) int {
	for n := len(out); n > 0; {
		r, size := utf8.DecodeLastRune(out[:n])
		whole := r != utf8.RuneError || size > 1
		if whole && (r >= utf8.RuneSelf || unicode.IsSpace(r)) {
			return n
		}
		n -= size
	}
	if len(out) > maxHold {
		return len(out)
	}
	return 0
}
