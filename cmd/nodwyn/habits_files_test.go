package main

import "strings"

// habitsOfPaths are names of files that are not what the tree calls them.
func habitsOfPaths() []habit {
	read := func(name, path, result string) habit {
		return habit{name: name, model: []streamed{calls(fileRead, `{"path": "`+path+`"}`), says(done)}, results: []string{result}, upshot: upshot{says: done}}
	}
	write := func(name, path, result string) habit {
		return habit{name: name, model: []streamed{calls("file-write", `{"path": "`+path+`", "content": "x\n"}`), says(done)}, results: []string{result}, upshot: upshot{says: done}}
	}
	mapped := write("writing to the person's checkout", "$REPO/notes.md", "ok: ")
	mapped.asked, mapped.left = 1, map[string]string{"notes.md": "x\n"}
	const outside = "it leads out of the session's tree"
	return []habit{
		read("the tree's own absolute path", "$TREE/README.md", aReadSays),
		read("a file of the person's checkout", "$REPO/README.md", aReadSays),
		mapped,
		write("writing above the tree", "../README.md", "denied: … "+outside),
		read("a dot before a path", "./README.md", aReadSays),
		read("dots inside a path", "docs/../README.md", aReadSays),
		read("two slashes", "docs//guide.md", "ok:      1\t# Guide"),
		read("the home folder", "~/README.md", "not_found: … ~/README.md"),
		write("writing to the home folder", "~/notes.md", "invalid_arguments: … not created … ~ does not stand for the home folder"),
		read("a path of Windows", `C:\\work\\README.md`, "not_found: "),
		write("writing with backslashes", `docs\\new.md`, `invalid_arguments: … not created … separated by "/"`),
		read("a blank behind a path", "README.md ", `not_found: … README.md `),
		write("writing with a line end behind the path", `new.md\n`, "invalid_arguments: … not created … white space"),
		write("an address for a path", "file://$TREE/new.md", "invalid_arguments: … not created … address"),
		write("a path in quotes", "`new.md`", "invalid_arguments: … not created … quotes"),
		write("NUL in a path", `new\u0000.md`, "denied: "),
		write("an empty path", "", `invalid_arguments: … "path" is missing`),
		write("a file below a file", "README.md/new.md", "denied: … no folder"),
		write("writing to a folder", "docs", "denied: … it is a folder"),
		write("writing into .git", ".git/config", "denied: … a .git is never written to"),
		write("writing into .GIT", "docs/.GIT/hooks/pre-commit", "denied: … a .git is never written to"),
		read("a name from a patch", "b/README.md", "not_found: "),
	}
}

