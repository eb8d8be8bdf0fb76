package tool

import (
	"context"
	_ "embed" // for the description
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/index"
)

//go:embed code_search.md
var codeSearchText string

const (
	defaultMatches = 100
	maxMatches     = 500
)

func codeSearch() Tool {
	return define(definition{
		name:        "code-search",
		description: codeSearchText,
		schema:      `{"type":"object","properties":{"query":{"type":"string"},"kind":{"type":"string","enum":["literal","regex","path"],"description":"literal when absent"},"include":{"type":"array","items":{"type":"string"},"description":"globs of paths to search"},"exclude":{"type":"array","items":{"type":"string"},"description":"globs of paths to leave out"},"case":{"type":"string","enum":["smart","sensitive","insensitive"],"description":"smart when absent: case counts only if the query has an upper-case letter"},"limit":{"type":"integer","minimum":1,"maximum":500,"description":"most matches, 100 when absent"}},"required":["query"],"additionalProperties":false}`,
		form:        `{"query": "func main", "kind": "literal", "include": ["*.go"], "exclude": ["vendor/**"], "case": "smart", "limit": 100}`,
		readOnly:    true,
	}, runCodeSearch)
}

type codeSearchArguments struct {
	Query   string     `json:"query"`
	Kind    index.Kind `json:"kind"`
	Include []string   `json:"include"`
	Exclude []string   `json:"exclude"`
	Case    index.Case `json:"case"`
	Limit   int        `json:"limit"`
}

func (a codeSearchArguments) check() error {
	if a.Query == "" {
		return missing("query")
	}
	return within("limit", a.Limit, maxMatches)
}

func runCodeSearch(ctx context.Context, env Env, a codeSearchArguments) (Result, error) {
	limit := a.Limit
	if limit == 0 {
		limit = defaultMatches
	}
	found, err := env.Index.Search(ctx, index.Query{Text: a.Query, Kind: a.Kind, Case: a.Case, Include: a.Include, Exclude: a.Exclude, Limit: limit})
	if err != nil {
		return Result{}, err
	}
	if found.Update.Read > 0 || found.Update.Removed > 0 {
		if err := env.Indexed(found.Update); err != nil {
			return Result{}, fmt.Errorf("record index update: %w", err)
		}
	}
	text, cut := matchLines(found, a.Kind == index.Path)
	return Result{OK: true, Text: text + gaps(found.Update), Truncated: cut}, nil
}

// matchLines shows matches one a line, as far as maxText allows.
func matchLines(found index.Result, paths bool) (text string, cut bool) {
	if len(found.Matches) == 0 {
		return "[no match]\n", false
	}
	var out strings.Builder
	shown := 0
	for _, m := range found.Matches {
		line := visible(m.Path) + "\n"
		if !paths {
			line = fmt.Sprintf("%s:%d:%d: %s\n", visible(m.Path), m.Line, m.Column, m.Text)
		}
		if out.Len()+len(line) > maxText {
			break
		}
		out.WriteString(line)
		shown++
	}
	if shown == len(found.Matches) && !found.Truncated {
		return out.String(), false
	}
	fmt.Fprintf(&out, "[cut after %s; narrow the query, give include, or raise limit]\n", count(shown, "match line"))
	return out.String(), true
}

// gaps says which files were not searched, so that a missing match is not taken for proof that there is none.
func gaps(u index.Update) string {
	var out strings.Builder
	note := func(n int, what string) {
		if n > 0 {
			fmt.Fprintf(&out, "[%s not searched: %s]\n", count(n, "file"), what)
		}
	}
	note(u.Skipped.TooLarge, "too large")
	note(u.Skipped.Protected+len(u.Refused), "not allowed")
	note(u.Left, "they could not be read")
	if u.Capped {
		out.WriteString("[the tree has more files than are searched]\n")
	}
	return out.String()
}
