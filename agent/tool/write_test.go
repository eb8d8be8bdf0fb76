package tool

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/guard"
)

func TestFileWriteKeepsTheStyleOfAFile(t *testing.T) {
	for name, c := range map[string]struct{ old, content, want string }{
		"lf":                            {"a\n", "b\nc\n", "b\nc\n"},
		"crlf":                          {"a\r\nb\r\n", "b\nc\n", "b\r\nc\r\n"},
		"crlf on both sides":            {"a\r\n", "b\r\nc\r\n", "b\r\nc\r\n"},
		"crlf and some crlf in content": {"a\r\n", "b\r\nc\n", "b\r\nc\n"},
		"mixed":                         {"a\r\nb\n", "c\nd\n", "c\nd\n"},
		"lf and crlf in content":        {"a\n", "b\r\n", "b\r\n"},
		"mark":                          {"\xEF\xBB\xBFa\n", "b\n", "\xEF\xBB\xBFb\n"},
		"mark on both sides":            {"\xEF\xBB\xBFa\n", "\uFEFFb\n", "\xEF\xBB\xBFb\n"},
		"utf-16 and crlf":               {"\xFF\xFEa\x00\r\x00\n\x00", "é\n", "\xFF\xFE\xe9\x00\r\x00\n\x00"},
		"windows-1252":                  {"caf\xe9", "naïve €", "na\xefve \x80"},
		"empty":                         {"", "a\n", "a\n"},
		"binary":                        {"\x00\r\n", "a\n", "a\n"},
		"no line end at the end":        {"a\n", "b", "b"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarness(t, map[string]string{"f": c.old})
			if r := h.call("file-write", args{"path": "f", "content": c.content}); !r.OK {
				t.Errorf("got %+v", r)
			}
			h.checkFile("f", c.want)
		})
	}
}

func TestFileWrite(t *testing.T) {
	h := newHarness(t, map[string]string{"old.txt": "a\n", "latin.txt": "\xe9"})
	h.check("file-write", args{"path": "new/deep/f.txt", "content": "a\nb"}, Result{OK: true, Text: "created \"new/deep/f.txt\": 2 lines, 3 bytes\n", Touched: []string{"new/deep/f.txt"}})
	h.checkFile("new/deep/f.txt", "a\nb")
	h.check("file-write", args{"path": "old.txt", "content": ""}, Result{OK: true, Text: "replaced \"old.txt\": 0 lines, 0 bytes\n", Touched: []string{"old.txt"}})
	h.checkFile("old.txt", "")
	if n := len(h.asked); n != 2 || h.asked[0].Action != "Create new/deep/f.txt" || h.asked[1].Action != "Replace old.txt" {
		t.Errorf("asked %+v", h.asked)
	}
	h.check("file-write", args{"path": "old.txt", "content": ""}, Result{OK: true, Text: "\"old.txt\" holds exactly this already; nothing was written\n", Touched: []string{"old.txt"}})
	h.checkRefused("file-write", args{"path": "old.txt", "content": "x [redacted:token:1]"}, wordRedacted, "hidden from you")
	h.checkRefused("file-write", args{"path": "latin.txt", "content": "☃"}, wordEncoding, "Windows-1252", "'☃'")
	h.checkRefused("file-write", args{"path": "../x", "content": ""}, wordDenied, "leads out")
	if len(h.asked) != 2 {
		t.Errorf("the person was asked %d times, want 2", len(h.asked))
	}
}

