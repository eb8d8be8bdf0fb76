package view

import (
	"strconv"
	"strings"
)

// Visible spells out what would move a cursor, hide text or turn its direction on a screen; line ends and tabs stay. Whatever a model or a command wrote passes it before a person sees it as plain text.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if !hidden(r) {
			b.WriteRune(r)
			continue
		}
		q := strconv.QuoteRuneToASCII(r)
		b.WriteString(q[1 : len(q)-1])
	}
	return b.String()
}

func hidden(r rune) bool { return r != '\n' && r != '\t' && !strconv.IsPrint(r) && !wide(r) }

// wide is white space that takes up room and hides nothing, such as the no-break space.
func wide(r rune) bool { return r == '\u00a0' || r == '\u3000' }
