package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/term"
)

// display shares a terminal between the transcript on stdout, the prompts on stderr and one line that says what goes on.
type display struct {
	out, err io.Writer
	style    style // of stderr

	mu    sync.Mutex
	drawn bool // the line that says what goes on stands there
	blank bool // what was written last ends with an empty line
	gone  bool // nobody reads stdout any more
}

func newDisplay(c *console) *display {
	return &display{out: c.out, err: c.err, style: styleOf(c.err)}
}

// live reports whether a line can be drawn and taken back.
func (s *display) live() bool { return isTerminal(s.err) && os.Getenv("TERM") != "dumb" }

// print writes to stdout. When nobody reads it any more, the session goes on all the same.
func (s *display) print(text string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if text == "" || s.gone {
		return nil
	}
	s.clearLocked()
	s.blank = strings.HasSuffix(text, "\n\n")
	_, err := io.WriteString(s.out, text)
	if errors.Is(err, syscall.EPIPE) {
		s.gone = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("print the transcript: %w", err)
	}
	return nil
}

// say writes to stderr.
func (s *display) say(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearLocked()
	text := fmt.Sprintf(format, args...)
	s.blank = strings.HasSuffix(text, "\n\n")
	io.WriteString(s.err, text)
}

// apart writes a paragraph to stderr, with an empty line before it.
func (s *display) apart(text string) {
	s.mu.Lock()
	blank := s.blank
	s.mu.Unlock()
	if !blank {
		text = "\n" + text
	}
	s.say("%s", text)
}

// draw shows what goes on in the last line, in place of what stood there; an empty text takes it away.
func (s *display) draw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.clearLocked()
	if text == "" {
		return
	}
	fmt.Fprint(s.err, s.style.dim(s.fit(text)))
	s.drawn = true
}

func (s *display) clearLocked() {
	if s.drawn {
		fmt.Fprint(s.err, "\r\x1b[K")
	}
	s.drawn = false
}

// fit cuts a text to the width of the terminal: a line that wraps could not be taken back.
func (s *display) fit(text string) string {
	width := 80
	if f, ok := s.err.(*os.File); ok {
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
			width = w
		}
	}
	return clipLine(visible(text), width-1)
}

// clipLine makes one line of a text, at most limit runes long.
func clipLine(text string, limit int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) <= limit {
		return string(runes)
	}
	return string(runes[:max(limit-1, 0)]) + "…"
}
