package provider

import (
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// UserText returns a user's message as one text: what was asked, then each attachment as a block that says what it is. The form is part of every wire's version: to change it is to write a new function beside this one.
func UserText(m view.Message) string {
	var b strings.Builder
	b.WriteString(m.Text)
	for _, a := range m.Attachments {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		block(&b, a)
	}
	return b.String()
}

// block writes one attachment.
func block(b *strings.Builder, a event.Attach) {
	text := ""
	if a.Text != nil {
		text = *a.Text
	}
	tag := blockTag(text)
	fmt.Fprintf(b, "<%s type=%q", tag, a.Type)
	if a.Origin == "instructions" {
		b.WriteString(` origin="instructions"`)
	}
	if a.Path != "" {
		fmt.Fprintf(b, " path=%q", a.Path)
	}
	if r := a.Range; r != nil {
		fmt.Fprintf(b, ` range="%d:%d-%d:%d"`, r.StartLine, r.StartColumn, r.EndLine, r.EndColumn)
	}
	if a.MediaType != "" {
		fmt.Fprintf(b, " media=%q", a.MediaType)
	}
	if a.Text == nil {
		b.WriteString(" />")
		return
	}
	b.WriteString(">\n" + text)
	if !strings.HasSuffix(text, "\n") {
		b.WriteByte('\n')
	}
	fmt.Fprintf(b, "</%s>", tag)
}

// blockTag returns a name whose closing tag does not stand in the text, so that no attachment can end its own block and speak as the user.
func blockTag(text string) string {
	tag := "attachment"
	for n := 2; strings.Contains(text, "</"+tag); n++ {
		tag = fmt.Sprintf("attachment-%d", n)
	}
	return tag
}
