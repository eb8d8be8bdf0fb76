package index

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode"
)

// searchPaths ranks the paths of the tree. A file's content does not matter here, so files that are not searched for text are found too; only protected ones stay out of sight.
func (x *Index) searchPaths(ctx context.Context, q Query, paths filter) (Result, error) {
	docs, update, err := x.refresh(ctx)
	if err != nil {
		return Result{}, fmt.Errorf("refresh before search: %w", err)
	}
	var hits []pathHit
	fold := q.fold(q.Text)
	for _, d := range docs {
		if d.state == protected || !paths.pass(d.Path) {
			continue
		}
		if score, ok := likeness(d.Path, q.Text, fold); ok {
			hits = append(hits, pathHit{d.Path, score})
		}
	}
	slices.SortFunc(hits, pathHit.compare)
	result := Result{Truncated: len(hits) > q.Limit, Update: update}
	for _, h := range hits[:min(len(hits), q.Limit)] {
		result.Matches = append(result.Matches, Match{Path: h.path, Line: 1, Column: 1, Text: strings.ToValidUTF8(h.path, "\uFFFD")})
	}
	return result, nil
}

type pathHit struct {
	path  string
	score int
}

// compare puts the likelier path first: the higher score, then the shorter path, then the alphabet.
func (h pathHit) compare(other pathHit) int {
	return cmp.Or(cmp.Compare(other.score, h.score), cmp.Compare(len(h.path), len(other.path)), cmp.Compare(h.path, other.path))
}

// What a text is worth where it stands. The steps are far above what letters can add up to, so that a whole word beats any scatter of letters.
const (
	wholeBase  = 50_000
	prefixBase = 40_000
	insideBase = 30_000
	insidePath = 20_000
)

// likeness scores how well text describes file, and reports false when file does not hold its letters in order. Blanks in text do not count.
func likeness(file, text string, fold bool) (int, bool) {
	want := strings.Join(strings.Fields(text), "")
	have := file
	if fold {
		want, have = strings.ToLower(want), strings.ToLower(file)
	}
	score, ok := scatter([]rune(have), []rune(want))
	if !ok {
		return 0, false
	}
	base := path.Base(have)
	switch {
	case base == want || strings.TrimSuffix(base, path.Ext(base)) == want:
		return wholeBase + score, true
	case strings.HasPrefix(base, want):
		return prefixBase + score, true
	case strings.Contains(base, want):
		return insideBase + score, true
	case strings.Contains(have, want):
		return insidePath + score, true
	}
	return score, true
}

// scatter finds the letters of want in have from the end, since the end of a path says more than its folders. A letter counts more at the begin of a word or directly before the letter found last.
func scatter(have, want []rune) (score int, ok bool) {
	next, last := len(want)-1, -1
	for i := len(have) - 1; i >= 0 && next >= 0; i-- {
		if have[i] != want[next] {
			continue
		}
		score++
		if last == i+1 {
			score += 4
		}
		if i == 0 || !unicode.IsLetter(have[i-1]) {
			score += 3
		}
		last = i
		next--
	}
	return score, next < 0
}
