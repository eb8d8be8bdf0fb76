package tool

import (
	"slices"
	"strings"
)

// shift is how much further in or out a block of lines stands in the file than in an old text. One of the two is empty.
type shift struct{ add, cut string }

// findShifted finds the places where whole lines of a text are those of the old one, all moved in or out by the same white space. White space at line ends is overlooked as well.
func findShifted(text string, e edit) []change {
	loose := looseness{trailing: true}
	have, old := simplify(text, loose), simplify(e.Old, loose).text
	oldLines, haveLines := strings.Split(old, "\n"), strings.Split(have.text, "\n")
	body := oldLines
	if strings.HasSuffix(old, "\n") {
		// What comes behind the last line end of old is no line to compare.
		body = oldLines[:len(oldLines)-1]
	}
	var found []change
	start := 0
	for i := 0; i+len(oldLines) <= len(haveLines); i++ {
		if s, ok := shiftOf(haveLines[i:i+len(body)], body); ok {
			window := slices.Clone(oldLines)
			copy(window, haveLines[i:i+len(body)])
			if c, ok := shiftedChange(text, have, start, window, e, s); ok {
				found = append(found, c)
			}
		}
		start += len(haveLines[i]) + 1
	}
	return found
}

// shiftOf returns the shift from old to have, if there is one that holds for all lines with something in them.
func shiftOf(have, old []string) (shift, bool) {
	var s shift
	for i := range have {
		if have[i] == "" && old[i] == "" {
			continue
		}
		this, ok := shiftOfLine(have[i], old[i])
		if !ok || s != (shift{}) && s != this {
			return shift{}, false
		}
		s = this
	}
	return s, s != (shift{})
}

func shiftOfLine(have, old string) (shift, bool) {
	if add, ok := strings.CutSuffix(have, old); ok && old != "" && isBlank(add) {
		return shift{add: add}, add != ""
	}
	if cut, ok := strings.CutSuffix(old, have); ok && have != "" && isBlank(cut) {
		return shift{cut: cut}, cut != ""
	}
	return shift{}, false
}

func isBlank(s string) bool { return strings.Trim(s, " \t") == "" }

// shiftedChange replaces the lines of a window that begins at a place of the simplified text. It reports false when the new lines do not stand far enough in to be moved out.
func shiftedChange(text string, have simplified, start int, window []string, e edit, s shift) (change, bool) {
	oldLines, newLines := strings.Split(e.Old, "\n"), strings.Split(e.New, "\n")
	head, tail := commonLines(oldLines, newLines)
	moved := make([]string, 0, len(newLines))
	for _, line := range newLines[head : len(newLines)-tail] {
		m, ok := s.move(line)
		if !ok {
			return change{}, false
		}
		moved = append(moved, m)
	}
	from := start
	for _, l := range window[:head] {
		from += len(l) + 1
	}
	to := from + len(strings.Join(window[head:len(window)-tail], "\n"))
	begin, end := have.original(from, to)
	return change{from: begin, to: end, with: fitLines(strings.Join(moved, "\n"), text, begin)}, true
}

// move shifts a new line. An empty one stays empty.
func (s shift) move(line string) (string, bool) {
	if isBlank(line) {
		return line, true
	}
	rest, ok := strings.CutPrefix(line, s.cut)
	return s.add + rest, ok
}
