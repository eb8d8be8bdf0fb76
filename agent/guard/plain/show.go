package plain

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// wide is from how many blanks on a text could push what follows out of sight.
const wide = 24

// Show makes a text safe to look at: hidden, bidirectional and control characters become escapes, and blanks that would push the rest out of sight become their count.
func Show(text string) string {
	var b strings.Builder
	for len(text) > 0 {
		if n := len(text) - len(strings.TrimLeft(text, " \t\n")); n >= wide {
			fmt.Fprintf(&b, " [%d blanks] ", n)
			text = text[n:]
			continue
		}
		r, size := utf8.DecodeRuneInString(text)
		switch {
		case r == utf8.RuneError && size == 1, r < 0x80 && isHidden(r):
			fmt.Fprintf(&b, "\\x%02x", text[0])
		case isHidden(r):
			fmt.Fprintf(&b, "\\u{%x}", r)
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
	case ' ', '\t', '\n':
		return false
	case 0x115F, 0x1160, 0x2800, 0x3164, 0xFFA0: // letters and symbols without a shape
		return true
	}
	return !unicode.IsGraphic(r) || unicode.Is(unicode.Zs, r)
}
