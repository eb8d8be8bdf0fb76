package tool

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// looseness says what two texts may differ in and still count as the same. Line ends never count.
type looseness struct {
	// trailing ignores white space before line ends.
	trailing bool
	// punctuation takes typographic quotes, dashes and blanks for their ASCII forms.
	punctuation bool
}

// simplified is a text in the form in which loosely equal texts are equal, with the way back to the bytes it stands for.
type simplified struct {
	text string
	runs []run
	// size is the length of the original.
	size int
}

// run is a stretch of simplified bytes that stand for original bytes one by one; with a width over one, a single byte that stands for several.
type run struct{ at, original, width int }

func simplify(text string, loose looseness) simplified {
	s := simplified{size: len(text)}
	var out strings.Builder
	for i := 0; i < len(text); {
		form, width := nextForm(text[i:], loose)
		if form != "" {
			s.follow(run{at: out.Len(), original: i, width: width - len(form) + 1})
		}
		out.WriteString(form)
		i += width
	}
	s.text = out.String()
	return s
}

// follow adds a run unless the last one simply goes on.
func (s *simplified) follow(next run) {
	if n := len(s.runs); n > 0 {
		last := s.runs[n-1]
		if last.width == 1 && next.width == 1 && next.original-last.original == next.at-last.at {
			return
		}
	}
	s.runs = append(s.runs, next)
}

// nextForm returns the simplified form of the begin of text and how many bytes that is: nothing for what is dropped, as many bytes for what stays, and one byte for what changes.
func nextForm(text string, loose looseness) (form string, width int) {
	if strings.HasPrefix(text, "\r\n") {
		return "\n", 2
	}
	rest := strings.TrimLeft(text, " \t")
	if blanks := len(text) - len(rest); blanks > 0 {
		if loose.trailing && (rest == "" || rest[0] == '\n' || strings.HasPrefix(rest, "\r\n")) {
			return "", blanks
		}
		return text[:blanks], blanks
	}
	if ascii, width := asciiForm(text); loose.punctuation && width > 0 {
		return ascii, width
	}
	return text[:1], 1
}

// asciiForm returns the ASCII letter that people type for the letter at the begin of text, and the width of that letter; zero when it has none.
func asciiForm(text string) (string, int) {
	r, width := utf8.DecodeRuneInString(text)
	switch r {
	case '‘', '’', '‚', '‛', '′':
		return "'", width
	case '“', '”', '„', '‟', '″':
		return `"`, width
	case '‐', '‑', '‒', '–', '—', '―', '−':
		return "-", width
	case '\u00A0', '\u2002', '\u2003', '\u2004', '\u2005', '\u2006', '\u2007', '\u2008', '\u2009', '\u200A', '\u202F', '\u205F', '\u3000':
		return " ", width
	}
	return "", 0
}

// original returns the original bytes of the simplified bytes from up to to. Bytes that simplifying dropped belong to them where they lie inside; an empty range stands for all that was dropped at its place.
func (s simplified) original(from, to int) (int, int) {
	begin, end := s.begin(from), s.end(to)
	return min(begin, end), max(begin, end)
}

func (s simplified) begin(at int) int {
	if at == len(s.text) {
		return s.size
	}
	r := s.runOf(at)
	return r.original + at - r.at
}

func (s simplified) end(at int) int {
	if at == 0 {
		return 0
	}
	r := s.runOf(at - 1)
	return r.original + at - 1 - r.at + r.width
}

func (s simplified) runOf(at int) run {
	return s.runs[sort.Search(len(s.runs), func(i int) bool { return s.runs[i].at > at })-1]
}
