package plain

import (
	"bufio"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// readLines returns the lines of a file of testdata that are no comment.
func readLines(tb testing.TB, name string) []string {
	tb.Helper()
	file, err := os.Open("testdata/" + name)
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var lines []string
	for in := bufio.NewScanner(file); in.Scan(); {
		if line := in.Text(); line != "" && line[0] != '#' {
			lines = append(lines, line)
		}
	}
	return lines
}

// attacks returns the texts of attacks.txt with their kinds.
func attacks(tb testing.TB) (texts, kinds []string) {
	tb.Helper()
	for _, line := range readLines(tb, "attacks.txt") {
		kind, text, ok := strings.Cut(line, ": ")
		if !ok {
			tb.Fatalf("attacks.txt: line %q has no kind", line)
		}
		if whole, err := strconv.Unquote(text); err == nil && text[0] == '"' {
			text = whole
		}
		texts, kinds = append(texts, text), append(kinds, kind)
	}
	return texts, kinds
}

// reads reports why a text is not known to only read, as the guard asks it.
func reads(text string) error {
	line, err := Parse(text)
	if err != nil {
		return err
	}
	for _, s := range line.Steps {
		for _, c := range s.Pipe {
			if _, err := ReadOnly(c.Argv); err != nil {
				return err
			}
		}
	}
	return nil
}

func TestNoAttackOnlyReads(t *testing.T) {
	texts, kinds := attacks(t)
	if len(texts) < 250 {
		t.Errorf("got %d attacks, want 250 or more", len(texts))
	}
	for i, text := range texts {
		t.Run(kinds[i], func(t *testing.T) {
			err := reads(text)
			if err == nil {
				t.Fatalf("%q counts as only reading", text)
			}
			_, isReason := errors.AsType[Reason](err)
			_, isNotPlain := errors.AsType[*NotPlain](err)
			if !isReason && !isNotPlain {
				t.Errorf("%q: got error %v, want a reason", text, err)
			}
			if strings.ContainsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x202e || r == 0x200b }) {
				t.Errorf("%q: the reason %q has characters that cannot be seen", text, err)
			}
		})
	}
}

func TestEverydayCommandsOnlyRead(t *testing.T) {
	lines := readLines(t, "everyday.txt")
	var asked []string
	for _, line := range lines {
		if err := reads(line); err != nil {
			asked = append(asked, line+": "+err.Error())
		}
	}
	if len(lines) < 200 || len(asked)*20 > len(lines) {
		t.Errorf("%d of %d commands are asked about, want 5%% of 200 at most:\n%s", len(asked), len(lines), strings.Join(asked, "\n"))
	}
	t.Logf("%d of %d commands are asked about", len(asked), len(lines))
}

func TestReadOnlyNamesWhatItReads(t *testing.T) {
	for _, c := range []struct{ argv, want string }{
		{"cat a ../b", "a ../b"}, {"grep -f pats x y", "pats x y"}, {"grep -fpats -e x y", "pats y"}, {"grep /x/ y", "y"}, {"rg --files x", "x"}, {"jq .a b", "b"}, {"sed -n 1p b", "b"}, {"sed -ne 1p b", "b"}, {"find a b -newer c -name d", "a b c"}, {"git log -- a", "a"}, {"git show HEAD:.env", "HEAD:.env .env"},
		{"head -n 5 a", "a"}, {"echo a", ""}, {"ls", ""}, {"date -r a", "a"}, {"test -f /etc/x", "-f /etc/x"}, {"ls -- -a", "-a"}, {"realpath --relative-to=/etc a", "/etc a"},
	} {
		safe, err := ReadOnly(strings.Fields(c.argv))
		if err != nil {
			t.Errorf("%q: %v", c.argv, err)
		}
		if got := strings.Join(safe.Reads, " "); got != c.want {
			t.Errorf("%q: got reads %q, want %q", c.argv, got, c.want)
		}
	}
}

// TestReadOnlyKeepsGitFromPrograms holds what cannot be shown by running git here: what is in the way twice, or only with another version of it.
func TestReadOnlyKeepsGitFromPrograms(t *testing.T) {
	for _, args := range []string{"status", "diff --stat", "log -p", "show HEAD", "stash list", "stash show", "reflog", "blame a", "grep x", "branch", "describe"} {
		safe, err := ReadOnly(strings.Fields("git " + args))
		if err != nil {
			t.Errorf("%q: %v", args, err)
			continue
		}
		before := strings.Join(safe.Argv[:slices.Index(safe.Argv, strings.Fields(args)[0])], " ")
		for _, want := range []string{"--no-pager", "-c core.fsmonitor=false", "-c core.hooksPath=/dev/null", "-c safe.bareRepository=explicit", "-c gpg.program=false", "-c log.showSignature=false", "-c submodule.recurse=false", "-c diff.submodule=short"} {
			if !strings.Contains(before, want) {
				t.Errorf("%q: %q is not in front of the command: %q", args, want, before)
			}
		}
		if args == "status" && !slices.Contains(safe.Argv, "--ignore-submodules=dirty") {
			t.Errorf("it asks the repositories inside: %q", safe.Argv)
		}
		for _, want := range []string{"GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"} {
			if !slices.Contains(safe.Env, want) {
				t.Errorf("%q: its environment lacks %q", args, want)
			}
		}
	}
}

func TestReadOnlySaysWhenItPrintsMore(t *testing.T) {
	for argv, want := range map[string]bool{
		"cat a": false, "grep -n a b": false, "grep -rn a b": true, "rg a": true, "diff -r a b": true, "git status": false, "git diff": true, "git show HEAD": true, "ls -R": false, "find .": false, "gofmt -l .": false, "gofmt -d .": true,
	} {
		safe, err := ReadOnly(strings.Fields(argv))
		if err != nil || safe.Deep != want {
			t.Errorf("%q: got deep %v and error %v, want %v", argv, safe.Deep, err, want)
		}
	}
}

// BenchmarkDecide prints besides the mean what one in a hundred decisions takes longer than.
func BenchmarkDecide(b *testing.B) {
	lines := readLines(b, "everyday.txt")
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		_ = reads(lines[i%len(lines)])
		took = append(took, time.Since(start))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)*99/100].Nanoseconds()), "p99-ns/op")
}
