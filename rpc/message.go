package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// maxShown bounds a diff inside a message box; the whole of it is in the log and in every client that shows permissions.
const maxShown = 8 << 10

// choice is one button of a message and what it means.
type choice struct {
	title  string
	answer agent.Answer
}

// showMessage asks through window/showMessageRequest. A client that does not know the request shows prompts to nobody.
func (s *Server) showMessage(ctx context.Context, p agent.Prompt) (agent.Answer, error) {
	choices, text := permissionChoices(p), permissionText(p)
	if p.Type != "permission" {
		choices, text = questionChoices(p), p.Text
	}
	if len(choices) == 0 {
		return agent.Answer{}, fmt.Errorf("the client cannot take free text: %w", agent.ErrNobody)
	}
	params := lsp.ShowMessageRequestParams{Type: lsp.MessageTypeWarning, Message: text}
	for _, c := range choices {
		params.Actions = append(params.Actions, lsp.MessageActionItem{Title: c.title})
	}
	var picked lsp.MessageActionItem
	err := s.prompt(ctx, lsp.MethodWindowShowMessageRequest, &params, &picked)
	if refused, ok := errors.AsType[*jsonrpc2.Error](err); ok && refused.Code == jsonrpc2.MethodNotFound {
		return agent.Answer{}, fmt.Errorf("the client shows no messages: %w", agent.ErrNobody)
	}
	if err != nil {
		return agent.Answer{}, err
	}
	for _, c := range choices {
		if c.title == picked.Title {
			return c.answer, nil
		}
	}
	return agent.Answer{}, fmt.Errorf("the client's answer %q was not offered", picked.Title)
}

// permissionChoices offers the prompt's options by fixed titles. A denial stands first, since some editors pick the first for whoever presses return.
func permissionChoices(p agent.Prompt) []choice {
	var choices []choice
	for _, c := range []struct {
		id    protocol.OptionID
		title string
	}{
		{protocol.Deny, "Deny"},
		{protocol.AllowOnce, "Allow once"},
		{protocol.AllowSession, "Allow for this session"},
		{protocol.AllowAlways, "Always allow"},
		{protocol.DenyStop, "Deny and stop"},
	} {
		for _, o := range p.Options {
			if string(o.ID) == string(c.id) {
				choices = append(choices, choice{c.title, agent.Answer{Option: o.ID, Actor: actor}})
			}
		}
	}
	return choices
}

// questionChoices offers the choices as they are, but moves the cautious one to the front.
func questionChoices(p agent.Prompt) []choice {
	words := slices.Clone(p.Choices)
	slices.SortStableFunc(words, func(a, b string) int { return caution(a) - caution(b) })
	var choices []choice
	for _, w := range words {
		choices = append(choices, choice{w, agent.Answer{Text: w, Actor: actor}})
	}
	return choices
}

// caution is 0 for a word that lets nothing happen.
func caution(word string) int {
	switch word {
	case "stop", "skip", "reject", "withhold":
		return 0
	}
	return 1
}

// permissionText says what is asked for, in full but for a very long diff, with nothing in it that a message box would swallow.
func permissionText(p agent.Prompt) string {
	lines := []string{p.Action}
	if len(p.Argv) > 0 {
		lines = append(lines, "$ "+commandLine(p.Argv))
	}
	if p.Cwd != "" {
		lines = append(lines, "in "+visible(p.Cwd))
	}
	if p.Why != "" {
		lines = append(lines, p.Why)
	}
	for _, o := range p.Options { // the buttons are fixed, so what one stands for is said here
		if string(o.ID) == string(protocol.AllowAlways) && !slices.Equal(o.Prefix, p.Argv) {
			lines = append(lines, visible(o.Label))
		}
	}
	if p.Diff != "" {
		lines = append(lines, "", visible(cut(p.Diff, maxShown)))
	}
	return strings.Join(lines, "\n")
}

// commandLine shows each word so that two commands never look alike.
func commandLine(argv []string) string {
	words := make([]string, 0, len(argv))
	for _, w := range argv {
		if w == "" || strings.ContainsFunc(w, func(r rune) bool { return r <= ' ' || r == '"' || r == '\'' || r == '\\' || !strconv.IsPrint(r) }) {
			w = strconv.Quote(w)
		}
		words = append(words, w)
	}
	return strings.Join(words, " ")
}

// visible escapes what cannot be seen, line by line.
func visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || r == '\t' || strconv.IsPrint(r) {
			b.WriteRune(r)
			continue
		}
		b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
	}
	return b.String()
}

// cut keeps whole lines of text, and says how many it left out.
func cut(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	head := text[:strings.LastIndexByte(text[:limit], '\n')+1]
	if head == "" { // one line that is longer than all of it
		head = strings.ToValidUTF8(text[:limit], "") + "\n"
		return head + "… cut here"
	}
	return fmt.Sprintf("%s… %d more lines", head, strings.Count(text[len(head):], "\n"))
}
