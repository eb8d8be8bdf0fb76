package index

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// Kind says how the text of a query is meant.
type Kind string

// The kinds of search.
const (
	// Literal finds the text itself.
	Literal Kind = "literal"
	// Regex finds a regular expression in Go's syntax, line by line.
	Regex Kind = "regex"
	// Symbol finds declarations. No engine answers it yet.
	Symbol Kind = "symbol"
	// Path finds files whose path holds the letters of the text in order.
	Path Kind = "path"
)

// Case says when letters of different case are equal.
type Case string

// The ways to compare case.
const (
	// Smart is Insensitive until the text holds an upper-case letter.
	Smart Case = "smart"
	// Sensitive tells upper from lower case.
	Sensitive Case = "sensitive"
	// Insensitive does not.
	Insensitive Case = "insensitive"
)

// defaultLimit holds where a query has no limit.
const defaultLimit = 200

// Query is one search.
type Query struct {
	// Text is what is looked for. It is never empty and within one line.
	Text string
	// Kind is how Text is meant; empty means Literal.
	Kind Kind
	// Case is how letters compare; empty means Smart.
	Case Case
	// Include are globs of which a path must match one; empty allows every path.
	Include []string
	// Exclude are globs of which a path must match none.
	Exclude []string
	// Limit is the most matches; zero means 200.
	Limit int
}

// QueryError says which part of a query cannot be used. Front doors turn it into an answer about their own parameters.
type QueryError struct {
	// Field is "query", "kind", "case", "include", "exclude" or "limit".
	Field string
	// Value is what stood there.
	Value string
	// Why says what is wrong and what would be right.
	Why string
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("search: %s %q: %s", e.Field, e.Value, e.Why)
}

// filter is the part of a query that looks at paths.
type filter struct{ include, exclude globs }

func (f filter) pass(path string) bool {
	if f.exclude.match(path) {
		return false
	}
	return len(f.include) == 0 || f.include.match(path)
}

// parse checks a query before anything is read for it, and fills in what it leaves open.
func (q Query) parse() (Query, filter, error) {
	if err := q.checkText(); err != nil {
		return q, filter{}, err
	}
	if q.Case == "" {
		q.Case = Smart
	}
	if q.Case != Smart && q.Case != Sensitive && q.Case != Insensitive {
		return q, filter{}, &QueryError{Field: "case", Value: string(q.Case), Why: "want smart, sensitive or insensitive"}
	}
	if q.Limit < 0 {
		return q, filter{}, &QueryError{Field: "limit", Value: fmt.Sprint(q.Limit), Why: "want 1 or more"}
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	include, err := parseGlobs("include", q.Include)
	if err != nil {
		return q, filter{}, err
	}
	exclude, err := parseGlobs("exclude", q.Exclude)
	return q, filter{include, exclude}, err
}

func (q Query) checkText() error {
	if strings.TrimSpace(q.Text) == "" && (q.Text == "" || q.Kind == Path) {
		return &QueryError{Field: "query", Value: q.Text, Why: "is empty"}
	}
	if strings.ContainsAny(q.Text, "\r\n") {
		return &QueryError{Field: "query", Value: q.Text, Why: "a search looks within lines; give one of the lines"}
	}
	return nil
}

// pattern returns the regular expression that finds the lines of a literal or regex query.
func (q Query) pattern() (*regexp.Regexp, error) {
	switch q.Kind {
	case Literal, "":
		return compile(regexp.QuoteMeta(q.Text), q.fold(q.Text))
	case Regex:
		return compile(q.Text, q.fold(escapes.ReplaceAllString(q.Text, "")))
	case Symbol:
		return nil, &QueryError{Field: "kind", Value: string(q.Kind), Why: "symbols come with a later index; use regex with the form of the declaration"}
	}
	return nil, &QueryError{Field: "kind", Value: string(q.Kind), Why: "want literal, regex or path"}
}

// escapes are the parts of a regular expression whose letters say nothing about case.
var escapes = regexp.MustCompile(`\\[pPx]\{[^}]*\}|\\.|\(\?P?<[^>]*>|\(\?[a-zA-Z-]+`)

// fold reports whether case is to be ignored for a query whose own letters are given.
func (q Query) fold(letters string) bool {
	if q.Case != Smart {
		return q.Case == Insensitive
	}
	return !strings.ContainsFunc(letters, unicode.IsUpper)
}
