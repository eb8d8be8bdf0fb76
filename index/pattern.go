package index

import (
	"regexp"
	"regexp/syntax"
	"slices"
)

// compile returns a regular expression that can match a whole text at once and yet never crosses a line end: ^, $, \A and \z stand at the ends of lines, and nothing in it matches LF. That keeps a scan linear; looking line by line, or cutting matches at line ends afterwards, does not.
func compile(source string, fold bool) (*regexp.Regexp, error) {
	flags := syntax.Perl &^ syntax.OneLine
	if fold {
		flags |= syntax.FoldCase
	}
	parsed, err := syntax.Parse(source, flags)
	if err == nil {
		toLine(parsed)
		var re *regexp.Regexp
		if re, err = regexp.Compile(parsed.String()); err == nil {
			return re, nil
		}
	}
	return nil, &QueryError{Field: "query", Value: source, Why: err.Error() + "; the syntax is that of Go and RE2, without look-around and back-references"}
}

// toLine rewrites the expression in place.
func toLine(re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpBeginText:
		re.Op = syntax.OpBeginLine
	case syntax.OpEndText:
		re.Op, re.Flags = syntax.OpEndLine, re.Flags&^syntax.WasDollar
	case syntax.OpAnyChar:
		re.Op = syntax.OpAnyCharNotNL
	case syntax.OpLiteral:
		if slices.Contains(re.Rune, '\n') {
			never(re)
		}
	case syntax.OpCharClass:
		if re.Rune = withoutLF(re.Rune); len(re.Rune) == 0 {
			never(re)
		}
	}
	for _, sub := range re.Sub {
		toLine(sub)
	}
}

func never(re *syntax.Regexp) { re.Op, re.Rune = syntax.OpNoMatch, nil }

// withoutLF takes the line end out of the ranges of a character class.
func withoutLF(ranges []rune) []rune {
	out := make([]rune, 0, len(ranges)+2)
	for i := 0; i+1 < len(ranges); i += 2 {
		lo, hi := ranges[i], ranges[i+1]
		if lo > '\n' || hi < '\n' {
			out = append(out, lo, hi)
			continue
		}
		if lo < '\n' {
			out = append(out, lo, '\n'-1)
		}
		if hi > '\n' {
			out = append(out, '\n'+1, hi)
		}
	}
	return out
}
