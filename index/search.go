package index

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Match is one line that a search found.
type Match struct {
	// Path is relative to the tree.
	Path string
	// Line counts from 1.
	Line int
	// Column is where the line's first match begins: from 1, in bytes of the line as UTF-8.
	Column int
	// Text is the line without its end, cut round the match when it is long; for Path the path.
	Text string
	// Kind is what a symbol is; empty for other searches.
	Kind string
}

// Result is what a search found.
type Result struct {
	// Matches are ordered by path and line, for Path by likeness.
	Matches []Match
	// Truncated says that there are more than Query.Limit.
	Truncated bool
	// Update is the refresh that went before the search.
	Update Update
}

// Search brings the index up to date and looks for q. A query that makes no sense is a *QueryError, found before anything is read.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	q, paths, err := q.parse()
	if err != nil {
		return Result{}, err
	}
	if q.Kind == Path {
		return x.searchPaths(ctx, q, paths)
	}
	re, err := q.pattern()
	if err != nil {
		return Result{}, err
	}
	docs, update, err := x.refresh(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("refresh before search: %w", err)
	}
	s := scan{re: re, limit: q.Limit}
	started := time.Now()
	read, err := x.scanAll(ctx, docs, paths, &s)
	if err != nil {
		return Result{}, fmt.Errorf("search: %w", err)
	}
	update.Read += read
	update.Wall += time.Since(started)
	return Result{Matches: s.found, Truncated: s.full, Update: update}, nil
}

// batchSize is how many files are looked at together. Text that is not kept is read for one batch and let go; since a search may reach its limit in any batch, a large one could read much for nothing.
const batchSize = 64

// scanAll looks at every held doc that passes, in order, and counts the contents that had to be read again.
func (x *Index) scanAll(ctx context.Context, docs snapshot, paths filter, s *scan) (read int, err error) {
	var wanted snapshot
	for _, d := range docs {
		if d.state == held && paths.pass(d.Path) {
			wanted = append(wanted, d)
		}
	}
	for batch := range slices.Chunk(wanted, batchSize) {
		n, err := x.borrow(ctx, batch)
		read += n
		if err != nil {
			return read, err
		}
		for i := range batch {
			s.file(batch[i].Path, batch[i].text)
			batch[i].text = nil
		}
		if s.full {
			return read, nil
		}
	}
	return read, nil
}

// borrow gives each doc of the batch its text. One that can no longer be read has none.
func (x *Index) borrow(ctx context.Context, batch snapshot) (read int, err error) {
	var missing []int
	for i := range batch {
		if !batch[i].kept {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return 0, context.Cause(ctx)
	}
	return x.readInto(ctx, batch, missing, math.MaxInt64)
}

// scan collects the matching lines of one text after another.
type scan struct {
	re    *regexp.Regexp
	limit int
	found []Match
	// full says that there was a match beyond the limit.
	full bool
}

// file looks through one text.
func (s *scan) file(path string, text []byte) {
	line, begin := 1, 0
	for begin < len(text) && !s.full {
		at := s.re.FindIndex(text[begin:])
		// A match behind the last line end is in no line.
		if at == nil || begin+at[0] == len(text) && text[len(text)-1] == '\n' {
			return
		}
		start := begin + at[0]
		line += bytes.Count(text[begin:start], []byte("\n"))
		begin = bytes.LastIndexByte(text[:start], '\n') + 1
		end := len(text)
		if n := bytes.IndexByte(text[start:], '\n'); n >= 0 {
			end = start + n
		}
		s.add(Match{Path: path, Line: line, Column: start - begin + 1, Text: excerpt(text[begin:end], start-begin)})
		line, begin = line+1, end+1
	}
}

func (s *scan) add(m Match) {
	if s.full = len(s.found) == s.limit; !s.full {
		s.found = append(s.found, m)
	}
}

// excerptBytes bounds the text of a match, and excerptLead how much of it stands before the match.
const (
	excerptBytes = 500
	excerptLead  = 100
)

// excerpt returns a line, or what is round the match at the given byte when the line is long. It is always valid UTF-8.
func excerpt(line []byte, at int) string {
	from, to := 0, len(line)
	if len(line) > excerptBytes {
		from = max(0, min(at-excerptLead, len(line)-excerptBytes))
		to = from + excerptBytes
	}
	for from > 0 && from < at && !utf8.RuneStart(line[from]) {
		from++
	}
	for to < len(line) && to > from && !utf8.RuneStart(line[to]) {
		to--
	}
	text := strings.ToValidUTF8(string(line[from:to]), "\uFFFD")
	if from > 0 {
		text = "…" + text
	}
	if to < len(line) {
		text += "…"
	}
	return text
}