func TestANewFileNeedsALikelyName(t *testing.T) {
	h := newHarness(t, map[string]string{"~/old.txt": "a\n"})
	for name, why := range map[string]string{
		"~/new.txt": "home folder", `src\new.txt`: "separated", `C:\new.txt`: "separated", "file:///tmp/new.txt": "address",
		"new.txt ": "white space", "new.txt\n": "white space", "new\t.txt": "control", "`new.txt`": "quotes", `"new.txt"`: "quotes",
	} {
		h.checkRefused("file-write", args{"path": name, "content": "b\n"}, wordInvalid, why, "not created")
	}
	if len(h.asked) != 0 {
		t.Errorf("the person was asked %d times, want 0", len(h.asked))
	}
	for _, name := range []string{"~/old.txt", "~new.txt", "it's new.txt", "a/~"} {
		if r := h.call("file-write", args{"path": name, "content": "b\n"}); !r.OK {
			t.Errorf("%s: got %+v", name, r)
		}
	}
}

func TestADeniedWriteChangesNothing(t *testing.T) {
	for option, stop := range map[string]bool{guard.DenyOnce: false, guard.DenyStop: true} {
		t.Run(option, func(t *testing.T) {
			h := newHarness(t, map[string]string{"f": "a\n"})
			h.answer = say(option)
			for name, a := range map[string]args{
				"file-write": {"path": "f", "content": "b\n"},
				"file-edit":  {"path": "f", "edits": []args{{"old": "a", "new": "b"}}},
				"shell-exec": {"command": "echo b >f"},
			} {
				got := h.call(name, a)
				if got.OK || got.Error != wordDenied || got.Stop != stop || got.Text == "" {
					t.Errorf("%s: got %+v", name, got)
				}
			}
			h.checkFile("f", "a\n")
		})
	}
}

func TestFileEdit(t *testing.T) {
	h := newHarness(t, map[string]string{"f.go": "a\nb \nc\n", "same": "“a”\n", "latin": "caf\xe9\r\nx\r\n", "logo.png": "\x00", "wide": "\xFE\xFF\x00a\x00b"})
	one := func(path, old, with string) args {
		return args{"path": path, "edits": []args{{"old": old, "new": with}}}
	}
	done := func(path, text string) Result { return Result{OK: true, Text: text, Touched: []string{path}} }

	h.check("file-edit", args{"path": "f.go", "edits": []args{{"old": "b\nc", "new": "b\nz"}, {"old": "a\n", "new": "x\ny\n"}}},
		done("f.go", "edited \"f.go\"\nedit 2: line 1\nedit 1: line 4, found with white space at line ends overlooked\n"))
	h.checkFile("f.go", "x\ny\nb \nz\n")
	h.check("file-edit", one("latin", "café\nx", "café\nß"), done("latin", "edited \"latin\"\nedit 1: line 2\n"))
	h.checkFile("latin", "caf\xe9\r\n\xdf\r\n")
	h.check("file-edit", one("wide", "b", "c"), done("wide", "edited \"wide\"\nedit 1: line 1\n"))
	h.checkFile("wide", "\xFE\xFF\x00a\x00c")
	h.check("file-edit", one("same", `"a"`, "“a”"), done("same", "\"same\" holds the new text already; nothing was written\n"))
	if len(h.asked) != 3 {
		t.Errorf("the person was asked %d times, want 3", len(h.asked))
	}

	h.checkRefused("file-edit", args{"path": "f.go", "edits": []args{{"old": "x", "new": "q"}, {"old": "zz", "new": "y"}}}, wordNoMatch, `"f.go" is unchanged`, "edit 2 of 2")
	h.checkRefused("file-edit", one("f.go", "x", "x"), wordInvalid, "the same")
	h.checkRefused("file-edit", one("f.go", "[redacted:token:1]", "x"), wordRedacted, "edit 1 of 1", "hidden from you")
	h.checkRefused("file-edit", one("f.go", "x", "[redacted:token:1]"), wordRedacted, "edit around it")
	h.checkRefused("file-edit", one("latin", "café", "☃"), wordEncoding, "Windows-1252")
	h.checkRefused("file-edit", one("logo.png", "a", "b"), wordBinary, "cannot be edited")
	h.checkRefused("file-edit", one("none", "a", "b"), wordNotFound, "none")
	h.checkFile("f.go", "x\ny\nb \nz\n")
}

