package main

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
)

// query is a prompt as it stands on a terminal.
type query struct {
	prompt  guard.Prompt
	tree    string
	answers []reply
}

// reply is one of the answers: the key to press, what it says, and what it means.
type reply struct {
	key, label string
	answer     guard.Answer
}

// letters are the keys of a permission's answers. They never move, whatever is offered, so that a hand can learn them; what lets nothing happen comes first.
func letters() []reply {
	return []reply{
		{key: "n", label: "Deny", answer: guard.Answer{Option: guard.DenyOnce}},
		{key: "q", label: "Deny and stop", answer: guard.Answer{Option: guard.DenyStop}},
		{key: "y", label: "Allow once", answer: guard.Answer{Option: guard.AllowOnce}},
		{key: "s", label: "Allow for this session", answer: guard.Answer{Option: guard.AllowSession}},
		{key: "e", label: "Allow all edits in this session", answer: guard.Answer{Option: guard.AllowEdits}},
		{key: "a", label: "Always allow in this repository", answer: guard.Answer{Option: guard.AllowAlways}},
	}
}

func newQuery(p guard.Prompt, tree string) query {
	q := query{prompt: p, tree: tree}
	for _, r := range letters() {
		i := slices.IndexFunc(p.Options, func(o guard.Option) bool { return o.ID == r.answer.Option })
		if i < 0 {
			continue
		}
		if label := p.Options[i].Label; r.answer.Option == guard.AllowAlways && label != "" && label != guard.LabelAlways {
			r.label = visible(label) // it stands for more than these words
		}
		q.answers = append(q.answers, r)
	}
	if p.Type == guard.TypePermission {
		return q
	}
	choices := slices.Clone(p.Choices)
	slices.SortStableFunc(choices, func(a, b string) int { return cmp.Compare(boldness(a), boldness(b)) })
	for i, word := range choices {
		q.answers = append(q.answers, reply{key: strconv.Itoa(i + 1), label: visible(word), answer: guard.Answer{Text: word}})
	}
	return q
}

// boldness is 0 for a word that lets nothing happen.
func boldness(word string) int {
	switch word {
	case "stop", "skip", "reject", "withhold":
		return 0
	}
	return 1
}

// text is what the person has to know before they answer.
func (q query) text(s style) string {
	p := q.prompt
	head, rest, _ := strings.Cut(cmp.Or(p.Action, visible(p.Text)), "\n")
	var b strings.Builder
	b.WriteString(s.bold(visible(head)) + "\n")
	if rest != "" {
		b.WriteString(strings.TrimRight(rest, "\n") + "\n")
	}
	if p.Why != "" {
		b.WriteString(visible(p.Why) + "\n")
	}
	b.WriteString(q.command())
	if p.Diff != "" {
		b.WriteString(s.diff(strings.TrimRight(visible(p.Diff), "\n")) + "\n")
	}
	if p.Truncated {
		b.WriteString("(cut here: the change is longer)\n")
	}
	b.WriteByte('\n')
	for _, r := range q.answers {
		fmt.Fprintf(&b, "  %s  %s\n", r.key, r.label)
	}
	return b.String()
}

// command shows what would run unless the head of the prompt has it word for word, and the folder unless it is the session's own.
func (q query) command() string {
	p, text := q.prompt, ""
	words := p.Argv
	if len(words) == 3 && words[0] == "sh" && words[1] == "-c" {
		words = words[2:]
	}
	said := func(w string) bool { return w != "" && strings.Contains(p.Action, visible(w)) }
	switch {
	case len(words) == 1 && len(p.Argv) == 3 && !said(words[0]):
		text = "  $ " + strings.ReplaceAll(visible(strings.TrimRight(words[0], "\n")), "\n", "\n    ") + "\n"
	case slices.ContainsFunc(words, func(w string) bool { return !said(w) }):
		text = "  $ " + quoteArgv(p.Argv) + "\n"
	}
	if rel, err := filepath.Rel(q.tree, p.Cwd); p.Cwd != "" && rel != "." {
		if err != nil || q.tree == "" {
			rel = p.Cwd
		}
		text += "  in " + visible(rel) + "\n"
	}
	return text
}

// line is what the cursor stands behind. A permission says again what it is about: a long change may have moved its head off the screen.
func (q query) line() string {
	offered := strings.Join(q.keys(), "/")
	switch {
	case q.prompt.Type == guard.TypePermission:
		return fmt.Sprintf("%s [%s]? ", clipLine(q.prompt.Action, 60), offered)
	case offered == "":
		return "Your answer: "
	case q.prompt.FreeText:
		return fmt.Sprintf("A number [%s], or your own words: ", offered)
	}
	return fmt.Sprintf("A number [%s]: ", offered)
}

func (q query) keys() []string {
	var keys []string
	for _, r := range q.answers {
		keys = append(keys, r.key)
	}
	return keys
}

// read takes an answer's key, its words, or any text where text is welcome.
func (q query) read(line string) (guard.Answer, bool) {
	for _, r := range q.answers {
		if strings.EqualFold(line, r.key) || strings.EqualFold(line, r.label) || line == r.answer.Option && line != "" {
			return r.answer, true
		}
	}
	free := q.prompt.Type != guard.TypePermission && (q.prompt.FreeText || len(q.prompt.Choices) == 0)
	return guard.Answer{Text: line}, free && line != ""
}

// complaint says why a line is no answer, and what would be one.
func (q query) complaint(line string) string {
	keys := q.keys()
	switch {
	case len(keys) == 0:
		return "An answer needs a word or more."
	case line == "":
		return fmt.Sprintf("Nothing is taken for granted: type %s and Enter.", orList(keys))
	}
	return fmt.Sprintf("%q is none of the answers: type %s and Enter.", line, orList(keys))
}

// orList joins words as a sentence does.
func orList(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
