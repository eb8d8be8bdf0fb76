package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent/provider/script"
)

// done is how a model ends that has read what went wrong.
const done = "Done."

// A call that works, and what it comes to.
const (
	aRead     = `{"path": "README.md"}`
	aReadSays = "ok:      1\t# A project"
)

// fileRead is the tool that most of these habits are shown with.
const fileRead = "file-read"

// habitsOfTalk are what models say instead of an answer or a call.
func habitsOfTalk() []habit {
	tick := strings.Repeat("`", 3)
	asText := `{"name": "file-write", "arguments": {"path": "README.md", "content": ""}}`
	fenced := tick + "json\n" + asText + "\n" + tick
	tagged := "<tool_call>\n" + asText + "\n</tool_call>"
	long := strings.Repeat("la ", 5_000)
	flood := strings.Repeat(strings.Repeat("la", 1<<18)+" ", 20)
	empty := "the model gave an empty reply; ask again, or ask for less at once"
	limit := "the model stopped at its output limit; raise max_output or ask for less at once"
	filter := "the server's content filter cut the reply off; ask in other words, or use another model"
	return []habit{
		{name: "a call written as text", model: []streamed{says(asText)}, upshot: upshot{says: asText}},
		{name: "a call in a Markdown fence", model: []streamed{says(fenced)}, upshot: upshot{says: fenced}},
		{name: "a call in tags", model: []streamed{says(tagged)}, upshot: upshot{says: tagged}},
		{name: "an empty reply", model: []streamed{says("")}, upshot: upshot{outcome: "failed", says: empty}},
		{name: "a reply of white space", model: []streamed{says(" \n\t ")}, upshot: upshot{outcome: "failed", says: empty}},
		{name: "thoughts alone", model: []streamed{streamOf(script.Reply{Think: "I should read it."})}, upshot: upshot{outcome: "failed", says: empty}},
		{name: "a call announced and not made", model: []streamed{says("I will read it.").ends("tool_calls")}, upshot: upshot{says: "I will read it."}},
		{name: "a refusal in words", model: []streamed{says("I cannot help with that.").swap(`"content"`, `"refusal"`)}, upshot: upshot{says: "I cannot help with that."}},
		{name: "a refusal without a word", model: []streamed{says("").ends("content_filter")}, upshot: upshot{outcome: "failed", says: "the model refused to answer, and gave no reason"}},
		{name: "a filter in the middle", model: []streamed{says("First you").ends("content_filter")}, upshot: upshot{outcome: "failed", says: "First you\n\n" + filter}},
		{name: "the output limit in a text", model: []streamed{says("First you").ends("length")}, upshot: upshot{outcome: "failed", says: "First you\n\n" + limit}},
		{name: "the output limit in a call", model: []streamed{calls("file-write", `{"path": "README.md", "content": "# A pro`).ends("length")}, upshot: upshot{outcome: "failed", says: limit}},
		{name: "words behind the last word", model: []streamed{says("Done.").late(" And more.")}, upshot: upshot{says: "Done. And more."}},
		{name: "bytes that are no UTF-8", model: []streamed{says("caf#").swap("#", "\xe9")}, upshot: upshot{says: "caf\uFFFD"}},
		{name: "NUL and escapes in words", model: []streamed{says("a\x00b\x1b[31mc")}, upshot: upshot{says: "a\x00b\x1b[31mc"}},
		{name: "one word for ever", model: []streamed{says(long)}, upshot: upshot{says: long}},
		{name: "a reply that does not end", model: []streamed{says(flood)}, upshot: upshot{outcome: "failed", says: "ask scripted-1: the reply is over 8 MiB and does not end"}},
		{name: "a secret in words", model: []streamed{says("The token is $TOKEN .")}, upshot: upshot{says: "The token is [redacted:token:github] ."}},
	}
}

