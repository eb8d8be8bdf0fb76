package main

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"
)

// style draws text for one stream; the zero value draws none of it.
type style struct{ color bool }

// styleOf is plain for whatever is no terminal, or one that was asked to be.
func styleOf(stream any) style {
	return style{color: isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"}
}

// isTerminal reports whether a person may sit at the other end of a stream.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

func (s style) bold(text string) string  { return s.in("1", text) }
func (s style) dim(text string) string   { return s.in("2", text) }
func (s style) red(text string) string   { return s.in("31", text) }
func (s style) green(text string) string { return s.in("32", text) }

func (s style) in(code, text string) string {
	if !s.color || text == "" {
		return text
	}
	return "\x1b[" + code + "m" + text + "\x1b[0m"
}

// diff colours a unified diff. A line of the heads above the first hunk is no changed line, whatever it begins with.
func (s style) diff(text string) string {
	lines := strings.Split(text, "\n")
	inHunk := false
	for i, l := range lines {
		inHunk = inHunk || strings.HasPrefix(l, "@@")
		switch {
		case !inHunk, strings.HasPrefix(l, "@@"):
			lines[i] = s.bold(l)
		case strings.HasPrefix(l, "+"):
			lines[i] = s.green(l)
		case strings.HasPrefix(l, "-"):
			lines[i] = s.red(l)
		}
	}
	return strings.Join(lines, "\n")
}

// visible spells out what would move the cursor, hide text or turn its direction: what is shown must be what is allowed.
func visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

// quoteArgv shows each word so that its borders and hidden characters are seen.
func quoteArgv(argv []string) string {
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = w
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r > '~' || strings.ContainsRune(`"'\$`+"`", r) }) {
			words[i] = strconv.Quote(w)
		}
	}
	return strings.Join(words, " ")
}
