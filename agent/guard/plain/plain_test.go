package plain

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	one := func(argv ...string) Simple { return Simple{Argv: argv} }
	for _, c := range []struct {
		text string
		want Line
	}{
		{"ls", Line{Steps: []Step{{Always, []Simple{one("ls")}}}}},
		{`grep -n "a b" 'c $d' e\ f`, Line{Steps: []Step{{Always, []Simple{one("grep", "-n", "a b", "c $d", "e f")}}}}},
		{`a "b\c\$\"" d\#`, Line{Steps: []Step{{Always, []Simple{one("a", `b\c$"`, "d#")}}}}},
		{"a | b | c", Line{Steps: []Step{{Always, []Simple{one("a"), one("b"), one("c")}}}}},
		{"a && b || c; d\ne", Line{Steps: []Step{
			{Always, []Simple{one("a")}}, {OnSuccess, []Simple{one("b")}}, {OnFailure, []Simple{one("c")}}, {Always, []Simple{one("d")}}, {Always, []Simple{one("e")}},
		}}},
		{"cd a/b && c | d", Line{Dir: "a/b", Steps: []Step{{Always, []Simple{one("c"), one("d")}}}}},
		{"a 2>&1 | b", Line{Steps: []Step{{Always, []Simple{{Argv: []string{"a"}, ErrToOut: true}, one("b")}}}}},
		{"a >/dev/null 2>&1", Line{Steps: []Step{{Always, []Simple{{Argv: []string{"a"}, DropOut: true, DropErr: true}}}}}},
		{"a 2>/dev/null 2>&1", Line{Steps: []Step{{Always, []Simple{{Argv: []string{"a"}, DropErr: false, ErrToOut: true}}}}}},
		{`printf '%s\n' "a\"b\\" ''`, Line{Steps: []Step{{Always, []Simple{one("printf", `%s\n`, `a"b\`, "")}}}}},
	} {
		t.Run(c.text, func(t *testing.T) {
			got, err := Parse(c.text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestParseSaysWhichSegmentAndWhy(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ls && cat $HOME", `"$HOME" holds what a shell replaces`},
		{"ls | tee x > y", `"> y" redirects`},
		{"ls; eval x", `"eval x" is for the shell itself`},
		{"ls *.go", `"*.go" holds a pattern that stands for the names of files`},
		{"A=1 ls", `"A=1" sets a variable`},
		{"ls &", `"ls &" goes on in the background`},
		{"ls \u202e", `"\\u{202e}" is a character that cannot be seen for what it is`},
		{"", `"" runs nothing`},
	} {
		_, err := Parse(c.text)
		if err == nil || err.Error() != c.want {
			t.Errorf("%q: got error %v, want %s", c.text, err, c.want)
		}
	}
}

// TestParseRefuses is about what is no attack, and only not worth the doubt.
func TestParseRefuses(t *testing.T) {
	for _, text := range []string{
		"cd a && b; c", "cd a && b || c", "cd a && b\nc", "cd a && pwd", "cd a && b | pwd", "a 2>&1 >/dev/null", "a && ! b", "a | ! b", "a; # b", "a b#c", `echo "5$"`, "a &&\\\nb", "a |\\\n b", "a;\\\nb", "'if' a", "= a", "a \\\nb",
		strings.Repeat("a ", maxText), strings.Repeat("a;", maxCommands+1), "echo --version", "echo -n -e a", "printf -- a", "test a -nt b", "test 1 -eq 1", "[ a = b", "[", "test",
	} {
		_, err := Parse(text)
		notPlain, ok := errors.AsType[*NotPlain](err)
		if !ok || notPlain.Why == "" {
			t.Errorf("%.40q: got error %v, want it not to be plain, and why", text, err)
		}
	}
}

func TestShow(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"a b\tc\nd", "a b\tc\nd"},
		{"a\u202eb\x1b[1m\u00a0", `a\u{202e}b\x1b[1m\u{a0}`},
		{"a\xffb\u3164\u200d\ufeff", `a\xffb\u{3164}\u{200d}\u{feff}`},
		{"ls" + strings.Repeat(" ", 200) + "&& rm x", "ls [200 blanks] && rm x"},
		{"ls" + strings.Repeat("\n", 30) + "rm x", "ls [30 blanks] rm x"},
		{"naïve 日本", "naïve 日本"},
	} {
		if got := Show(c.text); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}
