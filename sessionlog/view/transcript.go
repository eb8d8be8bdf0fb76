package view

import (
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Transcript renders events as the text that `nodwyn run` prints to stdout and `nodwyn replay` prints again. It is made from durable events only, so the two are equal byte for byte. The zero value is ready.
type Transcript struct {
	// ran says that the last thing printed was a call or result, which text is set apart from.
	ran   bool
	aside aside
	// calls are the names of the calls without a result: what is read is summed up, the rest is shown.
	calls map[string]string
}

// shownLines is how much of a call's or a check's output the transcript shows.
const shownLines = 12

// Apply returns what the event adds to the transcript, or nothing. Hidden characters are spelled out, since it is made for terminals.
func (t *Transcript) Apply(e event.Event) string {
	if t.aside.holds(e) {
		return ""
	}
	return Visible(t.render(e))
}

func (t *Transcript) render(e event.Event) string {
	switch p := e.Payload.(type) {
	case event.UserMsg:
		return t.block("> " + strings.ReplaceAll(strings.TrimRight(p.Text, "\n"), "\n", "\n> "))
	case event.LLMResp:
		return t.reply(p)
	case event.ToolCall:
		return t.call(p)
	case event.ToolResult:
		return t.result(p)
	case event.CloseoutItem:
		return t.item(p)
	case event.Proof:
		return t.block(strings.Join(wroteLines(p), "\n"))
	case event.WorktreeLand:
		return t.landing(p)
	case event.Note:
		return t.block("note: " + p.Text)
	case event.TurnEnd:
		return t.end(p)
	}
	return ""
}

// block sets a paragraph apart from the lines of calls before it.
func (t *Transcript) block(text string) string {
	if text == "" {
		return ""
	}
	lead := ""
	if t.ran {
		lead = "\n"
	}
	t.ran = false
	return lead + text + "\n\n"
}

func (t *Transcript) reply(p event.LLMResp) string {
	return t.block(strings.TrimRight(p.Text, "\n"))
}

func (t *Transcript) landing(p event.WorktreeLand) string {
	switch {
	case p.OK == nil:
		return ""
	case *p.OK:
		return t.block(fmt.Sprintf("landed %s on %s by %s", p.Commit, p.Into, p.Strategy))
	}
	return t.block(fmt.Sprintf("did not land on %s: %s", p.Into, strings.Join(p.Conflicts, ", ")))
}

func (t *Transcript) end(p event.TurnEnd) string {
	if p.Outcome == "completed" {
		return ""
	}
	text := "turn " + p.Outcome
	if p.Reason != "" {
		text += " (" + p.Reason + ")"
	}
	if p.Error != "" {
		text += ": " + p.Error
	}
	return t.block(text)
}

// wroteLines leaves the items out: the transcript shows each as it ran.
func wroteLines(p event.Proof) []string {
	if len(p.Wrote) == 0 {
		return []string{"nothing written"}
	}
	var c Cards
	body := c.proof(p)
	return ProofLines(body)
}

func (t *Transcript) call(p event.ToolCall) string {
	t.ran = true
	if t.calls == nil {
		t.calls = make(map[string]string)
	}
	t.calls[p.ID] = p.Name
	return fmt.Sprintf("* %s %s\n", p.Name, clip(string(p.Args), 240))
}

// result shows what came back: what a read found is only counted, since the file is there to look at.
func (t *Transcript) result(p event.ToolResult) string {
	t.ran = true
	name := t.calls[p.ID]
	delete(t.calls, p.ID)
	switch {
	case !p.OK:
		return indent("! ", p.Text)
	case name == "file-read", name == "file-list", name == "code-search":
		return fmt.Sprintf("  %s\n", counted(len(split(p.Text)), "line"))
	}
	return indent("", p.Text)
}

// item shows how a check went, and why when it did not pass.
func (t *Transcript) item(p event.CloseoutItem) string {
	t.ran = true
	line := fmt.Sprintf("%s %s  %s  %s\n", mark(p.Outcome), p.Name, p.Kind, p.Outcome)
	if p.Outcome != "failed" && p.Outcome != "timeout" {
		return line
	}
	if p.Exit != nil {
		line += fmt.Sprintf("  exit %d\n", *p.Exit)
	}
	lines := split(p.OutputTail)
	return line + indent("", strings.Join(lines[max(len(lines)-shownLines, 0):], "\n"))
}

// indent sets the first lines of a text under the line before it.
func indent(lead, text string) string {
	lines := split(text)
	var b strings.Builder
	for i, l := range lines[:min(len(lines), shownLines)] {
		if i > 0 {
			lead = ""
		}
		b.WriteString(strings.TrimRight("  "+lead+clip(l, 240), " ") + "\n")
	}
	if more := len(lines) - shownLines; more > 0 {
		fmt.Fprintf(&b, "  … %s more\n", counted(more, "line"))
	}
	return b.String()
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}

// clip bounds s to about limit bytes at a rune's border.
func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	cut := limit
	for cut > 0 && s[cut]&0xC0 == 0x80 {
		cut--
	}
	return s[:cut] + "…"
}
