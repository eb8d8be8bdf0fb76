package tool

import (
	"bytes"
	"context"
	_ "embed" // for the description
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
)

//go:embed file_edit.md
var fileEditText string

func fileEdit() Tool {
	return define(definition{
		name:        "file-edit",
		description: fileEditText,
		schema:      `{"type":"object","properties":{"path":{"type":"string","description":"relative to the tree"},"edits":{"type":"array","minItems":1,"items":{"type":"object","properties":{"old":{"type":"string","description":"text of the file as it is now, without line numbers"},"new":{"type":"string","description":"what replaces it"},"all":{"type":"boolean","description":"replace every place where old stands"}},"required":["old","new"],"additionalProperties":false}}},"required":["path","edits"],"additionalProperties":false}`,
		form:        `{"path": "cmd/main.go", "edits": [{"old": "fmt.Println(\"a\")", "new": "fmt.Println(\"b\")", "all": false}]}`,
	}, runFileEdit)
}

type fileEditArguments struct {
	Path  string         `json:"path"`
	Edits []editArgument `json:"edits"`
}

// editArgument tells an absent text from an empty one.
type editArgument struct {
	Old *string `json:"old"`
	New *string `json:"new"`
	All bool    `json:"all"`
}

func (a fileEditArguments) check() error {
	if a.Path == "" {
		return missing("path")
	}
	if len(a.Edits) == 0 {
		return missing("edits")
	}
	for i, e := range a.Edits {
		if e.Old == nil || e.New == nil {
			return fmt.Errorf(`edits.%d needs both "old" and "new"`, i)
		}
	}
	return nil
}

func (a fileEditArguments) edits() []edit {
	out := make([]edit, len(a.Edits))
	for i, e := range a.Edits {
		out[i] = edit{Old: *e.Old, New: *e.New, All: e.All}
	}
	return out
}

func runFileEdit(ctx context.Context, env Env, a fileEditArguments) (Result, error) {
	edits := a.edits()
	for i, e := range edits {
		if env.Redacted(e.New) || env.Redacted(e.Old) {
			return refuse(wordRedacted, fmt.Sprintf("edit %d of %d %s", i+1, len(edits), hidden)), nil
		}
	}
	content, err := env.Guard.ReadFile(ctx, a.Path, maxFile)
	if err != nil {
		return Result{}, err
	}
	text, enc, ok := decode(content)
	if !ok {
		return refuse(wordBinary, fmt.Sprintf("%q is a binary file of %s; it cannot be edited as text", a.Path, count(len(content), "byte"))), nil
	}
	changes, err := planEdits(text, edits)
	if e, ok := errors.AsType[*editError](err); ok {
		return refuse(e.word, fmt.Sprintf("%q is unchanged. %s\n", a.Path, e.text)), nil
	}
	after := applyChanges(text, changes)
	edited, err := enc.encode(after)
	if err != nil {
		return refuse(wordEncoding, fmt.Sprintf("%q is unchanged: %v", a.Path, err)), nil
	}
	if bytes.Equal(edited, content) {
		return Result{OK: true, Text: fmt.Sprintf("%q holds the new text already; nothing was written\n", a.Path), Touched: env.touched(a.Path)}, nil
	}
	if err := env.Guard.WriteFile(ctx, a.Path, guard.Seen{Exists: true, Content: content}, edited); err != nil {
		return Result{}, err
	}
	return Result{OK: true, Text: fmt.Sprintf("edited %q\n", a.Path) + describe(after, changes), Touched: env.touched(a.Path)}, nil
}

// describe says where the changes stand in the text after them, and what was overlooked to find each.
func describe(after string, changes []change) string {
	var out strings.Builder
	grown := 0
	for i, c := range changes {
		if i == maxListed {
			fmt.Fprintf(&out, "and %d more\n", len(changes)-i)
			break
		}
		fmt.Fprintf(&out, "edit %d: line %d", c.edit, lineAt(after, c.from+grown))
		if c.how != "" {
			out.WriteString(", found " + c.how)
		}
		out.WriteString("\n")
		grown += len(c.with) - (c.to - c.from)
	}
	return out.String()
}
