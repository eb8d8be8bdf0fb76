package index

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// places returns matches as path:line:column.
func places(matches []Match) []string {
	var out []string
	for _, m := range matches {
		out = append(out, fmt.Sprintf("%s:%d:%d", m.Path, m.Line, m.Column))
	}
	return out
}

func TestSearchInOneFile(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		q    Query
		want []string
	}{
		"literal":                          {"a\nfoo bar\n", Query{Text: "bar"}, []string{"f:2:5"}},
		"literal is no regex":              {"abc\na.c\n", Query{Text: "a.c"}, []string{"f:2:1"}},
		"one match a line":                 {"x x x\nx\n", Query{Text: "x"}, []string{"f:1:1", "f:2:1"}},
		"column counts bytes":              {"äö x", Query{Text: "x"}, []string{"f:1:6"}},
		"last line without end":            {"a\nb", Query{Text: "b"}, []string{"f:2:1"}},
		"smart folds lower case":           {"Foo\nfoo\n", Query{Text: "foo"}, []string{"f:1:1", "f:2:1"}},
		"smart keeps upper case":           {"Foo\nfoo\n", Query{Text: "Foo"}, []string{"f:1:1"}},
		"smart looks past regex escapes":   {"Foo1\nfoo x\n", Query{Text: `foo\S`, Kind: Regex}, []string{"f:1:1"}},
		"smart sees a class":               {"Foo\nfoo\n", Query{Text: `[F]oo`, Kind: Regex}, []string{"f:1:1"}},
		"smart looks past a group name":    {"ABC\n", Query{Text: `(?P<Name>abc)`, Kind: Regex}, []string{"f:1:1"}},
		"sensitive":                        {"Foo\nfoo\n", Query{Text: "foo", Case: Sensitive}, []string{"f:2:1"}},
		"insensitive":                      {"Foo\nfoo\n", Query{Text: "FOO", Case: Insensitive}, []string{"f:1:1", "f:2:1"}},
		"dollar before crlf":               {"foo\r\nfoo x\r\n", Query{Text: "foo$", Kind: Regex}, []string{"f:1:1"}},
		"caret in each line":               {"a\nb\na\n", Query{Text: "^a", Kind: Regex}, []string{"f:1:1", "f:3:1"}},
		"text begin is line begin":         {"a\nab\n", Query{Text: `\Aab`, Kind: Regex}, []string{"f:2:1"}},
		"text end is line end":             {"ab\nb\n", Query{Text: `ab\z`, Kind: Regex}, []string{"f:1:1"}},
		"empty lines":                      {"a\n\nb\n\n", Query{Text: "^$", Kind: Regex}, []string{"f:2:1", "f:4:1"}},
		"no line behind the last end":      {"a\n", Query{Text: "^$", Kind: Regex}, nil},
		"end of each line":                 {"ab\nc\n", Query{Text: "$", Kind: Regex}, []string{"f:1:3", "f:2:2"}},
		"white space stays in its line":    {"a\nb\na b\n", Query{Text: `a\s+b`, Kind: Regex}, []string{"f:3:1"}},
		"negated class stays in its line":  {"a\nb\n", Query{Text: `a[^x]b`, Kind: Regex}, nil},
		"dot with s flag stays":            {"a\nb\nacb\n", Query{Text: `(?s)a.b`, Kind: Regex}, []string{"f:3:1"}},
		"escaped line end never matches":   {"a\nb\n", Query{Text: `a\nb`, Kind: Regex}, nil},
		"class of line ends never matches": {"a\nb\n", Query{Text: `a[\n]b`, Kind: Regex}, nil},
		"alternation":                      {"one\ntwo\nten\n", Query{Text: "one|two", Kind: Regex}, []string{"f:1:1", "f:2:1"}},
		"word boundary at line begin":      {"x\nfoo\nxfoo\n", Query{Text: `\bfoo`, Kind: Regex}, []string{"f:2:1"}},
		"nul after the sniffed part":       {strings.Repeat("a\n", sniffBytes) + "\x00b\n", Query{Text: "b"}, []string{fmt.Sprintf("f:%d:2", sniffBytes+1)}},
		"latin-1 bytes":                    {"caf\xe9 x\n", Query{Text: "x"}, []string{"f:1:6"}},
		"utf-8 with a mark":                {"\xEF\xBB\xBFfoo\n", Query{Text: "^foo", Kind: Regex}, []string{"f:1:1"}},
		"utf-16 little endian":             {"\xFF\xFEf\x00o\x00\r\x00\n\x00b\x00", Query{Text: "b"}, []string{"f:2:1"}},
		"utf-16 big endian":                {"\xFE\xFF\x00f\x00o", Query{Text: "fo"}, []string{"f:1:1"}},
		"binary":                           {"foo\x00", Query{Text: "foo"}, nil},
		"empty file":                       {"", Query{Text: "^", Kind: Regex}, nil},
		"blank literal":                    {"ab\na b\n", Query{Text: " "}, []string{"f:2:2"}},
		"folded letters beyond ascii":      {"ÄRGER\n", Query{Text: "ärger"}, []string{"f:1:1"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := New(newTree(map[string]string{"f": c.text}), Options{})
			if got := places(search(t, x, c.q).Matches); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestSearchOrderFiltersAndLimit(t *testing.T) {
	files := map[string]string{"b.go": "x\nx\n", "a.txt": "x\n", "cmd/m.go": "x\n", "cmd/deep/n.go": "x\n", "vendor/v.go": "x\n"}
	for name, c := range map[string]struct {
		q         Query
		want      []string
		truncated bool
	}{
		"sorted by path and line":       {Query{}, []string{"a.txt:1:1", "b.go:1:1", "b.go:2:1", "cmd/deep/n.go:1:1", "cmd/m.go:1:1", "vendor/v.go:1:1"}, false},
		"name at any depth":             {Query{Include: []string{"*.go"}, Exclude: []string{"vendor"}}, []string{"b.go:1:1", "b.go:2:1", "cmd/deep/n.go:1:1", "cmd/m.go:1:1"}, false},
		"folder with slash":             {Query{Include: []string{"cmd/"}}, []string{"cmd/deep/n.go:1:1", "cmd/m.go:1:1"}, false},
		"one level":                     {Query{Include: []string{"cmd/*.go"}}, []string{"cmd/m.go:1:1"}, false},
		"any level":                     {Query{Include: []string{"cmd/**/*.go"}}, []string{"cmd/deep/n.go:1:1", "cmd/m.go:1:1"}, false},
		"alternatives":                  {Query{Include: []string{"*.{txt,md}"}}, []string{"a.txt:1:1"}, false},
		"dot slash":                     {Query{Include: []string{"./b.go"}}, []string{"b.go:1:1", "b.go:2:1"}, false},
		"exclude wins":                  {Query{Include: []string{"a.txt"}, Exclude: []string{"a.*"}}, nil, false},
		"limit":                         {Query{Limit: 2}, []string{"a.txt:1:1", "b.go:1:1"}, true},
		"limit that is exactly reached": {Query{Limit: 6}, []string{"a.txt:1:1", "b.go:1:1", "b.go:2:1", "cmd/deep/n.go:1:1", "cmd/m.go:1:1", "vendor/v.go:1:1"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.Text = "x"
			r := search(t, New(newTree(files), Options{}), c.q)
			if got := places(r.Matches); !reflect.DeepEqual(got, c.want) || r.Truncated != c.truncated {
				t.Errorf("got %q, %v, want %q, %v", got, r.Truncated, c.want, c.truncated)
			}
		})
	}
}

func TestSearchSeesTheTreeOfItsCall(t *testing.T) {
	src := newTree(map[string]string{"f": "old\n"})
	x := New(src, Options{})
	search(t, x, Query{Text: "old"})
	src.write("f", "new\n")
	r := search(t, x, Query{Text: "new"})
	want := Result{Matches: []Match{{Path: "f", Line: 1, Column: 1, Text: "new"}}, Update: Update{Files: 1, Read: 1}}
	r.Update = figures(r.Update)
	if !reflect.DeepEqual(r, want) {
		t.Errorf("got %+v, want %+v", r, want)
	}
}

func TestTextOverTheBoundIsReadForEachSearch(t *testing.T) {
	src := newTree(map[string]string{"a": "x1\n", "b": "x2\n", "c": "x3\n"})
	x := New(src, Options{})
	x.keep = 4
	r := search(t, x, Query{Text: "x"})
	if got, want := places(r.Matches), []string{"a:1:1", "b:1:1", "c:1:1"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	checkReads(t, src, "a", "b", "c", "b", "c")
	r = search(t, x, Query{Text: "x3"})
	checkReads(t, src, "b", "c")
	if r.Update.Read != 2 {
		t.Errorf("second search counts %d reads, want 2", r.Update.Read)
	}
}

func TestLongLinesAreCutRoundTheMatch(t *testing.T) {
	long := strings.Repeat("ä", 600)
	for name, c := range map[string]struct{ line, begins, ends string }{
		"at the begin":  {"needle" + long, "needle", "…"},
		"in the middle": {long + "needle" + long, "…ä", "…"},
		"at the end":    {long + "needle", "…ä", "needle"},
	} {
		t.Run(name, func(t *testing.T) {
			m := search(t, New(newTree(map[string]string{"f": c.line}), Options{}), Query{Text: "needle"}).Matches[0]
			bounded := len(m.Text) <= excerptBytes+2*len("…")
			if !bounded || !strings.Contains(m.Text, "needle") || !strings.HasPrefix(m.Text, c.begins) || !strings.HasSuffix(m.Text, c.ends) || strings.Contains(m.Text, "\uFFFD") {
				t.Errorf("got %d bytes %q", len(m.Text), m.Text)
			}
			if want := strings.Index(c.line, "needle") + 1; m.Column != want {
				t.Errorf("column %d, want %d in the whole line", m.Column, want)
			}
		})
	}
}

func TestQueriesThatMakeNoSense(t *testing.T) {
	for name, c := range map[string]struct {
		q     Query
		field string
	}{
		"empty":           {Query{}, "query"},
		"blank path":      {Query{Text: "  ", Kind: Path}, "query"},
		"two lines":       {Query{Text: "a\nb"}, "query"},
		"bad regex":       {Query{Text: "(", Kind: Regex}, "query"},
		"look-around":     {Query{Text: "(?=x)", Kind: Regex}, "query"},
		"symbol":          {Query{Text: "x", Kind: Symbol}, "kind"},
		"unknown kind":    {Query{Text: "x", Kind: "fuzzy"}, "kind"},
		"unknown case":    {Query{Text: "x", Case: "upper"}, "case"},
		"bad include":     {Query{Text: "x", Include: []string{"["}}, "include"},
		"empty exclude":   {Query{Text: "x", Exclude: []string{""}}, "exclude"},
		"negative limit":  {Query{Text: "x", Limit: -1}, "limit"},
		"not utf-8":       {Query{Text: "\xff"}, "query"},
		"path, bad globs": {Query{Text: "x", Kind: Path, Include: []string{"["}}, "include"},
	} {
		t.Run(name, func(t *testing.T) {
			src := newTree(map[string]string{"f": "x"})
			_, err := New(src, Options{}).Search(t.Context(), c.q)
			if q, ok := errors.AsType[*QueryError](err); !ok || q.Field != c.field {
				t.Errorf("got %v, want a QueryError about %s", err, c.field)
			}
			checkReads(t, src)
		})
	}
}

func TestSearchOfPaths(t *testing.T) {
	files := map[string]string{
		"agent/turn.go": "", "agent/turn_test.go": "", "docs/return.md": "", "turnstile/x.go": "", "logo.png": "\x00", "a/t/u/r/n": "", "README.md": "",
	}
	for name, c := range map[string]struct {
		q    Query
		want []string
	}{
		"best name first":       {Query{Text: "turn"}, []string{"agent/turn.go:1:1", "agent/turn_test.go:1:1", "docs/return.md:1:1", "turnstile/x.go:1:1", "a/t/u/r/n:1:1"}},
		"letters in order":      {Query{Text: "attest"}, []string{"agent/turn_test.go:1:1"}},
		"blanks do not count":   {Query{Text: "agent turn.go"}, []string{"agent/turn.go:1:1", "agent/turn_test.go:1:1"}},
		"smart case":            {Query{Text: "READ"}, []string{"README.md:1:1"}},
		"binary files too":      {Query{Text: "logo"}, []string{"logo.png:1:1"}},
		"filters hold":          {Query{Text: "turn", Include: []string{"docs"}}, []string{"docs/return.md:1:1"}},
		"nothing":               {Query{Text: "zzz"}, nil},
		"regex letters are raw": {Query{Text: ".*"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			c.q.Kind = Path
			if got := places(search(t, New(newTree(files), Options{}), c.q).Matches); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestLettersCountMoreTogetherAndAtTheBeginOfWords(t *testing.T) {
	x := New(newTree(map[string]string{"abtxx": "", "b/a/t": "", "zazbzc": "", "zzabzc": ""}), Options{})
	for text, want := range map[string][]string{"at": {"b/a/t:1:1", "abtxx:1:1"}, "abc": {"zzabzc:1:1", "zazbzc:1:1"}} {
		if got := places(search(t, x, Query{Text: text, Kind: Path}).Matches); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestProtectedPathsStayOutOfSight(t *testing.T) {
	src := newTree(map[string]string{"key.pem": "x"})
	src.refuse["key.pem"] = ErrProtected
	x := New(src, Options{})
	if got := search(t, x, Query{Text: "key", Kind: Path}).Matches; got != nil {
		t.Errorf("got %v, want nothing", got)
	}
}

func TestSearchEndsWithItsContext(t *testing.T) {
	x := New(newTree(map[string]string{"f": "x"}), Options{})
	search(t, x, Query{Text: "x"})
	cause := errors.New("the person cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := x.Search(ctx, Query{Text: "x"}); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestParallelSearchesShareOneRefresh(t *testing.T) {
	src := newTree(map[string]string{"a": "x\n", "b": "x\n"})
	x := New(src, Options{})
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			r, err := x.Search(t.Context(), Query{Text: "x"})
			if got, want := places(r.Matches), []string{"a:1:1", "b:1:1"}; err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("got %q, %v, want %q", got, err, want)
			}
		})
	}
	group.Wait()
	checkReads(t, src, "a", "b")
}

// FuzzLines compares the scan of a whole text with the person's own expression on each line.
func FuzzLines(f *testing.F) {
	for _, seed := range [][2]string{{`a\s*b`, "a\nb\na b\n"}, {`^$|x`, "\n\nx"}, {`[^a]+$`, "b\r\n\r\na"}, {`(?i:\bé)`, "É\nxé\n"}, {`\z`, "a\n"}, {`(?s).*`, "a\nb"}, {`\Ba`, "ba\na"}} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, pattern, text string) {
		whole, err := compile(pattern, false)
		plain, plainErr := regexp.Compile(pattern)
		if (err == nil) != (plainErr == nil) {
			t.Fatalf("pattern %q: got error %v, regexp says %v", pattern, err, plainErr)
		}
		if err != nil {
			return
		}
		s := scan{re: whole, limit: 1 << 20}
		s.file("f", []byte(text))
		if got, want := places(s.found), lineByLine(plain, text); !reflect.DeepEqual(got, want) {
			t.Errorf("pattern %q in %q\n got %q\nwant %q", pattern, text, got, want)
		}
	})
}

func lineByLine(re *regexp.Regexp, text string) []string {
	lines := strings.Split(text, "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	var out []string
	for i, line := range lines {
		if at := re.FindStringIndex(line); at != nil {
			out = append(out, fmt.Sprintf("f:%d:%d", i+1, at[0]+1))
		}
	}
	return out
}
