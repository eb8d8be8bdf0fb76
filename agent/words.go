package agent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxTitle   = 60
	maxSubject = 72
	maxBody    = 4 << 10
)

// cleanTitle makes a title of a model's reply: one plain line, or nothing.
func cleanTitle(reply string) string {
	line := strings.TrimLeft(strings.TrimPrefix(firstWords(reply), "* "), "#- ")
	if len(line) >= 6 && strings.EqualFold(line[:6], "title:") {
		line = line[6:]
	}
	line = unquoted(line)
	if refuses(line) {
		return ""
	}
	return shortened(line, maxTitle)
}

// cleanMessage makes a commit message of a model's reply: a subject of one line and, behind an empty one, the body; or nothing.
func cleanMessage(reply string) string {
	lines := unfenced(strings.Split(answer(reply), "\n"))
	subject := unquoted(strings.TrimLeft(lines[0], "# "))
	if subject == "" || refuses(subject) || utf8.RuneCountInString(subject) > 2*maxSubject {
		return ""
	}
	body := strings.Trim(strings.Join(lines[1:], "\n"), "\n \t")
	switch {
	case len(body) > maxBody:
		return ""
	case body == "":
		return shortened(subject, maxSubject) + "\n"
	}
	return shortened(subject, maxSubject) + "\n\n" + body + "\n"
}

// answer drops what nobody sees but a terminal or a list may act on, and the thoughts that some servers leave in the text.
func answer(reply string) string {
	text := strings.TrimSpace(strings.Map(func(r rune) rune {
		if r != '\n' && r != '\t' && (unicode.IsControl(r) || unicode.In(r, unicode.Cf)) {
			return -1
		}
		return r
	}, reply))
	if strings.HasPrefix(text, "<think>") {
		_, text, _ = strings.Cut(text, "</think>")
	}
	return strings.TrimSpace(text)
}

// firstWords is the first line that says anything.
func firstWords(reply string) string {
	for line := range strings.Lines(answer(reply)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "```") {
			return line
		}
	}
	return ""
}

// unfenced takes what stands between the fences that models put around a text, with or without a word before it. Fences further down belong to the text. There is at least one line.
func unfenced(lines []string) []string {
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			return inside(lines[i+1:])
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasSuffix(line, ":") {
			return lines
		}
	}
	return lines
}

func inside(lines []string) []string {
	for i, line := range lines {
		if strings.HasPrefix(line, "```") {
			lines = lines[:i]
			break
		}
	}
	return append(lines, "")
}

// quotes are what stands around a line when the line itself is meant, with what it has to end with.
var quotes = [...][2]string{{"**", "**"}, {"__", "__"}, {"\"", "\""}, {"'", "'"}, {"`", "`"}, {"*", "*"}, {"_", "_"}, {"“", "”"}, {"‘", "’"}, {"«", "»"}, {"„", "“"}}

// unquoted drops the quotes and marks around the whole of a line, and the full stop. Quotes around a part of it stay.
func unquoted(line string) string {
	for {
		line = strings.TrimRight(strings.TrimSpace(line), ".。 ")
		inner := line
		for _, q := range quotes {
			rest, opens := strings.CutPrefix(line, q[0])
			rest, closes := strings.CutSuffix(rest, q[1])
			if opens && closes && !strings.Contains(rest, q[0]) && !strings.Contains(rest, q[1]) {
				inner = rest
				break
			}
		}
		if inner == line {
			return line
		}
		line = inner
	}
}

// refuses reports whether a line says that there will be no other.
func refuses(line string) bool {
	line = strings.ReplaceAll(strings.ToLower(line), "’", "'")
	for _, opening := range [...]string{"i'm sorry", "sorry,", "i cannot ", "i can't ", "i'm unable", "i am unable", "as an ai"} {
		if strings.HasPrefix(line, opening) {
			return true
		}
	}
	return false
}

func shortened(text string, runes int) string {
	if r := []rune(text); len(r) > runes {
		return strings.TrimSpace(string(r[:runes-1])) + "…"
	}
	return text
}