// habitsOfCalls are calls that are not what a tool expects.
func habitsOfCalls() []habit {
	sixty := slices.Repeat([]script.Call{called(fileRead, aRead)}, 60)
	megabyte := strings.Repeat("0123456789abcde\n", 1<<16)
	stubborn := slices.Repeat([]streamed{calls(fileRead, `{"path": "gone.md"}`)}, 10)
	wrong := func(name, tool, args, why string) habit {
		return habit{name: name, model: []streamed{calls(tool, args), says(done)}, results: []string{why}, upshot: upshot{says: done}}
	}
	const invalid = "invalid_arguments: wrong arguments for file-read: "
	return []habit{
		wrong("an invented tool", "file-erase", aRead, `unknown_tool: there is no tool "file-erase" … file-read`),
		wrong("another spelling of a tool", "file_read", aRead, `unknown_tool: there is no tool "file_read" … file-read`),
		wrong("a tool with a prefix", "functions.file-read", aRead, `unknown_tool: there is no tool "functions.file-read" … file-read`),
		wrong("an empty name", "", aRead, `unknown_tool: there is no tool ""`),
		wrong("an emoji for a name", "📖", aRead, `unknown_tool: there is no tool "📖"`),
		wrong("NUL in a name", "file-read\x00", aRead, `unknown_tool: there is no tool "file-read\x00"`),
		wrong("a number for a path", fileRead, `{"path": 7}`, invalid+`"path" is not a string … {"path": "cmd/main.go"`),
		wrong("a number in a string", fileRead, `{"path": "README.md", "limit": "10"}`, invalid+`"limit" is not a whole number`),
		wrong("a fraction", fileRead, `{"path": "README.md", "offset": 1.5}`, invalid+`"offset" is not a whole number`),
		wrong("a field too many", fileRead, `{"path": "README.md", "encoding": "utf-8"}`, invalid+`there is no argument "encoding"`),
		wrong("a field twice", fileRead, `{"path": "README.md", "path": "main.go"}`, invalid+"they are not valid JSON … duplicate"),
		wrong("JSON cut in the middle", fileRead, `{"path": "READ`, invalid+"they are not valid JSON … unexpected EOF"),
		wrong("JSON with a comma too many", fileRead, `{"path": "README.md",}`, invalid+"they are not valid JSON … invalid character"),
		wrong("Python for JSON", fileRead, `{'path': 'README.md'}`, invalid+"they are not valid JSON … invalid character"),
		wrong("two objects in one", fileRead, aRead+aRead, invalid+"something stands behind the JSON object"),
		wrong("arguments in a string", fileRead, `"{\"path\": \"README.md\"}"`, invalid+"they are a string; send the JSON object itself"),
		wrong("arguments in a list", fileRead, `["README.md"]`, invalid+"they are not a JSON object"),
		wrong("null for arguments", fileRead, `null`, invalid+`"path" is missing or empty`),
		wrong("null for an argument", fileRead, `{"path": null}`, invalid+`"path" is missing or empty`),
		wrong("no arguments", fileRead, ``, invalid+`"path" is missing or empty`),
		wrong("no arguments where none are needed", "file-list", ``, "ok: README.md"),
		wrong("bytes in arguments that are no UTF-8", fileRead, `{"path": "caf#.md"}`, "").broken("#", "\xe9", "not_found: … file-list"),
		{
			name:    "calls with an end that says stop",
			model:   []streamed{calls(fileRead, aRead).ends("stop"), says(done)},
			results: []string{aReadSays}, upshot: upshot{says: done},
		},
		{
			name:    "two calls with one id",
			model:   []streamed{callsAll(called(fileRead, aRead), called("file-list", "{}")).swap(`"call_2"`, `"call_1"`), says(done)},
			results: []string{aReadSays, "ok: README.md"}, upshot: upshot{says: done},
		},
		{
			name:    "calls without ids",
			model:   []streamed{callsAll(called(fileRead, aRead), called("file-list", "{}")).swap(`"id":"call_1",`, "").swap(`"id":"call_2",`, ""), says(done)},
			results: []string{aReadSays, "ok: README.md"}, upshot: upshot{says: done},
		},
		{
			name:    "one id in every reply",
			model:   []streamed{calls(fileRead, aRead), calls("file-list", "{}"), says(done)},
			results: []string{aReadSays, "ok: README.md"}, upshot: upshot{says: done},
		},
		{
			name:    "sixty calls at once",
			model:   []streamed{callsAll(sixty...), says(done)},
			results: slices.Repeat([]string{aReadSays}, 60), upshot: upshot{says: done},
		},
		{
			name:    "a megabyte for an argument",
			model:   []streamed{calls("file-write", fmt.Sprintf(`{"path": "big.txt", "content": %q}`, megabyte)), says(done)},
			results: []string{`ok: created "big.txt": 65536 lines, 1048576 bytes`},
			upshot:  upshot{says: done, asked: 1, left: map[string]string{"big.txt": megabyte}},
		},
		{
			name: "one failing call for ever", model: stubborn,
			results: slices.Repeat([]string{`not_found: read "gone.md"`}, 10),
			upshot:  upshot{outcome: "failed", says: "the model took the same step 10 times in a row, with the same result each time, so it was stopped; ask in other words, or use another model"},
		},
		{
			name:    "a call that is denied, again",
			model:   slices.Concat(slices.Repeat([]streamed{calls("shell-exec", `{"command": "touch x"}`)}, 3), []streamed{says(done)}),
			answer:  "deny",
			results: slices.Repeat([]string{`denied: not allowed to run "touch x"`}, 3), upshot: upshot{says: done, asked: 3},
		},
	}
}

// broken puts bytes in the place of a mark in what the model says, and wants another result.
func (h habit) broken(mark, bytes, result string) habit {
	h.model[0], h.results = h.model[0].swap(mark, bytes), []string{result}
	return h
}
