package view

import (
	"fmt"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// ran is a set-up command of somebody's, with how it ended: "" well, "open" not at all, "recovered" by a crash.
func ran(id, by, digest, end string) []event.Payload {
	args := event.RawJSON(fmt.Sprintf(`{"argv":["make"],"timeout":"1m0s","by":%q,"digest":%q}`, by, digest))
	call := event.ToolCall{Turn: 1, ID: id, Name: "shell-exec", Args: args, Origin: "strategy"}
	if end == "open" {
		return []event.Payload{call}
	}
	return []event.Payload{call, event.ToolResult{Turn: 1, ID: id, OK: end == "", Error: end, Recovered: end == "recovered"}}
}

func join(lists ...[]event.Payload) []event.Payload {
	var all []event.Payload
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

func one(p event.Payload) []event.Payload { return []event.Payload{p} }

func TestSetup(t *testing.T) {
	first, second := SetupID(1, 1), SetupID(1, 2)
	well := join(ran(first, "person", "d", ""), ran(second, "person", "d", ""))
	for _, c := range []struct {
		name            string
		events          []event.Payload
		person, project SetupState
	}{
		{"nothing", nil, SetupState{}, SetupState{}},
		{"two that ended well", well, SetupState{Digest: "d", Done: 2}, SetupState{}},
		{"one of each", join(ran(first, "person", "d", ""), ran(second, "project", "e", "")), SetupState{Digest: "d", Done: 1}, SetupState{Digest: "e", Done: 1}},
		{"the second failed", join(ran(first, "person", "d", ""), ran(second, "person", "d", "exit")), SetupState{Digest: "d", Done: 1, Failed: true}, SetupState{}},
		{"a denial is a failure", ran(first, "person", "d", "denied"), SetupState{Digest: "d", Failed: true}, SetupState{}},
		{"the second was cancelled", join(ran(first, "person", "d", ""), ran(second, "person", "d", "cancelled")), SetupState{Digest: "d", Done: 1}, SetupState{}},
		{"a crash cut it", ran(first, "person", "d", "recovered"), SetupState{Digest: "d"}, SetupState{}},
		{"it runs", ran(first, "person", "d", "open"), SetupState{Digest: "d"}, SetupState{}},
		{"something changed", join(well, ran(SetupID(2, 1), "person", "f", "")), SetupState{Digest: "f", Done: 1}, SetupState{}},
		{"something changed back", join(well, ran(SetupID(2, 1), "person", "f", ""), ran(SetupID(3, 1), "person", "d", "")), SetupState{Digest: "d", Done: 1}, SetupState{}},
		{"the worktree was made again", join(well, one(event.SessionResume{}), one(event.WorktreeRestore{})), SetupState{}, SetupState{}},
		{"another worktree was made", join(well, one(event.WorktreeCreate{})), SetupState{}, SetupState{}},
		{"the session was resumed", join(ran(first, "person", "d", ""), ran(second, "person", "d", "exit"), one(event.SessionResume{})), SetupState{Digest: "d", Done: 1}, SetupState{}},
		{"a call of the model's with such an id", join(one(event.ToolCall{ID: first, Args: event.RawJSON(`{"by":"person","digest":"d"}`), Origin: "model"}), one(event.ToolResult{ID: first, OK: true})), SetupState{}, SetupState{}},
		{"a call of a strategy's with another id", join(one(event.ToolCall{ID: "c1-1", Args: event.RawJSON(`{"by":"person","digest":"d"}`), Origin: "strategy"}), one(event.ToolResult{ID: "c1-1", OK: true})), SetupState{}, SetupState{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Setup
			for _, e := range logOf(c.events...) {
				s.Apply(e)
			}
			if got := s.Of("person"); got != c.person {
				t.Errorf("the person's: got %+v, want %+v", got, c.person)
			}
			if got := s.Of("project"); got != c.project {
				t.Errorf("the project's: got %+v, want %+v", got, c.project)
			}
		})
	}
}

func TestSetupTold(t *testing.T) {
	told := event.Attach{Turn: 1, Type: "text", Origin: "instructions", SHA256: "a"}
	file, person := told, told
	file.Path, person.Origin = "AGENTS.md", "person"
	for _, c := range []struct {
		name   string
		events []event.Payload
		want   bool
	}{
		{"nothing", nil, false},
		{"told", one(told), true},
		{"the same as a file", one(file), false},
		{"the same from the person", one(person), false},
		{"files were taken back since", join(one(told), one(event.SessionRevert{What: "files"})), true},
		{"the conversation was taken back since", join(one(told), one(event.SessionRevert{What: "both"})), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var s Setup
			for _, e := range logOf(c.events...) {
				s.Apply(e)
			}
			if got := s.Told("a"); got != c.want {
				t.Errorf("told: got %v, want %v", got, c.want)
			}
		})
	}
}
