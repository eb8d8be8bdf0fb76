package rpc

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"
)

func opened(text string) [2]string {
	return [2]string{"textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":"file:///r/a.go","languageId":"go","version":1,"text":%q}}`, text)}
}

// TestOnlyUntouchedBuffersAreRefreshed: a landing writes into no buffer that holds something of the person's, and into none that is right already.
func TestOnlyUntouchedBuffersAreRefreshed(t *testing.T) {
	changed := [2]string{"textDocument/didChange", `{"textDocument":{"uri":"file:///r/a.go","version":2},"contentChanges":[]}`}
	saved := [2]string{"textDocument/didSave", `{"textDocument":{"uri":"file:///r/a.go"}}`}
	closed := [2]string{"textDocument/didClose", `{"textDocument":{"uri":"file:///r/a.go"}}`}
	other := [2]string{"textDocument/didOpen", `{"textDocument":{"uri":"untitled:1","version":1,"text":"old"}}`}
	for _, c := range []struct {
		name  string
		notes [][2]string
		want  string
	}{
		{"not open", nil, "none"},
		{"open and as it was", [][2]string{opened("old")}, "version 1"},
		{"open with what landed", [][2]string{opened("new")}, "none"},
		{"edited", [][2]string{opened("old"), changed}, "none"},
		{"edited and saved", [][2]string{opened("old"), changed, saved}, "version 2"},
		{"closed", [][2]string{opened("old"), closed}, "none"},
		{"changed without being open", [][2]string{changed}, "none"},
		{"another document", [][2]string{other}, "none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Config{ReadFile: func(path string) ([]byte, error) {
				if path != filepath.FromSlash("/r/a.go") {
					return nil, errors.New("no such file")
				}
				return []byte("new"), nil
			}})
			for _, n := range c.notes {
				s.buffers.notified(n[0], jsontext.Value(n[1]))
			}
			got := "none"
			if edit, ok := s.changeOf(filepath.FromSlash("/r/a.go")).(*lsp.TextDocumentEdit); ok {
				got = fmt.Sprintf("version %d", *edit.TextDocument.Version)
			}
			check(t, "edit", got, c.want)
		})
	}
}
