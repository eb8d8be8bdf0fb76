package guard

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

const (
	// maxDiff is where a diff is cut.
	maxDiff = 256 << 10
	// maxDiffed is the size from which two contents are not compared line by line.
	maxDiffed = 8 << 20
)

// change is what a write would do, as a person is shown it.
type change struct {
	text      string
	truncated bool
	changed   *event.Range
}

// diffOf compares a file's version with its new content.
func diffOf(rel string, was effect.Version, content []byte) change {
	if !isText(was.Content) || !isText(content) {
		return change{text: fmt.Sprintf("Binary content: %d bytes become %d bytes\n", len(was.Content), len(content))}
	}
	if len(was.Content) > maxDiffed || len(content) > maxDiffed {
		return change{text: fmt.Sprintf("Too large to compare: %d bytes become %d bytes\n", len(was.Content), len(content)), truncated: true}
	}
	old := "a/" + rel
	if !was.Exists {
		old = "/dev/null"
	}
	text := string(diff.Diff(old, was.Content, "b/"+rel, content))
	_, text, _ = strings.Cut(text, "\n") // the library's own first line is no part of the form
	d := change{text: text, changed: firstChange(text)}
	if len(text) > maxDiff {
		d.text, d.truncated = text[:strings.LastIndexByte(text[:maxDiff], '\n')+1], true
	}
	return d
}

// isText reports whether content can be shown line by line.
func isText(content []byte) bool {
	return utf8.Valid(content) && !bytes.ContainsRune(content, 0)
}

// firstChange finds the first changed lines in a diff, by their numbers in the old text. Lines that are only added make an empty range before the line that they push down.
func firstChange(text string) *event.Range {
	start, removed, found := 0, 0, false
	for line := range strings.Lines(text) {
		switch {
		case start == 0:
			if n, _ := fmt.Sscanf(line, "@@ -%d", &start); n == 1 && strings.HasPrefix(line, "@@ -0,0 ") {
				start = 1
			}
		case line[0] == '-':
			removed++
			found = true
		case line[0] == '+':
			found = true
		case found || line[0] != ' ':
			return lineRange(start, removed)
		default:
			start++
		}
	}
	if !found {
		return nil
	}
	return lineRange(start, removed)
}

func lineRange(start, lines int) *event.Range {
	return &event.Range{StartLine: start, StartColumn: 1, EndLine: start + lines, EndColumn: 1}
}
