package tool

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// untimed replaces what differs from run to run.
func untimed(text string) string {
	text = regexp.MustCompile(`[0-9]+ seconds?`).ReplaceAllString(text, "N seconds")
	return regexp.MustCompile(`(?m)^processes that are gone: .*$`).ReplaceAllString(text, "processes that are gone: …")
}

func TestBackground(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs sh")
	}
	const server = "echo up; while [ ! -e go ]; do sleep 0.01; done; echo went; while :; do sleep 1000; done"
	h := newHarness(t, nil)
	for _, step := range []struct {
		do         string
		tool       string
		args       args
		ok         bool
		word, want string
	}{
		{"nothing runs yet", "shell-output", args{}, true, "", "there are no background commands; they end with the session"},
		{"start", "shell-exec", args{"command": server, "background": true}, true, "", "started in the background with the id b1; shell-output shows what it prints, shell-kill ends it, and it ends with the session"},
		{"first output", "shell-output", args{"id": "b1", "wait_sec": 60}, true, "", "running for N seconds\nup\n"},
		{"nothing new", "shell-output", args{"id": "b1"}, true, "", "running for N seconds\nnothing new was printed\n"},
		{"let it go on", "shell-exec", args{"argv": []string{"touch", "go"}}, true, "", "exit 0\n"},
		{"later output", "shell-output", args{"id": "b1", "wait_sec": 60}, true, "", "running for N seconds\nwent\n"},
		{"one that fails", "shell-exec", args{"command": "echo no; exit 3", "background": true, "timeout_sec": 60}, true, "", "started in the background with the id b2; shell-output shows what it prints, shell-kill ends it, and it ends with the session"},
		{"its output", "shell-output", args{"id": "b2", "wait_sec": 60}, true, "", "running for N seconds\nno\n"},
		{"kill", "shell-kill", args{"id": "b1"}, true, "", "ended after N seconds: " + server + "\nprocesses that are gone: …\n"},
		{"after the kill", "shell-output", args{"id": "b1"}, true, "", "ended by shell-kill (it ran for N seconds)\nnothing new was printed\n"},
		{"kill again", "shell-kill", args{"id": "b1"}, true, "", "had ended already: ended by shell-kill (it ran for N seconds)\n"},
		{"unknown", "shell-kill", args{"id": "b7"}, false, wordNotFound, "there is no background command \"b7\"\nbackground commands:\nb1 ended by shell-kill (it ran for N seconds): " + server + "\nb2 ended: exit 3 (it ran for N seconds): echo no; exit 3"},
	} {
		got := h.call(step.tool, step.args)
		if step.do == "its output" { // it may have ended by now
			for got.OK {
				got = h.call(step.tool, step.args)
			}
			if head, _, _ := strings.Cut(got.Text, " ("); head != "ended: exit 3" || got.Error != wordExit {
				t.Errorf("%s: got %+v", step.do, got)
			}
			continue
		}
		if got.OK != step.ok || got.Error != step.word || untimed(got.Text) != step.want {
			t.Errorf("%s:\n got %+v\nwant %q %q", step.do, got, step.word, step.want)
		}
	}
}

func TestShellExecSaysWhatItEnded(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("only Linux knows")
	}
	h := newHarness(t, nil)
	h.check("shell-exec", args{"command": "mkfifo up; (sh -c ': > up; read x < up' &); cat up; echo ok"}, Result{
		OK: true, Text: "exit 0; ended what it left running: sh (background lets a command run on)\nok\n",
	})
}

func TestBackgroundOfADeniedCommand(t *testing.T) {
	h := newHarness(t, nil)
	h.answer = say("deny")
	h.checkRefused("shell-exec", args{"command": "echo > ran", "background": true}, wordDenied, "the person said no")
	h.check("shell-output", args{}, Result{OK: true, Text: "there are no background commands; they end with the session"})
	if action := h.asked[0].Action; action != "Run echo > ran in the background" {
		t.Errorf("asked %q", action)
	}
}
