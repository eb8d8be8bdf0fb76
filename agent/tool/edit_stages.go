package tool

import "strings"

// stage is one way to find an old text. The stages are tried from strict to loose, and the first that finds anything decides: what is found twice by a strict one is not made unique by a loose one.
type stage struct {
	// how says what the stage overlooks; empty when nothing.
	how  string
	find func(text string, e edit) []change
}

func stages() []stage {
	return []stage{
		{"", exactly},
		{"with white space at line ends overlooked", withoutTrailing},
		{"with other indentation", findShifted},
		{"with typographic quotes, dashes and blanks overlooked", withASCII},
	}
}

func exactly(text string, e edit) []change { return findLoose(text, e, looseness{}) }

func withoutTrailing(text string, e edit) []change {
	return findLoose(text, e, looseness{trailing: true})
}

func withASCII(text string, e edit) []change {
	return findLoose(text, e, looseness{trailing: true, punctuation: true})
}

// findLoose finds every place where a text holds the old one but for what loose allows. Places of an edit that changes all do not overlap; of another they may, so that "aa" in "aaa" counts as two and not as unique.
func findLoose(text string, e edit, loose looseness) []change {
	have, old := simplify(text, loose), simplify(e.Old, loose).text
	if loose != (looseness{}) && strings.TrimSpace(old) == "" {
		return nil
	}
	core := coreOf(e, old)
	step := 1
	if e.All {
		step = len(old)
	}
	var found []change
	for at := 0; ; at += step {
		n := strings.Index(have.text[at:], old)
		if n < 0 {
			return found
		}
		at += n
		if end := at + len(old); loose.trailing && core.blankEnd && end < len(have.text) && have.text[end] != '\n' {
			continue
		}
		from, to := have.original(at+core.from, at+core.to)
		found = append(found, change{from: from, to: to, with: fitLines(core.with, text, from)})
	}
}

// core is the part of an edit that differs: whole lines that old and new begin or end with alike are context, and keep the bytes of the file.
type core struct {
	// from and to bound the part in the simplified old text.
	from, to int
	// with is what replaces it.
	with string
	// blankEnd says that simplifying took white space from the last line of old, which then must end where a line of the file ends.
	blankEnd bool
}

func coreOf(e edit, simplifiedOld string) core {
	oldLines, newLines := strings.Split(e.Old, "\n"), strings.Split(e.New, "\n")
	head, tail := commonLines(oldLines, newLines)
	lines := strings.Split(simplifiedOld, "\n")
	c := core{
		to:       len(simplifiedOld),
		with:     strings.Join(newLines[head:len(newLines)-tail], "\n"),
		blankEnd: len(lines[len(lines)-1]) < len(oldLines[len(oldLines)-1]),
	}
	for _, l := range lines[:head] {
		c.from += len(l) + 1
	}
	for _, l := range lines[len(lines)-tail:] {
		c.to -= len(l) + 1
	}
	return c
}

// commonLines counts the lines that a and b begin and end with alike, leaving each at least one.
func commonLines(a, b []string) (head, tail int) {
	most := min(len(a), len(b)) - 1
	for head < most && a[head] == b[head] {
		head++
	}
	for tail < most-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// fitLines gives the lines of with the ends that the text has at a place: those of the line itself, or for the last line those of the one before.
func fitLines(with, text string, at int) string {
	end := strings.IndexByte(text[at:], '\n') + at
	if end < at {
		end = strings.LastIndexByte(text[:at], '\n')
	}
	if end > 0 && text[end-1] == '\r' {
		return strings.ReplaceAll(with, "\n", "\r\n")
	}
	return with
}
