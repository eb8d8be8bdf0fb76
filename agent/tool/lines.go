package tool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxLine bounds what is shown of one line, in bytes.
const maxLine = 2000

// numbered shows a line under its number, as file-read shows it and as every other tool that shows lines does. Broken bytes become visible, for a model would read them as letters that are not there.
func numbered(n int, line string) string {
	line = strings.TrimSuffix(line, "\r")
	if len(line) > maxLine {
		cut := maxLine
		for cut > 0 && !utf8.RuneStart(line[cut]) {
			cut--
		}
		line = fmt.Sprintf("%s… [%d more bytes in this line]", line[:cut], len(line)-cut)
	}
	return fmt.Sprintf("%6d\t%s", n, visible(line))
}

// count writes a number with its noun.
func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// visible writes bytes that are not UTF-8 as \xNN.
func visible(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var out strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			fmt.Fprintf(&out, `\x%02x`, s[i])
			i++
			continue
		}
		out.WriteString(s[i : i+size])
		i += size
	}
	return out.String()
}
