package rpc

import (
	"testing"

	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestRangesCountBytesInTheLog: a client counts in units of the encoding that was agreed on, and the log in bytes.
func TestRangesCountBytesInTheLog(t *testing.T) {
	at := func(line, character uint32) protocol.Position {
		return protocol.Position{Line: line, Character: character}
	}
	selection := func(text string, start, end protocol.Position) protocol.Attachment {
		return protocol.Attachment{Type: protocol.AttachSelection, Path: "a", Text: text, Range: &protocol.Range{Start: start, End: end}}
	}
	diagnostics := selection("é: odd", at(0, 0), at(0, 1))
	diagnostics.Type = protocol.AttachDiagnostics
	for _, c := range []struct {
		name string
		utf8 bool
		from protocol.Attachment
		want *event.Range
	}{
		{"no range", false, protocol.Attachment{Type: protocol.AttachFile, Path: "a"}, nil},
		{"bytes agreed on", true, selection("é😀", at(4, 2), at(4, 8)), &event.Range{StartLine: 5, StartColumn: 3, EndLine: 5, EndColumn: 9}},
		{"one line", false, selection("é😀", at(4, 2), at(4, 5)), &event.Range{StartLine: 5, StartColumn: 3, EndLine: 5, EndColumn: 9}},
		{"end in a later line", false, selection("x\r\n\né", at(4, 2), at(6, 1)), &event.Range{StartLine: 5, StartColumn: 3, EndLine: 7, EndColumn: 3}},
		{"end at the start of a line", false, selection("é\n", at(0, 0), at(1, 0)), &event.Range{StartLine: 1, StartColumn: 1, EndLine: 2, EndColumn: 1}},
		{"text that is not what the range holds", false, selection("a\nb", at(4, 2), at(4, 5)), &event.Range{StartLine: 5, StartColumn: 3, EndLine: 5, EndColumn: 6}},
		{"diagnostics, whose text is about the range", false, diagnostics, &event.Range{StartLine: 1, StartColumn: 1, EndLine: 1, EndColumn: 2}},
		{"file that the server reads", false, selection("", at(1, 0), at(3, 0)), &event.Range{StartLine: 2, StartColumn: 1, EndLine: 4, EndColumn: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := New(Config{})
			s.client.encoding = lsp.PositionEncodingKindUTF16
			if c.utf8 {
				s.client.encoding = lsp.PositionEncodingKindUTF8
			}
			check(t, "range", s.bytesOf(c.from), c.want)
		})
	}
}
