package tool

import (
	"context"
	_ "embed" // for the description
	"fmt"
	"math"
	"strings"
)

//go:embed file_read.md
var fileReadText string

// Bounds of what one call shows, and of the file that it is taken from.
const (
	maxFile  = 8 << 20
	maxLines = 2000
	maxText  = 64 << 10
)

func fileRead() Tool {
	return define(definition{
		name:        "file-read",
		description: fileReadText,
		schema:      `{"type":"object","properties":{"path":{"type":"string","description":"relative to the tree"},"offset":{"type":"integer","minimum":1,"description":"first line, from 1"},"limit":{"type":"integer","minimum":1,"maximum":2000,"description":"number of lines"}},"required":["path"],"additionalProperties":false}`,
		form:        `{"path": "cmd/main.go", "offset": 1, "limit": 200}`,
		readOnly:    true,
	}, runFileRead)
}

type fileReadArguments struct {
	Path   string `json:"path"`
	Offset int    `json:"offset"`
	Limit  int    `json:"limit"`
}

func (a fileReadArguments) check() error {
	if a.Path == "" {
		return missing("path")
	}
	if err := within("offset", a.Offset, math.MaxInt32); err != nil {
		return err
	}
	return within("limit", a.Limit, maxLines)
}

func runFileRead(ctx context.Context, env Env, a fileReadArguments) (Result, error) {
	content, err := env.Guard.ReadFile(ctx, a.Path, maxFile)
	if err != nil {
		return Result{}, err
	}
	text, enc, ok := decode(content)
	if !ok {
		return refuse(wordBinary, fmt.Sprintf("%q is a binary file of %s; it is not shown", a.Path, count(len(content), "byte"))), nil
	}
	lines := splitLines(text)
	first := max(a.Offset, 1)
	if first > max(len(lines), 1) {
		return refuse(wordInvalid, fmt.Sprintf("%q has %s, so there is none at offset %d", a.Path, count(len(lines), "line"), first)), nil
	}
	limit := a.Limit
	if limit == 0 {
		limit = maxLines
	}
	shown, last := page(lines, first, limit)
	notes := fileNotes(text, enc)
	if first > 1 || last < len(lines) {
		notes = append(notes, fmt.Sprintf("lines %d to %d of %d", first, last, len(lines)))
	}
	if last < len(lines) {
		notes = append(notes, fmt.Sprintf("for more give offset %d", last+1))
	}
	if len(notes) > 0 {
		shown += "[" + strings.Join(notes, "; ") + "]\n"
	}
	return Result{OK: true, Text: shown, Truncated: last < len(lines), Touched: env.touched(a.Path)}, nil
}

// splitLines returns the lines of a text. What follows the last line end is a line only if there is something.
func splitLines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// page shows lines from first on under their numbers, as far as the limit and maxText allow, and returns the last it shows. At least one line is shown.
func page(lines []string, first, limit int) (text string, last int) {
	var out strings.Builder
	last = first - 1
	for last < len(lines) && last < first-1+limit {
		line := numbered(last+1, lines[last]) + "\n"
		if out.Len() > 0 && out.Len()+len(line) > maxText {
			break
		}
		out.WriteString(line)
		last++
	}
	return out.String(), last
}

// fileNotes says what the lines alone do not show.
func fileNotes(text string, enc encoding) []string {
	var notes []string
	if text == "" {
		notes = append(notes, "the file is empty")
	}
	if enc != utf8Plain {
		notes = append(notes, "encoded in "+enc.String())
	}
	if enc == utf8Plain && visible(text) != text {
		notes = append(notes, `bytes that are not UTF-8 are shown as \xNN`)
	}
	if strings.Contains(text, "\r\n") {
		notes = append(notes, "lines end in CRLF")
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		notes = append(notes, "no line end after the last line")
	}
	return notes
}
