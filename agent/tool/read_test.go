package tool

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
)

func TestFileRead(t *testing.T) {
	h := newHarness(t, map[string]string{
		"a.txt": "one\ntwo\nthree\n", "end.txt": "one\ntwo", "empty": "", "dos.txt": "one\r\ntwo\r\n", "old.txt": "caf\xe9\n",
		"wide.txt": "\xFF\xFEa\x00\n\x00", "broken.txt": "grün röt\nx\xffy\n", "sub/b.txt": "b\n", "logo.png": "\x89PNG\x00",
	})
	ok := func(text, touched string) Result { return Result{OK: true, Text: text, Touched: []string{touched}} }
	part := func(text string) Result {
		return Result{OK: true, Text: text, Touched: []string{"a.txt"}, Truncated: true}
	}
	for name, c := range map[string]struct {
		args args
		want Result
	}{
		"whole":                 {args{"path": "a.txt"}, ok("     1\tone\n     2\ttwo\n     3\tthree\n", "a.txt")},
		"first lines":           {args{"path": "a.txt", "limit": 2}, part("     1\tone\n     2\ttwo\n[lines 1 to 2 of 3; for more give offset 3]\n")},
		"from the middle":       {args{"path": "a.txt", "offset": 2, "limit": 1}, part("     2\ttwo\n[lines 2 to 2 of 3; for more give offset 3]\n")},
		"to the end":            {args{"path": "a.txt", "offset": 3, "limit": 9}, ok("     3\tthree\n[lines 3 to 3 of 3]\n", "a.txt")},
		"without last line end": {args{"path": "end.txt"}, ok("     1\tone\n     2\ttwo\n[no line end after the last line]\n", "end.txt")},
		"empty":                 {args{"path": "empty"}, ok("[the file is empty]\n", "empty")},
		"crlf":                  {args{"path": "dos.txt"}, ok("     1\tone\n     2\ttwo\n[lines end in CRLF]\n", "dos.txt")},
		"windows-1252":          {args{"path": "old.txt"}, ok("     1\tcafé\n[encoded in Windows-1252]\n", "old.txt")},
		"utf-16":                {args{"path": "wide.txt"}, ok("     1\ta\n[encoded in UTF-16 (little endian)]\n", "wide.txt")},
		"broken bytes":          {args{"path": "broken.txt"}, ok("     1\tgrün röt\n     2\tx\\xffy\n[bytes that are not UTF-8 are shown as \\xNN]\n", "broken.txt")},
		"in a folder":           {args{"path": "./sub/../sub/b.txt"}, ok("     1\tb\n", "sub/b.txt")},
		"absolute":              {args{"path": h.root + "/sub/b.txt"}, ok("     1\tb\n", "sub/b.txt")},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.check("file-read", c.args, c.want)
		})
	}
	h.t = t
	h.checkRefused("file-read", args{"path": "logo.png"}, wordBinary, "binary file of 5 bytes")
	h.checkRefused("file-read", args{"path": "none"}, wordNotFound, "none", "file-list")
	h.checkRefused("file-read", args{"path": "../x"}, wordDenied, "leads out")
	h.checkRefused("file-read", args{"path": "sub"}, wordDenied, "folder")
	h.checkRefused("file-read", args{"path": "a.txt", "offset": 4}, wordInvalid, "has 3 lines")
}

