package tool

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

// tryEdits returns the text after edits, or the word of the error and its text.
func tryEdits(text string, edits ...edit) (after, word, why string) {
	changes, err := planEdits(text, edits)
	if e, ok := errors.AsType[*editError](err); ok {
		return "", e.word, e.text
	}
	return applyChanges(text, changes), "", ""
}

func one(old, with string) []edit { return []edit{{Old: old, New: with}} }

func all(old, with string) []edit { return []edit{{Old: old, New: with, All: true}} }

func TestEditsThatFit(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		edits []edit
		want  string
	}{
		"word in a line":                   {"a b c\n", one("b", "x"), "a x c\n"},
		"whole line":                       {"a\nb\nc\n", one("b\n", "x\n"), "a\nx\nc\n"},
		"several lines":                    {"a\nb\nc\nd\n", one("b\nc", "x"), "a\nx\nd\n"},
		"delete a line":                    {"a\nb\nc\n", one("b\n", ""), "a\nc\n"},
		"delete to the end":                {"a\nb", one("\nb", ""), "a"},
		"insert after a line":              {"a\nc\n", one("a\n", "a\nb\n"), "a\nb\nc\n"},
		"insert into a blank line":         {"a\n\nb\n", one("a\n\nb", "a\nx\nb"), "a\nx\nb\n"},
		"first line":                       {"a\nb\n", one("a\nb", "x\nb"), "x\nb\n"},
		"last line without end":            {"a\nb", one("b", "x"), "a\nx"},
		"last line without end gets one":   {"a\nb", one("b", "x\n"), "a\nx\n"},
		"whole text":                       {"a\nb\n", one("a\nb\n", ""), ""},
		"new holds old":                    {"f(x)\n", one("f(x)", "g(f(x))"), "g(f(x))\n"},
		"dollar and backslash are letters": {"a$1\n", one("$1", `\0$2`), "a\\0$2\n"},
		"letters beyond ascii":             {"grün, blau\n", one("grün", "røt"), "røt, blau\n"},
		"all":                              {"x y x\nx\n", all("x", "z"), "z y z\nz\n"},
		"all that is there once":           {"x y\n", all("x", "z"), "z y\n"},
		"all does not overlap":             {"aaaa\n", all("aa", "b"), "bb\n"},
		"all grows":                        {"a,a\n", all("a", "aa"), "aa,aa\n"},
		"two edits":                        {"a\nb\nc\n", []edit{{Old: "c", New: "z"}, {Old: "a", New: "x"}}, "x\nb\nz\n"},
		"two edits that touch":             {"ab\n", []edit{{Old: "a", New: "x"}, {Old: "b", New: "y"}}, "xy\n"},
		"two edits with shared context":    {"a\nb\nc\n", []edit{{Old: "a\nb", New: "x\nb"}, {Old: "b\nc", New: "b\nz"}}, "x\nb\nz\n"},
		"edits see the text before":        {"a b\n", []edit{{Old: "a", New: "b"}, {Old: "b", New: "a"}}, "b a\n"},

		"crlf, one line":                    {"a\r\nb\r\n", one("b", "x"), "a\r\nx\r\n"},
		"crlf, old and new with lf":         {"a\r\nb\r\nc\r\n", one("a\nb", "x\ny\nz"), "x\r\ny\r\nz\r\nc\r\n"},
		"crlf, old and new with crlf":       {"a\r\nb\r\n", one("a\r\nb", "x\r\ny"), "x\r\ny\r\n"},
		"lf, old and new with crlf":         {"a\nb\n", one("a\r\nb", "x\r\ny"), "x\ny\n"},
		"crlf in the last line without end": {"a\r\nb", one("b", "x\ny"), "a\r\nx\r\ny"},
		"crlf inside the last line":         {"a\r\nb c", one("c", "x\ny"), "a\r\nb x\r\ny"},
		"mixed, edit in the lf part":        {"a\r\nb\nc\nd\r\n", one("b\nc", "x\ny"), "a\r\nx\ny\nd\r\n"},
		"mixed, context keeps its ends":     {"a\r\nb\nc\r\n", one("a\nb\nc", "a\nx\nc"), "a\r\nx\nc\r\n"},
		"lone cr is a letter":               {"a\rb\nc\n", one("c", "x"), "a\rb\nx\n"},
		"broken bytes elsewhere":            {"\xff\xfe a\nb\xe9\n", one("a", "x"), "\xff\xfe x\nb\xe9\n"},

		"blanks before a line end":               {"a  \nb\nc\n", one("a\nb", "x\ny"), "x\ny\nc\n"},
		"blanks before a line end in old":        {"a\nb\nc\n", one("a \nb", "x\nb"), "x\nb\nc\n"},
		"blanks in context stay":                 {"a  \nb\nc\t\n", one("a\nb\nc\n", "a\nx\nc\n"), "a  \nx\nc\t\n"},
		"blanks on a blank line":                 {"a\n   \nb\n", one("a\n\nb", "a\n\nx"), "a\n   \nx\n"},
		"blank line with blanks is replaced":     {"a\n  \nb\n", one("a\n\nb", "a\nx\nb"), "a\nx\nb\n"},
		"blanks before crlf":                     {"a \r\nb\r\n", one("a\nb", "x\nb"), "x \r\nb\r\n"},
		"blanks at the end of the file":          {"a \nb  ", one("a\nb", "x"), "x  "},
		"begins inside a line":                   {"if x { \n\ty\n}\n", one("x {\n\ty", "z {\n\ty"), "if z { \n\ty\n}\n"},
		"old with blanks at the end of a line":   {"foo\nbar\n", one("foo  ", "x"), "x\nbar\n"},
		"strict place before a loose one":        {"a \nb\na\nb\n", one("a\nb", "x"), "a \nb\nx\n"},
		"indented":                               {"if a {\n\tb()\n\tc()\n}\n", one("b()\nc()", "d()\nc()"), "if a {\n\td()\n\tc()\n}\n"},
		"indented, new deeper":                   {"\tif a {\n\t\tb\n\t}\n", one("if a {\n\tb\n}", "if a {\n\tb\n\tif c {\n\t\td\n\t}\n}"), "\tif a {\n\t\tb\n\t\tif c {\n\t\t\td\n\t\t}\n\t}\n"},
		"out-dented":                             {"a\n  b\nc\n", one("  a\n    b", "  x\n    b"), "x\n  b\nc\n"},
		"indented, lines follow":                 {"\ta\n\tb\n\tc\n", one("a\nb\n", "x\n"), "\tx\n\tc\n"},
		"indented over a blank line":             {"\ta\n\n\tb\n", one("a\n\nb", "a\n\nx"), "\ta\n\n\tx\n"},
		"indented in a crlf file":                {"\ta\r\n\tb\r\n", one("a\nb", "x\ny"), "\tx\r\n\ty\r\n"},
		"indented with blanks at line ends":      {"\ta \n\tb\n", one("a\nb\n", "x\nb\n"), "\tx \n\tb\n"},
		"indented, new blank lines stay blank":   {"  a\n  b\n", one("a\nb", "a\n\nx"), "  a\n\n  x\n"},
		"typographic quotes":                     {"say “hi”\nb\n", one(`say "hi"`, "say 'ho'"), "say 'ho'\nb\n"},
		"typographic quotes in old":              {"say \"hi\"\n", one("say “hi”", "no"), "no\n"},
		"dash and hard blank":                    {"a\u00a0– b\n", one("a - b", "x"), "x\n"},
		"quotes in context stay":                 {"“a”\nb\n", one("\"a\"\nb", "\"a\"\nx"), "“a”\nx\n"},
		"apostrophe inside a line":               {"it’s on\n", one("it's", "it is"), "it is on\n"},
		"quotes and blanks at line ends at once": {"‘a’ \nb\n", one("'a'\nb", "c"), "c\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, word, why := tryEdits(c.text, c.edits...)
			if got != c.want || word != "" {
				t.Errorf("got %q %s %s\nwant %q", got, word, why, c.want)
			}
		})
	}
}

func TestEditsThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		text  string
		edits []edit
		word  string
		says  string
	}{
		"empty old":                         {"a\n", one("", "x"), "invalid_arguments", `"old" is empty`},
		"old is new":                        {"a\n", one("a", "a"), "invalid_arguments", "are the same"},
		"old is new but for cr":             {"a\nb\n", one("a\r\nb", "a\nb"), "invalid_arguments", "are the same"},
		"missing":                           {"a\n", one("zzz", "x"), "no_match", "edit 1 of 1"},
		"made before":                       {"a\nb\r\nis there\n", one("was there", "b\nis there"), "no_match", `"new" stands at line 2 already`},
		"short text that is there":          {"a\n", one("zzz", "a"), "no_match", "not in the file. "},
		"missing in an empty file":          {"", one("a", "x"), "no_match", "not in the file"},
		"twice":                             {"x\ny\nx\n", one("x", "z"), "ambiguous", "stands 2 times in the file, at lines 1, 3"},
		"twice and overlapping":             {"aaa\n", one("aa", "b"), "ambiguous", "2 times"},
		"many times":                        {strings.Repeat("x\n", 40), one("x", "z"), "ambiguous", "8, 9, 10, …"},
		"twice with blanks":                 {"a \nb\na  \nb\n", one("a\nb", "x"), "ambiguous", "white space at line ends overlooked"},
		"all fits only exactly":             {"a \nb\na  \nb\n", all("a\nb", "x"), "ambiguous", "not there exactly"},
		"twice with other indentation":      {"\ta\n\tb\n  a\n  b\n", one("a\nb\n", "x\n"), "ambiguous", "other indentation"},
		"twice with quotes":                 {"“a”\n‘b’\n“a”\n", one(`"a"`, "x"), "ambiguous", "typographic"},
		"uneven indentation":                {"\ta\n\t\tb\n", one("a\nb\n", "x\n"), "no_match", "nearest"},
		"letters are no indentation":        {"xb\nxc\n", one("b\nc", "q"), "no_match", ""},
		"new cannot move out":               {"a\n  b\n", one("  a\n    b\n", "x\n    b\n"), "no_match", "nearest"},
		"tabs are not blanks":               {"\ta\n\tb\n", one("    a\n    b\n", "    x\n"), "no_match", "nearest"},
		"blanks inside a line count":        {"a  b\n", one("a b", "x"), "no_match", ""},
		"blanks at the end stay at the end": {"foobar\n", one("foo ", "x"), "no_match", ""},
		"case counts":                       {"Alpha\n", one("alpha", "x"), "no_match", "     1\tAlpha"},
		"a dash is not two":                 {"a – b\n", one("a -- b", "x"), "no_match", ""},
		"blanks alone fit only exactly":     {"a\nb", one(" \n", "x"), "no_match", ""},
		"overlap":                           {"a\nb\nc\n", []edit{{Old: "a\nb", New: "x"}, {Old: "b\nc", New: "y"}}, "overlap", "edits 1 and 2 both change line 2"},
		"the same edit twice":               {"a\nb\n", []edit{{Old: "a", New: "x"}, {Old: "a", New: "y"}}, "overlap", "line 1"},
		"two inserts at one place":          {"a\n\nb\n", []edit{{Old: "a\n\nb", New: "a\nx\nb"}, {Old: "a\n\nb\n", New: "a\ny\nb\n"}}, "overlap", "line 2"},
		"one of two is missing":             {"a\n", []edit{{Old: "a", New: "x"}, {Old: "q", New: "y"}}, "no_match", "edit 2 of 2"},
		"text of an earlier edit":           {"a\n", []edit{{Old: "a", New: "x"}, {Old: "x", New: "y"}}, "no_match", "edit 2 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			_, word, why := tryEdits(c.text, c.edits...)
			if word != c.word || !strings.Contains(why, c.says) {
				t.Errorf("got %q %q\nwant %q with %q", word, why, c.word, c.says)
			}
		})
	}
}

