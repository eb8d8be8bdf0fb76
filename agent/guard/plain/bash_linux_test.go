package plain

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// recording makes bash write the words of each command that it would run to descriptor 9, in place of running it; each comes to what $1 says.
const recording = `
outcome=$1
rec() { local all; builtin printf -v all '%s\x1f' "$@"; builtin printf '%s\x1e' "$all" >&9; return $outcome; }
command_not_found_handle() { rec "$@"; }
for name in echo printf test [ pwd true false cd; do builtin eval "function $name { rec $name \"\$@\"; }"; done
PATH=/nowhere
builtin eval "$2"
`

// bashRuns returns the commands that bash runs for a text, in no order.
func bashRuns(t *testing.T, text, outcome string) []string {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	extra := make([]*os.File, 7) // descriptors 3 to 9
	extra[6] = write
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-c", recording, "bash", outcome, text)
	cmd.Dir, cmd.Env, cmd.ExtraFiles = t.TempDir(), []string{"LC_ALL=C.UTF-8", "HOME=/nowhere"}, extra
	done := make(chan []byte)
	go func() {
		var all bytes.Buffer
		_, _ = all.ReadFrom(read)
		done <- all.Bytes()
	}()
	_ = cmd.Run() // what it exits with is the outcome
	write.Close()
	lines := strings.Split(strings.TrimSuffix(string(<-done), "\x1f\x1e"), "\x1f\x1e")
	slices.Sort(lines)
	return lines
}

// planRuns returns what we would run, if each command came to the outcome.
func planRuns(line Line, outcome string) []string {
	var lines []string
	add := func(argv []string) { lines = append(lines, strings.Join(argv, "\x1f")) }
	good := outcome == "0"
	if line.Dir != "" {
		add([]string{"cd", line.Dir})
		if !good {
			line.Steps = nil // nothing runs where there is no such folder
		}
	}
	last := true
	for _, s := range line.Steps {
		if s.When == OnSuccess && !last || s.When == OnFailure && last {
			continue
		}
		for _, c := range s.Pipe {
			add(c.Argv)
		}
		last = good
	}
	slices.Sort(lines)
	return lines
}

// comparable reports whether bash can be asked about a text: it looks for a program that is named by a path itself.
func comparable(line Line) bool {
	for _, s := range line.Steps {
		for _, c := range s.Pipe {
			if strings.Contains(c.Argv[0], "/") || slices.ContainsFunc(c.Argv, func(a string) bool { return strings.ContainsAny(a, "\x1e\x1f") }) {
				return false
			}
		}
	}
	return true
}

func holdAgainstBash(t *testing.T, text string) {
	t.Helper()
	line, err := Parse(text)
	if err != nil || !comparable(line) {
		return
	}
	for _, outcome := range []string{"0", "1"} {
		if got, want := bashRuns(t, text, outcome), planRuns(line, outcome); !slices.Equal(got, want) {
			t.Errorf("%q where all comes to %s: bash runs %q, the plan is %q", text, outcome, got, want)
		}
	}
}

func TestPlainAgainstBash(t *testing.T) {
	texts, _ := attacks(t)
	for _, text := range append(texts, readLines(t, "everyday.txt")...) {
		holdAgainstBash(t, text)
	}
}

// TestRedirectsAgainstBash tries all that can be said in three redirections.
func TestRedirectsAgainstBash(t *testing.T) {
	const prints = "echo out; echo err >&2"
	texts := []string{""}
	for range 3 {
		for _, text := range slices.Clone(texts) {
			for _, r := range []string{" 2>&1", " >/dev/null", " 2>/dev/null", " 1>/dev/null"} {
				texts = append(texts, text+r)
			}
		}
	}
	slices.Sort(texts)
	accepted := 0
	for _, text := range slices.Compact(texts) {
		line, err := Parse("p" + text)
		if err != nil {
			continue
		}
		accepted++
		var stdout, stderr bytes.Buffer
		cmd := exec.CommandContext(t.Context(), "bash", "--norc", "-c", "p() { "+prints+"; }; p"+text)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Run(); err != nil {
			t.Fatal(err)
		}
		var wantOut, wantErr string
		c := line.Steps[0].Pipe[0]
		if !c.DropOut {
			wantOut = "out\n"
		}
		switch {
		case c.ErrToOut:
			wantOut += "err\n"
		case !c.DropErr:
			wantErr = "err\n"
		}
		if stdout.String() != wantOut || stderr.String() != wantErr {
			t.Errorf("%q: bash prints %q and %q, the plan is %q and %q", text, &stdout, &stderr, wantOut, wantErr)
		}
	}
	if accepted < 20 {
		t.Errorf("only %d ways to redirect were accepted, want 20 or more", accepted)
	}
}

