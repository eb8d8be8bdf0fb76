package guard

import (
	"strings"
	"testing"
)

func TestDenialsHoldHoweverACommandIsWritten(t *testing.T) {
	touch, push := []string{"touch"}, []string{"git", "push", "--force"}
	text := func(s string) []string { return []string{"sh", "-c", s} }
	argv := strings.Fields
	for _, tc := range []struct {
		name   string
		prefix []string
		argv   []string
		want   bool
	}{
		{"itself", touch, argv("touch x"), true},
		{"by its path", touch, argv("/usr/bin/touch x"), true},
		{"by a relative path", touch, argv("./touch x"), true},
		{"in another case", touch, argv("TOUCH x"), true},
		{"through env", touch, argv("env touch x"), true},
		{"through env with settings", touch, argv("env -i A=b /bin/touch x"), true},
		{"through nice", touch, argv("nice -n 5 touch x"), true},
		{"through timeout", touch, argv("/usr/bin/timeout 5 touch x"), true},
		{"through sudo", touch, argv("sudo -u root touch x"), true},
		{"through xargs", touch, argv("xargs -0 touch"), true},
		{"through find", touch, argv("find . -exec touch {} ;"), true},
		{"through an interpreter", touch, []string{"python3", "-c", "import os; os.system('touch x')"}, true},
		{"through a flag", touch, argv("tar --checkpoint-action=exec=touch x"), true},
		{"through git", touch, []string{"git", "-c", "alias.x=!touch y", "x"}, true},
		{"shell", touch, text("touch x"), true},
		{"shell by its path", touch, []string{"/bin/bash", "-lc", "touch x"}, true},
		{"second command", touch, text("cd /tmp && touch x"), true},
		{"without spaces", touch, text("true;touch x"), true},
		{"in a pipe", touch, text("echo x|xargs touch"), true},
		{"in a substitution", touch, text("echo $(touch x)"), true},
		{"in backquotes", touch, text("echo `touch x`"), true},
		{"in a subshell", touch, text("(touch x)"), true},
		{"in a group", touch, text("{ touch x; }"), true},
		{"nested", touch, text(`bash -c "touch x"`), true},
		{"quoted in parts", touch, text(`to"u"c'h' x`), true},
		{"with a backslash", touch, text(`t\ouch x`), true},
		{"over two lines", touch, text("tou\\\nch x"), true},
		{"after an assignment", touch, text("A=b touch x"), true},
		{"by an alias", touch, text("alias t=touch\nt x"), true},
		{"by a variable", touch, text("A=touch; $A x"), true},
		{"by an escape", touch, text(`$'\x74ouch' x`), true},
		{"by an unknown variable", touch, text("$A x"), true},
		{"by a variable in a loop", touch, text("for f in a; do $f x; done"), true},
		{"by a variable through a wrapper", touch, text("nice -n 5 $A x"), true},
		{"by a variable through a shell", touch, text(`eval "$A"`), true},
		{"by a pattern", touch, text("/usr/bin/tou?h x"), true},
		{"by braces", touch, text("{touch,x}"), true},
		{"by a substitution", touch, text("$(printf tou)ch x"), true},
		{"behind a redirection", touch, text(">out touch x"), true},
		{"several words", push, argv("git push --force origin"), true},
		{"several words in a text", push, text("git  push   --force"), true},
		{"several words, the last a variable", push, text("git push $A"), true},
		{"several words, a variable for two", push, text("git $A"), true},
		{"several words by a path", push, argv("/usr/bin/git push --force"), true},

		{"another program", touch, argv("ls touch"), false},
		{"a name that begins alike", touch, argv("touchpad x"), false},
		{"a plain argument", touch, []string{"git", "commit", "-m", "touch it"}, false},
		{"fewer words", push, argv("git push origin"), false},
		{"fewer words in a text", push, text("git push origin --force-with-lease"), false},
		{"other words before", push, text("git log; echo push --force"), false},
		{"a variable as an argument", touch, text("echo $HOME ${A}"), false},
		{"a pattern as an argument", touch, text("ls *.go"), false},
		{"a variable as a file", touch, text("echo x > $OUT 2>&1"), false},
		{"a loop over files", touch, text("for f in *.go; do gofmt -l $f; done"), false},
		{"a test", touch, text("if [ -f $A ]; then ls; fi"), false},
		{"a wrapped command's variable", touch, text("timeout 5 ls $A"), false},
		{"an assignment", touch, text("A=$B ls"), false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, effect := range []Verdict{Deny, Ask} {
				r := Rule{Effect: effect, Op: OpExec, Prefix: tc.prefix}
				check(t, r.matches(Action{Op: OpExec, Argv: tc.argv}), tc.want)
			}
		})
	}
}

func TestPermissionsStayExact(t *testing.T) {
	r := Rule{Effect: Allow, Op: OpExec, Prefix: []string{"go", "test"}}
	for _, tc := range []struct {
		argv []string
		want bool
	}{
		{[]string{"go", "test", "./..."}, true},
		{[]string{"/usr/bin/go", "test"}, false},
		{[]string{"GO", "test"}, false},
		{[]string{"env", "go", "test"}, false},
		{[]string{"nice", "go", "test"}, false},
		{[]string{"sh", "-c", "go test"}, false},
		{[]string{"go test"}, false},
		{nil, false},
	} {
		check(t, r.matches(Action{Op: OpExec, Argv: tc.argv}), tc.want)
	}
}

func FuzzWordsOf(f *testing.F) {
	for _, s := range []string{"touch x", `a"b c"d`, "A=b $c", "x>&2", "`a`", "\\\n", "=", "a==b"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, w := range wordsOf(s) {
			if strings.ContainsAny(w.text, " \t\n;&|(){}<>'\"`=") {
				t.Errorf("%q gives the word %q", s, w.text)
			}
		}
		// What is denied stays denied with anything before it that ends.
		if !mayRun([]string{"sh", "-c", s + ";touch x"}, []string{"touch"}) {
			t.Errorf("%q hides what follows", s)
		}
	})
}
