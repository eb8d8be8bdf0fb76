package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// errGaveUp says that the person ended the dialog.
var errGaveUp = errors.New("stopped: nothing was changed")

// screen reads lines from a terminal. It prepares the terminal for each line and puts it back behind it, so that an interrupt in between ends the program as usual, and none leaves a terminal that does not echo.
type screen struct {
	fd   int
	out  io.Writer
	term *term.Terminal
}

func newScreen(in *os.File, out io.Writer) screen {
	both := struct {
		io.Reader
		io.Writer
	}{in, out}
	s := screen{fd: int(in.Fd()), out: out, term: term.NewTerminal(both, "")}
	if width, height, err := term.GetSize(s.fd); err == nil && width > 0 {
		_ = s.term.SetSize(width, height) // a terminal of another size wraps elsewhere, no more
	}
	return s
}

// line asks for a line.
func (s screen) line(prompt string) (string, error) {
	s.term.SetPrompt(prompt)
	return s.raw(s.term.ReadLine)
}

// hidden asks for a line that is not shown.
func (s screen) hidden(prompt string) (string, error) {
	key, err := s.raw(func() (string, error) { return s.term.ReadPassword(prompt) })
	if err == nil && key == "" {
		err = errGaveUp
	}
	return key, err
}

// raw reads without the terminal's own editing, in which the library notices an interrupt.
func (s screen) raw(read func() (string, error)) (string, error) {
	before, err := term.MakeRaw(s.fd)
	if err != nil {
		return "", fmt.Errorf("prepare the terminal: %w", err)
	}
	line, err := read()
	if err := term.Restore(s.fd, before); err != nil {
		return "", fmt.Errorf("put the terminal back: %w", err)
	}
	if errors.Is(err, io.EOF) {
		fmt.Fprintln(s.out)
		return "", errGaveUp
	}
	return strings.TrimSpace(line), err
}

// choose shows numbered lines and returns the place of the one that is chosen. Return alone takes the first.
func (s screen) choose(lines []string) (int, error) {
	for i, l := range lines {
		fmt.Fprintf(s.out, "  %2d) %s\n", i+1, visible(l))
	}
	for {
		text, err := s.line("number [1]: ")
		if err != nil {
			return 0, err
		}
		if n, err := strconv.Atoi(or(text, "1")); err == nil && n >= 1 && n <= len(lines) {
			return n - 1, nil
		}
		fmt.Fprintf(s.out, "a number from 1 to %d, please\n", len(lines))
	}
}

// agree asks a question that return alone answers with yes.
func (s screen) agree(question string) (bool, error) {
	text, err := s.line(question + " [Y/n]: ")
	return !strings.HasPrefix(strings.ToLower(text), "n"), err
}
