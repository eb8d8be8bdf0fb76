package main

import (
	"fmt"
	"strings"
)

// habitsOfCommands are commands that wait, flood, fail or destroy. The person allows each that does not only read.
func habitsOfCommands() []habit {
	run := func(name, args, result string) habit {
		return habit{name: name, model: []streamed{calls("shell-exec", args), says(done)}, results: []string{result}, upshot: upshot{says: done, asked: 1}}
	}
	unasked := func(name, args, result string) habit {
		h := run(name, args, result)
		h.asked = 0
		return h
	}
	commit := run("a commit by the model", `{"command": "echo x > new.txt; git add -A; git commit -q -m wip && git log --oneline -1"}`, "ok: exit 0 … wip")
	commit.left = map[string]string{"new.txt": "x\n"}
	stays := run("cd as a command of its own", `{"command": "cd docs"}`, "ok: exit 0")
	stays.model = []streamed{calls("shell-exec", `{"command": "cd docs"}`), calls("shell-exec", `{"command": "ls"}`), says(done)}
	stays.results, stays.asked = []string{"ok: exit 0", "ok: exit 0 … README.md"}, 1
	emptied := run("rm of everything in the tree", `{"command": "rm -rf -- * && ls"}`, "ok: exit 0")
	emptied.left = map[string]string{}
	for name := range habitRepo() {
		emptied.left[name] = removed
	}
	gone := run("rm of the tree itself", `{"command": "rm -rf \"$PWD\""}`, "exit: exit 1 … .git") // its files go, and what makes it a worktree stays
	gone.left = emptied.left
	return []habit{
		run("a command that waits for input", `{"command": "cat; read line; echo read $?"}`, "ok: exit 0 … read 1"),
		run("a command that prints ten megabytes", `{"command": "yes 0123456789 | head -c 10000000"}`, "ok: exit 0 … 0123456789"),
		run("a command that leaves another running", `{"command": "sleep 1000 & echo started"}`, "ok: exit 0 … started"),
		unasked("a command that takes too long", `{"command": "sleep 1000", "timeout_sec": 1}`, "timeout: stopped after 1 second"),
		run("a command that ends itself", `{"command": "kill -9 $$"}`, "signal: ended by signal"),
		run("a command that is not there", `{"argv": ["ripgrep", "main"]}`, "exit: exit 127 … cannot start"),
		run("a shell line as a program", `{"argv": ["ls -la"]}`, "exit: exit 127"),
		run("a program of another agent", `{"command": "apply_patch <<'EOF'\n*** Begin Patch\n*** End Patch\nEOF"}`, "exit: exit 127"),
		run("a command that echoes a secret", `{"command": "echo $TOKEN"}`, "ok: exit 0 … [redacted:token:github]"),
		unasked("a file with a secret on the terminal", `{"command": "cat secret.txt"}`, "ok: exit 0 … [redacted:token:github]").in("secret.txt", "$TOKEN\n"),
		stays,
		commit,
		emptied,
		gone,
		unasked("a list for a command", `{"command": ["ls", "-la"]}`, `invalid_arguments: … "command" is not a string`),
		unasked("a text for argv", `{"argv": "ls -la"}`, `invalid_arguments: … "argv" is not a list`),
		unasked("a command and argv", `{"command": "ls", "argv": ["ls"]}`, "invalid_arguments: … exactly one of"),
		unasked("a day for a timeout", `{"command": "ls", "timeout_sec": 86400}`, `invalid_arguments: … "timeout_sec" is 86400`),
		unasked("a working folder in the checkout", `{"command": "ls", "cwd": "$REPO"}`, "ok: exit 0 … README.md"),
		unasked("a working folder that is not there", `{"command": "ls", "cwd": "gone"}`, "not_found: "),
		run("NUL in a command", `{"command": "echo a\u0000b"}`, "exit: "),
	}
}

// in adds a file to the repository.
func (h habit) in(name, content string) habit {
	h.repo = map[string]string{name: content}
	return h
}

// habitsOfAsking are questions to the person.
func habitsOfAsking() []habit {
	ask := func(name, args, answer, result string, asked int) habit {
		return habit{name: name, model: []streamed{calls("ask-person", args), says(done)}, answer: answer, results: []string{result}, upshot: upshot{says: done, asked: asked}}
	}
	fifty := strings.TrimSuffix(strings.Repeat(`"yes", `, 50), ", ")
	return []habit{
		ask("a question without choices", `{"text": "Which way?", "choices": []}`, "left", "ok: left", 1),
		ask("a question with fifty choices", fmt.Sprintf(`{"text": "Which way?", "choices": [%s]}`, fifty), "", `invalid_arguments: … "choices" has more than 10 answers`, 0),
		ask("a question with one choice twice", `{"text": "Which way?", "choices": ["left", "left"]}`, "left", "ok: left", 1),
		ask("a question that asks nothing", `{"text": " "}`, "", `invalid_arguments: … "text" is missing or empty`, 0),
		ask("an answer beside the choices", `{"text": "Which way?", "choices": ["left", "right"]}`, "straight on", "ok: straight on", 1),
	}
}
