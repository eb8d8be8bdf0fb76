package view

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// logOf numbers payloads as a log would.
func logOf(ps ...event.Payload) []event.Event {
	events := make([]event.Event, len(ps))
	for i, p := range ps {
		events[i] = event.Event{Seq: int64(i + 1), TS: time.Unix(int64(i), 0).UTC(), Session: "s", Payload: p}
	}
	return events
}

func cardLines(events []event.Event) []string {
	var c Cards
	for _, e := range events {
		c.Apply(e)
	}
	var lines []string
	for _, card := range c.All() {
		lines = append(lines, card.Line())
	}
	return lines
}

func checkCards(t *testing.T, want []string, ps ...event.Payload) {
	t.Helper()
	if got := cardLines(logOf(ps...)); !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCardsOfATurnThatWritesAndRuns(t *testing.T) {
	checkCards(t, []string{
		"ask         add a line",
		"permission  Allowed replace of README.md",
		"permission  Denied run of rm -r build for this session",
		"result      Done.",
		"proof       wrote README.md, test passed, lint failed",
	},
		event.UserMsg{Turn: 1, Text: "add a line"},
		event.LLMReq{Purpose: "turn", Turn: 1, Step: 1},
		event.LLMResp{Req: 2, Text: "I will look.", Stop: "tool_calls", ToolCalls: []event.ModelCall{{ID: "c2-1", Name: "file-write"}}},
		event.PromptOpen{PromptID: "p1", Type: "permission", Action: "Replace README.md", Diff: "+x"},
		event.PromptClose{PromptID: "p1", Answer: "allow_once"},
		event.ToolResult{ID: "c2-1", OK: true, Text: "secret output"},
		event.PromptOpen{PromptID: "p2", Type: "permission", Action: "Run rm -r build for this session", Argv: []string{"rm"}},
		event.PromptClose{PromptID: "p2", Answer: "deny"},
		event.LLMReq{Purpose: "turn", Turn: 1, Step: 2},
		event.LLMResp{Req: 9, Text: "Done.", Stop: "end"},
		event.CloseoutItem{Name: "test", Outcome: "passed"},
		event.CloseoutItem{Name: "lint", Outcome: "failed"},
		event.Proof{Turn: 1, Wrote: []string{"README.md"}, Failed: []string{"lint"}},
		event.TurnEnd{Turn: 1, Outcome: "completed"},
	)
}

func TestCardsOfTurnsThatDidNotComplete(t *testing.T) {
	for name, c := range map[string]struct {
		events []event.Payload
		want   []string
	}{
		"cancelled in the stream": {
			[]event.Payload{event.LLMResp{Text: "I was ab", Stop: "cancelled"}, event.TurnEnd{Outcome: "cancelled"}},
			[]string{"ask         go", "result      cancelled"},
		},
		"the server's error": {
			[]event.Payload{event.LLMResp{Stop: "error", Error: "busy"}, event.TurnEnd{Outcome: "failed", Error: "ask m: busy"}},
			[]string{"ask         go", "result      failed: ask m: busy"},
		},
		"a reply that was cut keeps its text": {
			[]event.Payload{event.LLMResp{Text: "part", Stop: "length"}, event.TurnEnd{Outcome: "failed", Error: "limit"}},
			[]string{"ask         go", "result      failed: part"},
		},
		"a prompt that nobody answered": {
			[]event.Payload{event.PromptOpen{PromptID: "p1", Type: "permission", Action: "Run ls"}, event.PromptClose{PromptID: "p1", Answer: "expired"}},
			[]string{"ask         go", "permission  Expired run of ls"},
		},
		"a trust choice draws nothing": {
			[]event.Payload{event.PromptOpen{PromptID: "p1", Type: "choice", Op: "trust", Text: "?"}, event.PromptClose{PromptID: "p1", Answer: "trust"}},
			[]string{"ask         go"},
		},
		"a question": {
			[]event.Payload{event.PromptOpen{PromptID: "p1", Type: "question", Text: "Which?", Options: []string{"a"}}},
			[]string{"ask         go", "question    Which?"},
		},
		"a turn that goes on has no ask": {
			[]event.Payload{event.TurnEnd{Outcome: "completed"}, event.UserMsg{Turn: 2, Text: "go on", Continues: 1}},
			[]string{"ask         go"},
		},
		"nothing written, nothing checked": {
			[]event.Payload{event.LLMResp{Text: "ok", Stop: "end"}, event.Proof{}},
			[]string{"ask         go", "result      ok", "proof       nothing written, no checks"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			checkCards(t, c.want, append([]event.Payload{event.UserMsg{Turn: 1, Text: "go"}}, c.events...)...)
		})
	}
}

func TestASteeringMessageIsAnAskOfTheSameTurn(t *testing.T) {
	checkCards(t, []string{"ask         go", "ask         faster", "result      done", "proof       nothing written, test passed"},
		event.UserMsg{Turn: 1, Text: "go"}, event.CloseoutItem{Name: "test", Outcome: "passed"}, event.UserMsg{Turn: 1, Text: "faster"},
		event.LLMResp{Text: "done", Stop: "end"}, event.Proof{Turn: 1})
}

func TestAnAnswerTakesDiffAndArgvFromTheCard(t *testing.T) {
	var c Cards
	for _, e := range logOf(
		event.PromptOpen{PromptID: "p1", Type: "permission", Action: "Run ls", Path: "/w/a", Diff: "+x", Argv: []string{"ls"}, TimeoutSec: 5},
		event.PromptClose{PromptID: "p1", Answer: "allow_session"},
	) {
		c.Apply(e)
	}
	five := 5
	want := Permission{Action: "Run ls", Path: "/w/a", TimeoutSec: &five, Decision: "Allowed run of ls for this session"}
	if got := c.All()[0].Body; !reflect.DeepEqual(got, want) {
		t.Errorf("got %#v, want %#v", got, want)
	}
}

func TestChunksDoNotMoveTheRevision(t *testing.T) {
	var c Cards
	for _, e := range logOf(event.UserMsg{Turn: 1}, event.LLMChunk{Req: 1}) {
		c.Apply(e)
	}
	if got, want := c.Revision(), int64(1); got != want {
		t.Errorf("got revision %d, want %d", got, want)
	}
}

func windowText(events []event.Event) []string {
	var m Messages
	for _, e := range events {
		m.Apply(e)
	}
	var out []string
	for _, msg := range m.Window() {
		line := string(msg.Role) + " " + msg.CallID + msg.Text
		for _, c := range msg.Calls {
			line += " call " + c.ID
		}
		for _, a := range msg.Attachments {
			line += " +" + a.Path
		}
		out = append(out, line)
	}
	return out
}

func TestWindow(t *testing.T) {
	calls := []event.ModelCall{{ID: "a"}, {ID: "b"}}
	asked := []event.Payload{event.UserMsg{Turn: 1, Text: "go"}, event.Attach{Origin: "instructions", Path: "AGENTS.md"}}
	replied := append(asked, event.LLMReq{Purpose: "turn"}, event.LLMResp{Text: "hm", Stop: "tool_calls", ToolCalls: calls})
	for name, c := range map[string]struct {
		events []event.Payload
		want   []string
	}{
		"a request with what is attached": {asked, []string{"user go +AGENTS.md"}},
		"results stand in the order of the calls, then what they brought": {
			append(replied, event.ToolResult{ID: "b", Text: "2"}, event.Attach{Path: "d/AGENTS.md"}, event.ToolResult{ID: "a", Text: "1"}),
			[]string{"user go +AGENTS.md", "assistant hm call a call b", "tool a1", "tool b2", "user  +d/AGENTS.md"},
		},
		"a call that never ran": {
			append(replied, event.ToolResult{ID: "a", Text: "1"}, event.TurnEnd{}, event.UserMsg{Turn: 2, Text: "again"}),
			[]string{"user go +AGENTS.md", "assistant hm call a call b", "tool a1", "tool b" + NotRun, "user again"},
		},
		"a reply that was cancelled keeps its text and loses its calls": {
			append(asked, event.LLMResp{Text: "par", Stop: "cancelled", ToolCalls: calls}),
			[]string{"user go +AGENTS.md", "assistant par"},
		},
		"a reply that brought nothing": {append(asked, event.LLMResp{Stop: "error"}), []string{"user go +AGENTS.md"}},
		"a message that steers stands behind the step's results": {
			append(replied, event.ToolResult{ID: "a", Text: "1"}, event.UserMsg{Turn: 1, Text: "faster"}, event.ToolResult{ID: "b", Text: "2"}),
			[]string{"user go +AGENTS.md", "assistant hm call a call b", "tool a1", "tool b2", "user faster"},
		},
		"a reply beside the conversation is not in it": {
			append(asked, event.LLMReq{Purpose: "title"}, event.LLMResp{Req: 3, Text: "A title", Stop: "end"}),
			[]string{"user go +AGENTS.md"},
		},
		"a recovery result after a crash": {
			append(replied, event.SessionResume{}, event.ToolResult{ID: "a", Text: "?", Recovered: true}, event.ToolResult{ID: "b", Text: "!", Recovered: true}),
			[]string{"user go +AGENTS.md", "assistant hm call a call b", "tool a?", "tool b!"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := windowText(logOf(c.events...)); !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// TestWindowIsTheSameBeforeAndAfterItsRequest holds what a replay relies on: appending the llm.req changes nothing.
func TestWindowIsTheSameBeforeAndAfterItsRequest(t *testing.T) {
	events := logOf(event.UserMsg{Text: "go"}, event.LLMResp{Stop: "tool_calls", ToolCalls: []event.ModelCall{{ID: "a"}}}, event.ToolResult{ID: "a"}, event.Attach{Path: "p"}, event.LLMReq{Purpose: "turn"})
	if before, after := windowText(events[:4]), windowText(events); !reflect.DeepEqual(before, after) {
		t.Errorf("got %q before, %q after", before, after)
	}
}

func stateOf(ps ...event.Payload) State {
	var s State
	for _, e := range logOf(ps...) {
		s.Apply(e)
	}
	return s
}

func TestState(t *testing.T) {
	tree := event.SessionStart{Configuration: event.Configuration{Worktree: &event.Worktree{BaseCommit: "b0"}}}
	yes, no := true, false
	for name, c := range map[string]struct {
		got, want any
	}{
		"idle":                 {ptr(stateOf(tree)).Status(), "idle"},
		"running":              {ptr(stateOf(tree, event.UserMsg{Turn: 1})).Status(), "running"},
		"waiting for a person": {ptr(stateOf(tree, event.UserMsg{Turn: 1}, event.PromptOpen{PromptID: "p1", Type: "permission"})).Waits(), []string{"permission"}},
		"waiting for a model":  {ptr(stateOf(tree, event.UserMsg{Turn: 1}, event.LLMReq{Purpose: "turn", Step: 1})).Waits(), []string{"model"}},
		"closed":               {ptr(stateOf(tree, event.SessionEnd{})).Status(), "closed"},
		"resumed":              {ptr(stateOf(tree, event.SessionEnd{}, event.SessionResume{})).Status(), "idle"},
		"no end is unfinished": {ptr(stateOf(tree, event.UserMsg{Turn: 1})).Unfinished(), true},
		"interrupted is unfinished": {
			ptr(stateOf(tree, event.UserMsg{Turn: 1}, event.TurnEnd{Outcome: "failed", Reason: "interrupted"})).Unfinished(), true},
		"cancelled is finished": {ptr(stateOf(tree, event.UserMsg{Turn: 1}, event.TurnEnd{Outcome: "cancelled"})).Unfinished(), false},
		"a next turn settles it": {
			ptr(stateOf(tree, event.TurnEnd{Reason: "editor_exit"}, event.UserMsg{Turn: 2}, event.TurnEnd{Outcome: "completed"})).Unfinished(), false},
		"the base before a landing": {stateOf(tree, event.WorktreeCheckpoint{Turn: 1, Commit: "c1"}).Base, "b0"},
		"the tip":                   {ptr(stateOf(tree, event.WorktreeCheckpoint{Turn: 1, Commit: "c1"})).Tip(), "c1"},
		"a landing that is under way moves nothing": {
			stateOf(tree, event.WorktreeLand{Base: "c1"}).Base, "b0"},
		"a landing moves the base": {
			ptr(stateOf(tree, event.WorktreeCheckpoint{Turn: 1, Commit: "c1"}, event.WorktreeLand{Base: "c1", OK: &yes})).Tip(), "c1"},
		"a landing that failed moves nothing": {
			stateOf(tree, event.WorktreeLand{Base: "c1"}, event.WorktreeLand{Base: "c1", OK: &no}).Base, "b0"},
		"a resume does not move the base back": {
			stateOf(tree, event.WorktreeLand{Base: "c1", OK: &yes}, event.SessionResume{Configuration: tree.Configuration}).Base, "c1"},
		"a mode that brings a worktree": {
			stateOf(event.SessionStart{Configuration: event.Configuration{Mode: "ask"}}, event.SessionMode{From: "ask", Mode: "edit", Worktree: &event.Worktree{BaseCommit: "b1"}}).Base, "b1"},
		"a turn that goes on is about the same ask": {ptr(stateOf(tree, event.UserMsg{Turn: 1, Text: "fix"}, event.TurnEnd{Turn: 1}, event.UserMsg{Turn: 2, Text: "go on", Continues: 1})).Ask(2), "fix"},
		"open calls": {ptr(stateOf(tree, event.ToolCall{ID: "a"}, event.ToolCall{ID: "b"}, event.ToolResult{ID: "a"})).OpenCalls(), []event.ToolCall{{ID: "b"}}},
	} {
		t.Run(name, func(t *testing.T) {
			if !reflect.DeepEqual(c.got, c.want) {
				t.Errorf("got %v, want %v", c.got, c.want)
			}
		})
	}
}

func TestTurnTreeSpansSnapshotsThatWereTakenAgain(t *testing.T) {
	s := stateOf(event.SessionStart{Configuration: event.Configuration{Worktree: &event.Worktree{BaseCommit: "b0"}}},
		event.WorktreeCheckpoint{Turn: 1, Commit: "c1"}, event.WorktreeCheckpoint{Turn: 2, Commit: "c2"}, event.WorktreeCheckpoint{Turn: 2, Commit: "c3"})
	got, _ := s.TurnTree(2)
	if want := (TurnTree{Before: "c1", After: "c3"}); got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCloneSharesNothing(t *testing.T) {
	s := stateOf(event.SessionStart{}, event.UserMsg{Turn: 1, Text: "one"})
	c := s.Clone()
	for _, e := range logOf(event.UserMsg{Turn: 2, Text: "two"}, event.Attach{Origin: "instructions", Path: "p"}, event.GuardDecision{Op: "write", Decision: "allow", Target: "f"}) {
		s.Apply(e)
	}
	if c.Ask(2) != "" || len(c.Instructions) != 0 || len(c.Written()) != 0 {
		t.Errorf("the clone saw later events: %+v", c)
	}
}

func TestTotalsKeepUnknownApartFromZero(t *testing.T) {
	var totals Totals
	ten, zero := int64(10), int64(0)
	for _, e := range logOf(event.LLMReq{Purpose: "turn"}, event.LLMResp{Usage: event.Usage{Unreported: true, WallMS: 5}}) {
		totals.Apply(e)
	}
	if totals.PromptTokens != nil || totals.Unreported != 1 {
		t.Errorf("got %+v, want unknown tokens", totals)
	}
	for _, e := range logOf(event.LLMReq{Purpose: "turn"}, event.LLMResp{Usage: event.Usage{PromptTokens: &ten, OutputTokens: &zero, WallMS: 7}}) {
		totals.Apply(e)
	}
	if *totals.PromptTokens != 10 || *totals.OutputTokens != 0 || totals.CachedTokens != nil || totals.ModelMS != 12 || totals.Calls != 2 {
		t.Errorf("got %+v", totals)
	}
}

func TestARecoveryResultAddsNoToolTime(t *testing.T) {
	var totals Totals
	three := int64(3)
	for _, e := range logOf(event.ToolCall{ID: "a"}, event.ToolResult{ID: "a", WallMS: &three}, event.ToolCall{ID: "b"}, event.ToolResult{ID: "b", Recovered: true}) {
		totals.Apply(e)
	}
	if got, want := totals.ToolMS, int64(3); got != want {
		t.Errorf("got %d ms, want %d", got, want)
	}
}

func TestTranscript(t *testing.T) {
	var tr Transcript
	var got strings.Builder
	ok := true
	for _, e := range logOf(
		event.UserMsg{Text: "do it\nwell"},
		event.LLMResp{Text: "Looking.", Stop: "tool_calls"},
		event.ToolCall{ID: "a", Name: "file-read", Args: event.RawJSON(`{"path":"a"}`)},
		event.ToolResult{ID: "a", OK: true, Text: "     1\tx\n     2\ty"},
		event.ToolCall{Name: "shell-exec", Args: event.RawJSON(`{}`)},
		event.ToolResult{Error: "denied", Text: "denied by ann"},
		event.LLMResp{Text: "Done.\n", Stop: "end"},
		event.CloseoutItem{Name: "test", Kind: "command", Outcome: "passed"},
		event.CloseoutItem{Name: "lint", Kind: "command", Outcome: "failed", Exit: ptr(3), OutputTail: strings.Repeat("line\n", 20) + "too long\n"},
		event.Proof{Wrote: []string{"a"}, DiffStat: []event.DiffStat{{Path: "a", Status: "M", Insertions: 1}}},
		event.WorktreeLand{Into: "main"},
		event.WorktreeLand{Into: "main", Strategy: "squash", Commit: "c", OK: &ok},
		event.TurnEnd{Outcome: "failed", Reason: "interrupted"},
	) {
		got.WriteString(tr.Apply(e))
	}
	want := `> do it
> well

Looking.

* file-read {"path":"a"}
  2 lines
* shell-exec {}
  ! denied by ann

Done.

✓ test  command  passed
✗ lint  command  failed
  exit 3
` + strings.Repeat("  line\n", 11) + `  too long

Wrote a
M a | 1 +

landed c on main by squash

turn failed (interrupted)

`
	if got.String() != want {
		t.Errorf("got\n%s\nwant\n%s", got.String(), want)
	}
}

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\n": "plain\ttext\n", "\x1b]0;evil\x07": `\x1b]0;evil\a`, "a\u202eb": `a\u202eb`, "grüße 日本\u00a0x": "grüße 日本\u00a0x", "zero\u200bwidth": `zero\u200bwidth`, "back\rover": `back\rover`,
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

func BenchmarkFold(b *testing.B) {
	events := logOf(event.SessionStart{}, event.UserMsg{Turn: 1, Text: "x"}, event.LLMReq{Purpose: "turn"}, event.LLMResp{Stop: "tool_calls", ToolCalls: []event.ModelCall{{ID: "a"}}},
		event.ToolCall{ID: "a"}, event.GuardDecision{Op: "read", Decision: "allow"}, event.ToolResult{ID: "a"}, event.TurnEnd{Outcome: "completed"})
	for b.Loop() {
		var c Cards
		var s State
		var m Messages
		for _, e := range events {
			c.Apply(e)
			s.Apply(e)
			m.Apply(e)
		}
	}
	b.ReportMetric(float64(b.N*len(events))/b.Elapsed().Seconds(), "events/s")
}

func ptr[T any](v T) *T { return &v }