// TestProgramsActAsBuiltins holds the programs that bash has built in against those that we would run.
func TestProgramsActAsBuiltins(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(dir+"/file", []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{
		"echo", "echo a", "echo -n a", "echo a -n", "echo ''", "echo 'a  b' c", "echo a --help", "echo é", "printf 'a'", "printf '%s\\n' a b c", "printf '%s-%s\\n' a b c", "printf 'a%%b\\t\\\\c\\n'", "printf '%s' -v", "printf 'a' b",
		"true", "false", "test -f file", "test -f nothing", "test -d .", "test -e file", "test -s file", "test -r file", "test -x file", "test -L file", "test -z ''", "test -n ''", "test -n a", "test a = a", "test a = b", "test a '!=' b",
		"test file -ef file", "test \\! -f file", "[ -f file ]", "[ a = a ]", "[ \\! a = a ]", "[ -f nothing ]", "test -f ''", "test '' = ''", "test -f = x", "test '(' = ')'", "pwd",
	} {
		line, err := Parse(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		argv := line.Steps[0].Pipe[0].Argv
		got, gotCode := outputIn(t, dir, argv)
		want, wantCode := outputIn(t, dir, []string{"bash", "--norc", "-c", text})
		if got != want || gotCode != wantCode {
			t.Errorf("%q: the program prints %q and exits with %d, bash prints %q and exits with %d", text, got, gotCode, want, wantCode)
		}
	}
}

func outputIn(t *testing.T, dir string, argv []string) (string, int) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if _, ok := errors.AsType[*exec.ExitError](err); err != nil && !ok {
		t.Fatalf("%q: %v", argv, err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// pieces are what generated texts are made of: much that is plain and some that is not, so that both come often.
var pieces = [...]string{
	"a", "b", "ls", "echo", "cd a", "cd a && b", "pwd", "printf", "test", "[", "]", "true", "false", "%s", "-n", "-f", "if", "time", "in", "x=1", "=", "==", "a=b", "+", "@", "^", "%", ",", ":", "~", "#", "!", "{", "}", "(", ")", "*", "?", "$", "`", "&",
	" ", " ", " ", " ", "  ", "\t", "\n", ";", ";", "&&", "&&", "||", "||", "|", "|", " && ", " || ", " | ", "|&", " 2>&1", " >/dev/null", " 2>/dev/null", "1", "2", ">", "<", "<<", "\"", "\"", "'", "'", "''", "\"\"", "'a b'", "\"c d\"", "\"\\\\\"", "\\", "\\ ", "\\\"", "\\'", "\\#", "\\$", "\\a", "é",
}

// TestGeneratedAgainstBash is the fuzz test for whoever has no minute: more of its texts are plain.
func TestGeneratedAgainstBash(t *testing.T) {
	random := rand.New(rand.NewPCG(16, 0))
	plain := 0
	for range 60_000 {
		var text strings.Builder
		for range 1 + random.IntN(9) {
			text.WriteString(pieces[random.IntN(len(pieces))])
		}
		if _, err := Parse(text.String()); err != nil {
			continue
		}
		if plain++; plain%20 == 0 || strings.ContainsAny(text.String(), "\\'\"[") && plain%5 == 0 {
			holdAgainstBash(t, text.String())
		}
	}
	if plain < 4_000 {
		t.Errorf("only %d of the texts are plain, want 4,000 or more", plain)
	}
}

// FuzzPlainAgainstBash: for a text that counts as plain, bash runs exactly the commands of the plan.
func FuzzPlainAgainstBash(f *testing.F) {
	texts, _ := attacks(f)
	for _, text := range append(texts, readLines(f, "everyday.txt")...) {
		f.Add(text)
	}
	for _, text := range []string{`a\ b "c\"d" 'e'f"g"`, "a;b\nc&&d||e|f", "a 2>&1|b >/dev/null", "x=~", "$\\\nx", "# \\\nx", `a^b@c%d+e,f:g`, "[ a = b ]", "a\\\\b"} {
		f.Add(text)
	}
	f.Fuzz(holdAgainstBash)
}