func TestFileReadIsBounded(t *testing.T) {
	h := newHarness(t, map[string]string{
		"many": strings.Repeat("x\n", maxLines+5), "wide": strings.Repeat(strings.Repeat("y", 1000)+"\n", 100),
		"long": strings.Repeat("ä", maxLine) + "\nz\n", "huge": strings.Repeat("z", maxFile+1),
	})
	many := h.call("file-read", args{"path": "many"})
	if !many.Truncated || !strings.HasSuffix(many.Text, "[lines 1 to 2000 of 2005; for more give offset 2001]\n") {
		t.Errorf("many lines end in %q", many.Text[len(many.Text)-80:])
	}
	wide := h.call("file-read", args{"path": "wide"})
	if !wide.Truncated || len(wide.Text) > maxText+100 || !strings.Contains(wide.Text, "of 100; for more give offset 66]") {
		t.Errorf("%d bytes end in %q", len(wide.Text), wide.Text[len(wide.Text)-80:])
	}
	long := h.call("file-read", args{"path": "long"})
	if want := fmt.Sprintf("     1\t%s… [2000 more bytes in this line]\n     2\tz\n", strings.Repeat("ä", maxLine/2)); long.Text != want {
		t.Errorf("a long line is shown as %q", long.Text)
	}
	h.checkRefused("file-read", args{"path": "huge"}, wordTooLarge, "huge", "code-search")
}