func TestNearestTextIsShownWithItsLines(t *testing.T) {
	text := "package a\n\nfunc openFile(name string) {\n\tread(name)\n}\n\nfunc closeFile(name string) {\n\tfree(name)\n}\n"
	_, _, got := tryEdits(text, edit{Old: "func openFiles(name string) {\n\tread(names)\n}", New: "x"})
	want := `edit 1 of 1: "old" is not in the file. The nearest text is below; copy "old" from the file as it is, without the line numbers.
     3	func openFile(name string) {
     4		read(name)
     5	}
   ...
     7	func closeFile(name string) {
     8		free(name)
     9	}`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestNotesSayWhatWasOverlooked(t *testing.T) {
	changes, err := planEdits("\ta\nb \nc\n", []edit{{Old: "b\nc", New: "b\nx"}, {Old: "a", New: "z"}})
	if err != nil {
		t.Fatal(err)
	}
	want := []change{{from: 1, to: 2, with: "z", edit: 2}, {from: 6, to: 7, with: "x", edit: 1, how: "with white space at line ends overlooked"}}
	if !reflect.DeepEqual(changes, want) {
		t.Errorf("got %+v\nwant %+v", changes, want)
	}
}

// FuzzEdit holds the matcher to what an edit may touch: the bytes round the change stay, the change has as many lines as old, an exact edit is a plain replacement, and CRLF line ends make no difference.
func FuzzEdit(f *testing.F) {
	for _, seed := range [][3]string{{"a\nb\nc\n", "b", "x"}, {"a \nb\r\nc", "a\nb", "x\ny"}, {"\ta\n\tb\n", "a\nb", "c"}, {"“a” – b\xff\n", "\"a\" - b", "q"}, {"a\n  \nb", "a\n\nb", "a\nx\nb"}} {
		f.Add(seed[0], seed[1], seed[2], false)
	}
	f.Fuzz(func(t *testing.T, text, old, with string, every bool) {
		e := edit{old, with, every}
		changes, err := planEdits(text, []edit{e})
		if err != nil {
			if strings.Count(text, old) == 1 && old != "" && overlapping(text, old) == 1 && toLF(old) != toLF(with) && !strings.Contains(text+old, "\r") {
				t.Fatalf("edit of a unique text: %v", err)
			}
			return
		}
		after := applyChanges(text, changes)
		checkOutside(t, text, after, old, changes)
		if strings.Contains(text+old+with, "\r") {
			return
		}
		if strings.Contains(text, old) && after != strings.ReplaceAll(text, old, with) {
			t.Errorf("got %q, want a plain replacement", after)
		}
		checkCRLF(t, text, e, after)
	})
}

func overlapping(text, part string) (n int) {
	for i := range len(text) {
		if strings.HasPrefix(text[i:], part) {
			n++
		}
	}
	return n
}

func checkOutside(t *testing.T, text, after, old string, changes []change) {
	t.Helper()
	first, last := changes[0], changes[len(changes)-1]
	if !strings.HasPrefix(after, text[:first.from]) || !strings.HasSuffix(after, text[last.to:]) {
		t.Errorf("bytes outside the change %+v differ: %q became %q", changes, text, after)
	}
	for _, c := range changes {
		if got, most := strings.Count(text[c.from:c.to], "\n"), strings.Count(old, "\n"); got > most {
			t.Errorf("change %+v of %q spans %d line ends, old has %d", c, text, got, most)
		}
	}
}

func checkCRLF(t *testing.T, text string, e edit, after string) {
	t.Helper()
	crlf := func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	got, word, why := tryEdits(crlf(text), e)
	if want := crlf(after); got != want && strings.Contains(text, "\n") {
		t.Errorf("with CRLF got %q %s %s, want %q", got, word, why, want)
	}
}

func TestNearestIsBounded(t *testing.T) {
	var text strings.Builder
	for i := range 100 {
		fmt.Fprintf(&text, "a line of text number %d\n", i)
	}
	_, _, why := tryEdits(text.String(), edit{Old: strings.Repeat("a line of text numbers\n", 50), New: "x"})
	if got := strings.Count(why, "\n"); got > nearPlaces*(nearLines+1) {
		t.Errorf("got %d lines:\n%s", got, why)
	}
}
