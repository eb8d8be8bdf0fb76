package index

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// globs is a list of path patterns, any of which may match.
type globs []string

// parseGlobs checks patterns and brings them to the form that match expects. The field names the list in an error.
func parseGlobs(field string, patterns []string) (globs, error) {
	parsed := make(globs, 0, len(patterns))
	for _, p := range patterns {
		clean := strings.TrimPrefix(strings.TrimPrefix(p, "./"), "/")
		clean = strings.TrimSuffix(clean, "/")
		if clean == "" || !doublestar.ValidatePattern(clean) {
			return nil, &QueryError{Field: field, Value: p, Why: "not a glob; examples: *.go, cmd/**, **/*_test.go"}
		}
		parsed = append(parsed, clean)
	}
	return parsed, nil
}

// match reports whether a pattern names the file or a folder that it lies in. A pattern without a slash names files and folders at any depth, as people who write "*.go" expect.
func (g globs) match(file string) bool {
	for _, p := range g {
		if matchOne(p, file) {
			return true
		}
	}
	return false
}

func matchOne(pattern, file string) bool {
	for part := file; part != "."; part = path.Dir(part) {
		name := part
		if !strings.Contains(pattern, "/") {
			name = path.Base(part)
		}
		if doublestar.MatchUnvalidated(pattern, name) {
			return true
		}
	}
	return false
}