func TestAFileThatChangesWhileThePersonIsAskedIsLeftAlone(t *testing.T) {
	h := newHarness(t, map[string]string{"f": "a\n"})
	h.answer = func(guard.Prompt) (guard.Answer, error) {
		h.write("f", "someone else's\n")
		return guard.Answer{Option: guard.AllowOnce, Actor: "person"}, nil
	}
	h.checkRefused("file-edit", args{"path": "f", "edits": []args{{"old": "a", "new": "b"}}}, wordDenied, "read it again")
	h.checkFile("f", "someone else's\n")
}

func TestManyChangesAreDescribedBriefly(t *testing.T) {
	text := strings.Repeat("x\n", 3*maxListed)
	changes, err := planEdits(text, all("x", "y"))
	if err != nil {
		t.Fatal(err)
	}
	got := describe(applyChanges(text, changes), changes)
	if strings.Count(got, "\n") != maxListed+1 || !strings.HasSuffix(got, "edit 1: line 10\nand 20 more\n") {
		t.Errorf("got %q", got)
	}
}

func TestShellExec(t *testing.T) {
	if _, err := os.Stat("/bin/sh"); err != nil {
		t.Skip("needs sh")
	}
	h := newHarness(t, map[string]string{"sub/f": "x\n"})
	h.check("shell-exec", args{"command": "cat f && echo done", "cwd": "sub"}, Result{OK: true, Text: "exit 0\nx\ndone\n", Touched: []string{"sub/"}})
	h.check("shell-exec", args{"argv": []string{"echo", "$HOME", "a  b"}, "timeout_sec": 60}, Result{OK: true, Text: "exit 0\n$HOME a  b\n"})
	h.check("shell-exec", args{"command": "echo no; exit 3"}, Result{Text: "exit 3\nno\n", Error: wordExit})
	h.check("shell-exec", args{"command": "kill -9 $$"}, Result{Text: "ended by signal SIGKILL\n", Error: wordSignal})
	h.check("shell-exec", args{"command": "echo a; exec sleep 600", "timeout_sec": 1}, Result{Text: "stopped after 1 second, with all it had started; give timeout_sec if it needs longer\na\n", Error: wordTimeout})
	h.checkRefused("shell-exec", args{"argv": []string{"no-such-program"}}, wordExit, "exit 127", "no-such-program")
	h.checkRefused("shell-exec", args{"command": "true", "cwd": ".."}, wordDenied, "leads out")
	h.checkRefused("shell-exec", args{"command": "true", "cwd": "none"}, wordNotFound, "none")
	if got := h.asked[0].Argv; strings.Join(got, "|") != "sh|-c|cat f && echo done" {
		t.Errorf("asked about %q", got)
	}
	if got := h.call("shell-exec", args{"command": "seq 1 100000"}); !got.OK || !got.Truncated || len(got.Text) > 80<<10 {
		t.Errorf("long output: ok %v, cut %v, %d bytes", got.OK, got.Truncated, len(got.Text))
	}
}

// What ends the turn is an error and no result that a model could take for an answer.
func TestACancelledCallIsAnError(t *testing.T) {
	h := newHarness(t, map[string]string{"f": "a\n"})
	cause := errors.New("the person cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	h.answer = func(guard.Prompt) (guard.Answer, error) {
		cancel(cause)
		return guard.Answer{}, context.Canceled
	}
	for _, call := range [][2]string{
		{"file-write", `{"path": "f", "content": "b"}`}, {"shell-exec", `{"command": "true"}`}, {"ask-person", `{"text": "?"}`}, {"code-search", `{"query": "a"}`},
	} {
		tool, _ := Find(call[0])
		if r, err := tool.Run(ctx, h.env, []byte(call[1])); !errors.Is(err, cause) {
			t.Errorf("%s: got %+v, %v, want the error %v", tool.Name, r, err, cause)
		}
	}
	h.checkFile("f", "a\n")
}