// habitsOfEdits are changes that do not fit the file, or meet each other.
func habitsOfEdits() []habit {
	const edit = "file-edit"
	readme := habitRepo()["README.md"]
	tick := strings.Repeat("`", 3)
	patch := tick + `diff\n--- a/README.md\n+++ b/README.md\n@@ -3 +3 @@\n-It greets.\n+It waves.\n` + tick
	greets := `{"path": "README.md", "edits": [{"old": "It greets.", "new": "It waves."}]}`
	waves := strings.ReplaceAll(readme, "greets", "waves")
	left := func(name, content string) map[string]string { return map[string]string{name: content} }
	refused := func(name, args, result string) habit {
		return habit{name: name, model: []streamed{calls(edit, args), says(done)}, results: []string{result}, upshot: upshot{says: done}}
	}
	return []habit{
		{
			name:    "two edits of one file in one reply",
			model:   []streamed{callsAll(called(edit, greets), called(edit, `{"path": "README.md", "edits": [{"old": "It waves.", "new": "It bows."}]}`)), says(done)},
			results: []string{`ok: edited "README.md"`, `ok: edited "README.md"`},
			upshot:  upshot{says: done, asked: 2, left: left("README.md", strings.ReplaceAll(readme, "greets", "bows"))},
		},
		{
			name:    "the same edit twice",
			model:   []streamed{callsAll(called(edit, greets), called(edit, greets)), says(done)},
			results: []string{`ok: edited "README.md"`, `no_match: "README.md" is unchanged … "new" stands at line 3 already`},
			upshot:  upshot{says: done, asked: 1, left: left("README.md", waves)},
		},
		{
			name:    "an edit of what was just written",
			model:   []streamed{callsAll(called("file-write", `{"path": "new.md", "content": "one\n"}`), called(edit, `{"path": "new.md", "edits": [{"old": "one", "new": "two"}]}`)), says(done)},
			results: []string{`ok: created "new.md"`, `ok: edited "new.md"`},
			upshot:  upshot{says: done, asked: 2, left: left("new.md", "two\n")},
		},
		{
			name:    "a write that was denied, and an edit of it",
			model:   []streamed{callsAll(called("file-write", `{"path": "new.md", "content": "one\n"}`), called(edit, `{"path": "new.md", "edits": [{"old": "one", "new": "two"}]}`)), says(done)},
			answer:  "deny",
			results: []string{"denied: ", "not_found: "}, upshot: upshot{says: done, asked: 1},
		},
		{
			name:    "the wrong indent",
			model:   []streamed{calls(edit, `{"path": "main.go", "edits": [{"old": "    println(\"hello\")", "new": "    println(\"goodbye\")"}]}`), says(done)},
			results: []string{`no_match: "main.go" is unchanged … println("hello")`}, upshot: upshot{says: done},
		},
		{
			name:    "no indent at all",
			model:   []streamed{calls(edit, `{"path": "main.go", "edits": [{"old": "func main() {\nprintln(\"hello\")\n}", "new": "func main() {\nprintln(\"goodbye\")\n}"}]}`), says(done)},
			results: []string{`no_match: "main.go" is unchanged … println("hello")`}, upshot: upshot{says: done},
		},
		{
			name:    "CRLF for the file's LF",
			model:   []streamed{calls(edit, `{"path": "README.md", "edits": [{"old": "# A project\r\n\r\nIt greets.", "new": "# A project\r\n\r\nIt waves."}]}`), says(done)},
			results: []string{`ok: edited "README.md"`}, upshot: upshot{says: done, asked: 1, left: left("README.md", waves)},
		},
		{
			name:    "fences round a file",
			model:   []streamed{calls("file-write", `{"path": "main.go", "content": "`+tick+`go\npackage main\n`+tick+`\n"}`), says(done)},
			results: []string{`ok: replaced "main.go"`},
			upshot:  upshot{says: done, asked: 1, left: left("main.go", tick+"go\npackage main\n"+tick+"\n")},
		},
		{
			name:    "fences round a patch",
			model:   []streamed{calls("apply-patch", `{"patch": "`+patch+`"}`), calls("shell-exec", `{"command": "git apply <<'EOF'\n`+patch+`\nEOF"}`), says(done)},
			results: []string{`unknown_tool: there is no tool "apply-patch"`, "ok: exit 0"},
			upshot:  upshot{says: done, asked: 1, left: left("README.md", waves)},
		},
		refused("line numbers from a read", `{"path": "main.go", "edits": [{"old": "     4\t\tprintln(\"hello\")", "new": "     4\t\tprintln(\"goodbye\")"}]}`, "no_match: … without the line numbers … println"),
		refused("fences round an old text", `{"path": "main.go", "edits": [{"old": "`+tick+`go\nfunc main() {\n`+tick+`", "new": "x"}]}`, `no_match: "main.go" is unchanged … func main() {`),
		refused("edits in a string", `{"path": "main.go", "edits": "[{\"old\": \"hello\", \"new\": \"goodbye\"}]"}`, `invalid_arguments: … "edits" is not a list`),
		refused("an edit without its list", `{"path": "main.go", "edits": {"old": "hello", "new": "goodbye"}}`, `invalid_arguments: … "edits" is not a list`),
		refused("names of another agent's arguments", `{"path": "main.go", "edits": [{"old_string": "hello", "new_string": "goodbye"}]}`, `invalid_arguments: … there is no argument "edits.0.old_string"`),
		refused("an edit that changes nothing", `{"path": "main.go", "edits": [{"old": "hello", "new": "hello"}]}`, "invalid_arguments: … nothing to change"),
		refused("an empty old text", `{"path": "main.go", "edits": [{"old": "", "new": "x"}]}`, `invalid_arguments: … "old" is empty`),
		refused("an old text that is there often", `{"path": "README.md", "edits": [{"old": "e", "new": "E"}]}`, "ambiguous: … all"),
		refused("one bad edit of two", `{"path": "main.go", "edits": [{"old": "hello", "new": "goodbye"}, {"old": "farewell", "new": "x"}]}`, `no_match: "main.go" is unchanged. edit 2 of 2`),
		refused("an edit of a file that is not there", `{"path": "gone.go", "edits": [{"old": "a", "new": "b"}]}`, "not_found: "),
		refused("an edit of a binary file", `{"path": "logo.bin", "edits": [{"old": "a", "new": "b"}]}`, "binary: "),
		{
			name:    "writing what is there",
			model:   []streamed{calls("file-write", `{"path": "README.md", "content": "`+strings.ReplaceAll(readme, "\n", `\n`)+`"}`), says(done)},
			results: []string{`ok: "README.md" holds exactly this already`}, upshot: upshot{says: done},
		},
		{
			name:    "the rest of a file left to the reader",
			model:   []streamed{calls("file-write", `{"path": "main.go", "content": "package main\n\n// ... existing code ...\n"}`), says(done)},
			answer:  "deny",
			results: []string{"denied: "}, upshot: upshot{says: done, asked: 1},
		},
		{
			name:    "a secret into a file",
			model:   []streamed{calls("file-write", `{"path": "env.txt", "content": "TOKEN=$TOKEN\n"}`), says(done)},
			results: []string{"redacted: "}, upshot: upshot{says: done},
		},
	}
}

// habitsOfReads are looks at what cannot be shown, or not whole.
func habitsOfReads() []habit {
	read := func(name, args, result string) habit {
		return habit{name: name, model: []streamed{calls(fileRead, args), says(done)}, results: []string{result}, upshot: upshot{says: done}}
	}
	huge := read("a huge file", `{"path": "huge.txt"}`, `too_large: "huge.txt" has more than … code-search`)
	huge.repo = map[string]string{"huge.txt": strings.Repeat("all work and no play\n", 9<<20/21+1)}
	secret := read("a file with a secret", `{"path": "secret.txt"}`, "ok:      1\t[redacted:token:github]")
	secret.repo = map[string]string{"secret.txt": "$TOKEN\n"}
	return []habit{
		read("a binary file", `{"path": "logo.bin"}`, `binary: "logo.bin" is a binary file`),
		read("a folder", `{"path": "docs"}`, "denied: … it is a folder"),
		read("a file that is not there", `{"path": "gone.md"}`, "not_found: … file-list"),
		read("beyond the end", `{"path": "README.md", "offset": 900}`, `invalid_arguments: "README.md" has 3 lines`),
		read("before the beginning", `{"path": "README.md", "offset": -5}`, `invalid_arguments: … "offset" is -5`),
		read("more than is shown at once", `{"path": "README.md", "limit": 100000}`, `invalid_arguments: … "limit" is 100000, want 1 to 2000`),
		huge,
		secret,
	}
}