func TestFileList(t *testing.T) {
	h := newHarness(t, map[string]string{"go.mod": "", "cmd/app/main.go": "", "cmd/app/a/b/deep.go": "", "cmd/tool.go": "", "cmd.txt": "", "é\xff/x": ""})
	for name, c := range map[string]struct {
		args args
		want Result
	}{
		"whole":           {args{}, Result{OK: true, Text: "cmd.txt\ncmd/\n  app/\n    a/ (1 file)\n    main.go\n  tool.go\ngo.mod\né\\xff/\n  x\n", Touched: []string{"./"}}},
		"one level":       {args{"depth": 1}, Result{OK: true, Text: "cmd.txt\ncmd/ (3 files)\ngo.mod\né\\xff/ (1 file)\n", Touched: []string{"./"}}},
		"a folder":        {args{"path": "cmd/", "depth": 9}, Result{OK: true, Text: "app/\n  a/\n    b/\n      deep.go\n  main.go\ntool.go\n", Touched: []string{"cmd/"}}},
		"absolute":        {args{"path": h.root + "/cmd/app/a"}, Result{OK: true, Text: "b/\n  deep.go\n", Touched: []string{"cmd/app/a/"}}},
		"a file":          {args{"path": "cmd/tool.go"}, Result{OK: true, Text: "tool.go\n", Touched: []string{"cmd/tool.go"}}},
		"the root by dot": {args{"path": ".", "depth": 1}, Result{OK: true, Text: "cmd.txt\ncmd/ (3 files)\ngo.mod\né\\xff/ (1 file)\n", Touched: []string{"./"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.check("file-list", c.args, c.want)
		})
	}
	h.t = t
	h.checkRefused("file-list", args{"path": "cm"}, wordNotFound, `"cm"`, "ignored by git")
	h.checkRefused("file-list", args{"path": ".."}, wordDenied, "leads out")
	h.checkRefused("file-list", args{"path": "/etc"}, wordDenied, "leads out")
}

func TestFileListOfNothing(t *testing.T) {
	newHarness(t, nil).check("file-list", args{}, Result{OK: true, Text: "[there are no files]\n", Touched: []string{"./"}})
}

func TestListingShowsFewerLevelsBeforeFewerBranches(t *testing.T) {
	var deep, flat []string
	for i := range maxEntries {
		deep = append(deep, fmt.Sprintf("a/b/%04d", i))
		flat = append(flat, fmt.Sprintf("%04d", i))
	}
	text, cut := listing(append(deep, "z"), 3)
	if want := "a/\n  b/ (1000 files)\nz\n[only 2 levels are shown; give a path to see more of it]\n"; text != want || !cut {
		t.Errorf("got %q, want %q", text, want)
	}
	text, cut = listing(append(flat, "9999"), 3)
	if lines := strings.Count(text, "\n"); lines != maxEntries+1 || !cut || !strings.Contains(text, "[the first 1000 of 1001 entries;") {
		t.Errorf("got %d lines, cut %v", lines, cut)
	}
}

func TestCodeSearch(t *testing.T) {
	h := newHarness(t, map[string]string{"a.go": "package a\n\nfunc Open() {}\n", "b/b.go": "// open it\n", "big.go": strings.Repeat("open\n", 300)})
	const gap = "[1 file not searched: too large]\n"
	for name, c := range map[string]struct {
		args args
		want Result
	}{
		"literal":   {args{"query": "open"}, Result{OK: true, Text: "a.go:3:6: func Open() {}\nb/b.go:1:4: // open it\n" + gap}},
		"sensitive": {args{"query": "open", "case": "sensitive"}, Result{OK: true, Text: "b/b.go:1:4: // open it\n" + gap}},
		"regex":     {args{"query": `^func \w+`, "kind": "regex"}, Result{OK: true, Text: "a.go:3:1: func Open() {}\n" + gap}},
		"include":   {args{"query": "open", "include": []string{"b/**"}}, Result{OK: true, Text: "b/b.go:1:4: // open it\n" + gap}},
		"exclude":   {args{"query": "open", "exclude": []string{"b"}}, Result{OK: true, Text: "a.go:3:6: func Open() {}\n" + gap}},
		"path":      {args{"query": "bgo", "kind": "path"}, Result{OK: true, Text: "b/b.go\nbig.go\n" + gap}},
		"none":      {args{"query": "nowhere"}, Result{OK: true, Text: "[no match]\n" + gap}},
		"limit":     {args{"query": "open", "limit": 1}, Result{OK: true, Truncated: true, Text: "a.go:3:6: func Open() {}\n[cut after 1 match line; narrow the query, give include, or raise limit]\n" + gap}},
	} {
		t.Run(name, func(t *testing.T) {
			h.t = t
			h.check("code-search", c.args, c.want)
		})
	}
	h.t = t
	if len(h.updates) == 0 || h.updates[0].Read != 2 || h.updates[0].Root != h.root {
		t.Errorf("got updates %+v, want a first one with 2 files read", h.updates)
	}
	h.write("c.go", "// fresh\n")
	h.check("code-search", args{"query": "fresh"}, Result{OK: true, Text: "c.go:1:4: // fresh\n" + gap})
}

func TestManyMatchesAreBounded(t *testing.T) {
	found := index.Result{Matches: make([]index.Match, maxMatches)}
	for i := range found.Matches {
		found.Matches[i] = index.Match{Path: "f", Line: i + 1, Column: 1, Text: strings.Repeat("x", 500)}
	}
	text, cut := matchLines(found, false)
	if !cut || len(text) > maxText+200 || !strings.Contains(text, "[cut after 128 match lines;") {
		t.Errorf("got %d bytes, cut %v, ending in %q", len(text), cut, text[len(text)-100:])
	}
}

func TestGapsNameEveryReason(t *testing.T) {
	got := gaps(index.Update{Skipped: index.Skipped{TooLarge: 1, Protected: 2, Binary: 9, NotRegular: 9}, Refused: []string{"x"}, Left: 4, Capped: true})
	want := "[1 file not searched: too large]\n[3 files not searched: not allowed]\n[4 files not searched: they could not be read]\n[the tree has more files than are searched]\n"
	if got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestAskPerson(t *testing.T) {
	h := newHarness(t, nil)
	h.answer = func(p guard.Prompt) (guard.Answer, error) {
		return guard.Answer{Text: p.Text + " " + strings.Join(p.Choices, "/"), Actor: "person"}, nil
	}
	h.check("ask-person", args{"text": "Which?", "choices": []string{"a", "b"}}, Result{OK: true, Text: "Which? a/b"})
	h.check("ask-person", args{"text": "Why?"}, Result{OK: true, Text: "Why? "})
	h.answer = func(guard.Prompt) (guard.Answer, error) { return guard.Answer{}, guard.ErrNobody }
	h.checkRefused("ask-person", args{"text": "Anyone?"}, wordUnanswered, "nobody", "go on with what you know")
}
