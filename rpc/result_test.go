package rpc

import (
	"fmt"
	"testing"

	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
)

func TestResultMessage(t *testing.T) {
	for _, c := range []struct {
		name   string
		result agent.TurnResult
		want   string
	}{
		{"completed", agent.TurnResult{Turn: 1, Outcome: "completed", Text: "Done.\n"}, "3 nodwyn, turn 1 completed: Done."},
		{"completed without a word", agent.TurnResult{Turn: 2, Outcome: "completed"}, "3 nodwyn, turn 2 completed"},
		{"cancelled", agent.TurnResult{Turn: 1, Outcome: "cancelled"}, "3 nodwyn, turn 1 cancelled"},
		{"denied and stopped", agent.TurnResult{Turn: 1, Outcome: "cancelled", Reason: "deny_stop"}, "3 nodwyn, turn 1 cancelled by a denial"},
		{"dropped", agent.TurnResult{Outcome: "cancelled", Reason: "dropped"}, "3 nodwyn, a request that waited was dropped"},
		{"failed", agent.TurnResult{Turn: 1, Outcome: "failed", Text: "ask m: 401"}, "1 nodwyn, turn 1 failed: ask m: 401"},
		{"text that hides something", agent.TurnResult{Turn: 1, Outcome: "completed", Text: "a\u202eb"}, `3 nodwyn, turn 1 completed: a\u202eb`},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := resultMessage(c.result)
			check(t, "message", fmt.Sprintf("%d %s", m.Type, m.Message), c.want)
		})
	}
}

// TestFenceIsLongerThanAnyInside: text cannot end the fence that it stands in.
func TestFenceIsLongerThanAnyInside(t *testing.T) {
	for _, c := range []struct{ text, want string }{{"plain", "```"}, {"a ``` b", "````"}, {"`````", "``````"}} {
		check(t, c.text, fenceFor(c.text), c.want)
	}
}

func TestFileURI(t *testing.T) {
	for _, c := range []struct{ path, want string }{{"/a b/ä.md", "file:///a%20b/%C3%A4.md"}, {"c:/src/x", "file:///c:/src/x"}} {
		check(t, c.path, fileURI(c.path), lsp.URI(c.want))
	}
}
