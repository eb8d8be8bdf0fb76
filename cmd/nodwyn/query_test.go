package main

import (
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// checkText compares one text.
func checkText(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\ngot  %q\nwant %q", what, got, want)
	}
}

// offering is a permission with the options of those ids.
func offering(ids ...string) guard.Prompt {
	p := guard.Prompt{Type: guard.TypePermission, Action: "Create a.txt"}
	for _, id := range ids {
		p.Options = append(p.Options, guard.Option{ID: id})
	}
	return p
}

func TestAnswersOfAPrompt(t *testing.T) {
	every := offering(guard.AllowOnce, guard.AllowSession, guard.AllowEdits, guard.AllowAlways, guard.DenyOnce, guard.DenyStop)
	fewer := offering(guard.AllowOnce, guard.DenyOnce, guard.DenyStop)
	question := guard.Prompt{Type: guard.TypeQuestion, Text: "Which?", Choices: []string{"red", "blue"}, FreeText: true}
	open := guard.Prompt{Type: guard.TypeQuestion, Text: "Why?", FreeText: true}
	trust := guard.Prompt{Type: guard.TypeChoice, Text: "Trust it?", Choices: []string{"trust", "skip"}}
	none := guard.Answer{}
	for _, c := range []struct {
		name   string
		prompt guard.Prompt
		typed  string
		want   guard.Answer
	}{
		{"letter", every, "e", guard.Answer{Option: guard.AllowEdits}},
		{"capital letter", every, "Y", guard.Answer{Option: guard.AllowOnce}},
		{"label", every, "deny and stop", guard.Answer{Option: guard.DenyStop}},
		{"id", every, "allow_always", guard.Answer{Option: guard.AllowAlways}},
		{"letter keeps its meaning when less is offered", fewer, "q", guard.Answer{Option: guard.DenyStop}},
		{"letter that is not offered", fewer, "a", none},
		{"number", every, "1", none},
		{"nothing", every, "", none},
		{"more than a letter", every, "yes please", none},
		{"number of a choice", question, "2", guard.Answer{Text: "blue"}},
		{"word of a choice", question, "Red", guard.Answer{Text: "red"}},
		{"own words", question, "a bit of both", guard.Answer{Text: "a bit of both"}},
		{"no words", question, "", none},
		{"words without choices", open, "because", guard.Answer{Text: "because"}},
		{"the cautious choice is the first", trust, "1", guard.Answer{Text: "skip"}},
		{"words that are no choice", trust, "maybe", none},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := newQuery(c.prompt, "").read(c.typed)
			if !ok {
				got = none
			}
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestCommandOfAPrompt(t *testing.T) {
	for _, c := range []struct {
		name, action, cwd string
		argv              []string
		want              string
	}{
		{"said in the head", "Run go test ./...", "/tree", []string{"go", "test", "./..."}, ""},
		{"shell text said in the head", "Run ls | wc", "/tree", []string{"sh", "-c", "ls | wc"}, ""},
		{"another folder", "Run go test", "/tree/sub/dir", []string{"go", "test"}, "  in sub/dir\n"},
		{"a head of its own", "Tidy up", "/tree", []string{"rm", "-rf", "build"}, "  $ rm -rf build\n"},
		{"words with borders of their own", "Run touch 'it'\\''s'", "/tree", []string{"touch", "it's"}, "  $ touch \"it's\"\n"},
		{"lines", `Run cd x\nmake`, "/tree", []string{"sh", "-c", "cd x\nmake\n"}, "  $ cd x\n    make\n"},
		{"hidden characters", "Run a script", "/tree", []string{"sh", "-c", "echo \x1b[2K"}, "  $ echo \\x1b[2K\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := guard.Prompt{Type: guard.TypePermission, Action: c.action, Argv: c.argv, Cwd: c.cwd}
			checkText(t, "command", newQuery(p, "/tree").command(), c.want)
		})
	}
}

func TestOnlyTheHeadIsBold(t *testing.T) {
	p := guard.Prompt{Type: guard.TypeChoice, Text: "Trust it?\n\nrun = true\n", Choices: []string{"trust"}}
	checkText(t, "text", newQuery(p, "").text(style{color: true}), "\x1b[1mTrust it?\x1b[0m\n\nrun = true\n\n  1  trust\n")
}

func TestDiffHeadsAreNotChangedLines(t *testing.T) {
	diff := "--- /dev/null\n+++ b/a\n@@ -1 +1 @@\n-- old\n+++ new\n same"
	marks := strings.NewReplacer("\x1b[1m", "<b>", "\x1b[31m", "<r>", "\x1b[32m", "<g>", "\x1b[0m", "</>")
	checkText(t, "diff", marks.Replace(style{color: true}.diff(diff)),
		"<b>--- /dev/null</>\n<b>+++ b/a</>\n<b>@@ -1 +1 @@</>\n<r>-- old</>\n<g>+++ new</>\n same")
	checkText(t, "diff without colour", style{}.diff(diff), diff)
}
