package tool

import (
	"bytes"
	"context"
	_ "embed" // for the description
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
)

//go:embed file_write.md
var fileWriteText string

// hidden is what a model reads that tries to write a placeholder into a file.
const hidden = "holds a [redacted:…] placeholder: that text was hidden from you and would be lost; edit around it"

func fileWrite() Tool {
	return define(definition{
		name:        "file-write",
		description: fileWriteText,
		schema:      `{"type":"object","properties":{"path":{"type":"string","description":"relative to the tree; missing folders are made"},"content":{"type":"string","description":"the whole file"}},"required":["path","content"],"additionalProperties":false}`,
		form:        `{"path": "docs/notes.md", "content": "the whole file\n"}`,
	}, runFileWrite)
}

type fileWriteArguments struct {
	Path string `json:"path"`
	// Content may be empty but not absent.
	Content *string `json:"content"`
}

func (a fileWriteArguments) check() error {
	if a.Path == "" {
		return missing("path")
	}
	if a.Content == nil {
		return errors.New(`"content" is missing`)
	}
	return nil
}

func runFileWrite(ctx context.Context, env Env, a fileWriteArguments) (Result, error) {
	if env.Redacted(*a.Content) {
		return refuse(wordRedacted, `"content" `+hidden), nil
	}
	old, err := env.Guard.ReadFile(ctx, a.Path, maxFile)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return Result{}, err
	}
	if why := unlikely(a.Path); isNew && why != "" {
		return refuse(wordInvalid, fmt.Sprintf("%q was not created: %s; give the path relative to the tree", a.Path, why)), nil
	}
	content, err := inStyleOf(old, *a.Content)
	if err != nil {
		return refuse(wordEncoding, err.Error()+"; write the file without it, or convert the file with shell-exec first"), nil
	}
	touched := env.touched(a.Path)
	if !isNew && bytes.Equal(old, content) {
		return Result{OK: true, Text: fmt.Sprintf("%q holds exactly this already; nothing was written\n", a.Path), Touched: touched}, nil
	}
	if err := env.Guard.WriteFile(ctx, a.Path, guard.Seen{Exists: !isNew, Content: old}, content); err != nil {
		return Result{}, err
	}
	verb := "replaced"
	if isNew {
		verb = "created"
	}
	text := fmt.Sprintf("%s %q: %s, %s\n", verb, a.Path, count(len(splitLines(*a.Content)), "line"), count(len(content), "byte"))
	return Result{OK: true, Text: text, Touched: touched}, nil
}

// inStyleOf returns the bytes of a file that replaces old: in its encoding and with its byte order mark, and with CRLF at line ends when all of old's lines end so and content knows no CRLF of its own. A new, an empty and a binary file set no style.
func inStyleOf(old []byte, content string) ([]byte, error) {
	text, enc, ok := decode(old)
	if !ok {
		return []byte(content), nil
	}
	if enc != utf8Plain {
		content = strings.TrimPrefix(content, "\uFEFF")
	}
	ends := strings.Count(text, "\r\n")
	if ends > 0 && ends == strings.Count(text, "\n") && !strings.Contains(content, "\r\n") {
		content = strings.ReplaceAll(content, "\n", "\r\n")
	}
	return enc.encode(content)
}
