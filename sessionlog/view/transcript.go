package view

import (
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Transcript renders events as the text that `nodwyn run` prints to stdout and `nodwyn replay` prints again. It is made from durable events only, so the two are equal byte for byte. The zero value is ready.
type Transcript struct {
	// ran says that the last thing printed was a call or result, which text is set apart from.
	ran bool
}

// Apply returns what the event adds to the transcript, or nothing.
func (t *Transcript) Apply(e event.Event) string {
	switch p := e.Payload.(type) {
	case event.UserMsg:
		return t.block("> " + strings.ReplaceAll(strings.TrimRight(p.Text, "\n"), "\n", "\n> "))
	case event.LLMResp:
		return t.reply(p)
	case event.ToolCall:
		t.ran = true
		return fmt.Sprintf("* %s %s\n", p.Name, clip(string(p.Args), 240))
	case event.ToolResult:
		t.ran = true
		return "  " + outcomeWord(p) + ": " + clip(firstLine(p.Text), 240) + "\n"
	case event.CloseoutItem:
		t.ran = true
		return fmt.Sprintf("%s %s  %s  %s\n", mark(p.Outcome), p.Name, p.Kind, p.Outcome)
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

func outcomeWord(p event.ToolResult) string {
	if p.OK {
		return "ok"
	}
	if p.Error != "" {
		return p.Error
	}
	return "failed"
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
