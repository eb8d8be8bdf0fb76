package guard

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

func TestCommandLine(t *testing.T) {
	for _, tc := range []struct {
		argv []string
		want string
	}{
		{[]string{"go", "test", "./..."}, "go test ./..."},
		{[]string{"echo", "", "a b", "it's", "$x", "a;b", "*"}, `echo '' 'a b' 'it'\''s' '$x' 'a;b' '*'`},
		{[]string{"sh", "-c", "a && b\nc"}, `a && b\nc`},
		{[]string{"echo", "\u00a0", "\u200b", "\u2028", "\u3164", "\xff", "ü"}, `echo '\u00a0' '\u200b' '\u2028' '\u3164' '\xff' ü`},
	} {
		check(t, commandLine(tc.argv), tc.want)
	}
}

func FuzzVisibleHidesNothing(f *testing.F) {
	f.Add("plain")
	f.Add("a\x1b[2K\u202e\u2066\u00ad\xc3")
	f.Fuzz(func(t *testing.T, text string) {
		got := visible(text)
		if !utf8.ValidString(got) || strings.IndexFunc(got, isHidden) >= 0 {
			t.Errorf("%q is shown as %q", text, got)
		}
	})
}

func TestJoinCutKeepsRunesWhole(t *testing.T) {
	text, cut := joinCut([]byte("aü")[:2], []byte("ü€b")[1:], 10)
	check(t, text, "a\n[12 bytes of output left out]\n€b")
	check(t, cut, int64(12))
	text, cut = joinCut([]byte("aü")[:2], []byte("aü")[2:], 0)
	check(t, text, "aü")
	check(t, cut, int64(0))
}

func TestDiff(t *testing.T) {
	exists := func(content string) effect.Version {
		return effect.Version{Exists: true, Content: []byte(content)}
	}
	lines := strings.Repeat("same\n", 10)
	for _, tc := range []struct {
		name     string
		was      effect.Version
		content  string
		diff     string
		from, to int // lines of the range; 0 for none
	}{
		{"created", effect.Version{}, "a\nb\n", "--- /dev/null\n+++ b/x\n@@ -0,0 +1,2 @@\n+a\n+b\n", 1, 1},
		{"emptied", exists("a\n"), "", "--- a/x\n+++ b/x\n@@ -1,1 +0,0 @@\n-a\n", 1, 2},
		{"unchanged", exists("a\n"), "a\n", "", 0, 0},
		{"inserted in front", exists("a\n"), "b\na\n", "--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n+b\n a\n", 1, 1},
		{"appended", exists("a\n"), "a\nb\n", "--- a/x\n+++ b/x\n@@ -1,1 +1,2 @@\n a\n+b\n", 2, 2},
		{"last newline lost", exists("a\n"), "a", "--- a/x\n+++ b/x\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n", 1, 2},
		{"in the middle", exists(lines + "old\nold2\n" + lines), lines + "new\n" + lines, "--- a/x\n+++ b/x\n@@ -8,8 +8,7 @@\n same\n same\n same\n-old\n-old2\n+new\n same\n same\n same\n", 11, 13},
		{"binary", exists("a\x00"), "b", "Binary content: 2 bytes become 1 bytes\n", 0, 0},
		{"not UTF-8", exists("a"), "b\xff", "Binary content: 1 bytes become 2 bytes\n", 0, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := diffOf("x", tc.was, []byte(tc.content))
			check(t, got.text, tc.diff)
			check(t, got.truncated, false)
			from, to := 0, 0
			if got.changed != nil {
				from, to = got.changed.StartLine, got.changed.EndLine
			}
			check(t, [2]int{from, to}, [2]int{tc.from, tc.to})
		})
	}
}

func TestLongDiffIsCutAtALine(t *testing.T) {
	got := diffOf("x", effect.Version{}, []byte(strings.Repeat("0123456789\n", 100_000)))
	check(t, got.truncated, true)
	check(t, len(got.text) <= maxDiff && len(got.text) > maxDiff-20, true)
	check(t, strings.HasSuffix(got.text, "\n+0123456789\n"), true)
	huge := diffOf("x", effect.Version{}, make([]byte, 0, 1))
	check(t, huge.text, "")
	big := diffOf("x", effect.Version{}, []byte(strings.Repeat("a\n", maxDiffed)))
	check(t, big.text, "Too large to compare: 0 bytes become 16777216 bytes\n")
}
