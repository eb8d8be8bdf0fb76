package guard

import (
	"bytes"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// visible shows what a text hides: control characters, and those that have no shape or turn the direction of writing, are escaped.
func visible(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, text[0])
		case isHidden(r):
			b.WriteString(escaped(r))
		default:
			b.WriteRune(r)
		}
		text = text[size:]
	}
	return b.String()
}

// isHidden reports whether a person would not see r for what it is.
func isHidden(r rune) bool {
	switch r {
	case ' ':
		return false
	case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: // letters and symbols without a shape
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r)
}

func escaped(r rune) string {
	quoted := fmt.Sprintf("%+q", r)
	return quoted[1 : len(quoted)-1]
}

// commandLine shows a command on one line. Words that a shell would part or read otherwise are quoted; the text of sh -c is shown as it is.
func commandLine(argv []string) string {
	if len(argv) == 3 && argv[0] == "sh" && argv[1] == "-c" {
		return visible(argv[2])
	}
	words := make([]string, len(argv))
	for i, w := range argv {
		words[i] = visible(quoteWord(w))
	}
	return strings.Join(words, " ")
}

func quoteWord(w string) string {
	plain := func(r rune) bool {
		return !isHidden(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-_./,:=+@%^", r))
	}
	if w != "" && strings.IndexFunc(w, func(r rune) bool { return !plain(r) }) < 0 {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}

// clean makes a command's output fit for a log, a model and a terminal: invalid UTF-8 is replaced, control characters but tab and line feed are escaped, and CRLF is a line end.
func clean(raw []byte) string {
	text := strings.ToValidUTF8(string(raw), "\uFFFD")
	text = strings.ReplaceAll(text, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(text))
	for _, r := range text {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.In(r, unicode.Cf) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(escaped(r))
	}
	return b.String()
}

// cleanDiff is clean for a diff, in which line ends are content.
func cleanDiff(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		body, crlf := strings.CutSuffix(line, "\r\n")
		b.WriteString(clean([]byte(body)))
		if crlf {
			b.WriteString("\r\n")
		}
	}
	return b.String()
}

// joinCut puts head and tail of an output together, with a line that says what lies between. Runes that the cut parted go to what was cut.
func joinCut(head, tail []byte, cut int64) (string, int64) {
	if cut == 0 {
		return clean(append(bytes.Clone(head), tail...)), 0
	}
	for n := 1; n < utf8.UTFMax && n <= len(head); n++ {
		if b := head[len(head)-n]; utf8.RuneStart(b) {
			if !utf8.FullRune(head[len(head)-n:]) {
				head, cut = head[:len(head)-n], cut+int64(n)
			}
			break
		}
	}
	for n := 0; n < utf8.UTFMax-1 && len(tail) > 0 && !utf8.RuneStart(tail[0]); n++ {
		tail, cut = tail[1:], cut+1
	}
	return fmt.Sprintf("%s\n[%d bytes of output left out]\n%s", clean(head), cut, clean(tail)), cut
}

// splitNUL splits output that parts names by NUL bytes.
func splitNUL(out []byte) []string {
	text := strings.TrimSuffix(string(out), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}
