package view

import (
	"reflect"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// worked is a session with three turns that each wrote, and where its course stands after more.
func worked(more ...event.Payload) State {
	ps := []event.Payload{event.SessionStart{Configuration: event.Configuration{Worktree: &event.Worktree{BaseCommit: "b0"}}}}
	for turn, commit := range []string{"c1", "c2", "c3"} {
		ps = append(ps, event.UserMsg{Turn: turn + 1}, event.LLMReq{Purpose: "turn"}, event.WorktreeCheckpoint{Turn: turn + 1, Commit: commit}, event.TurnEnd{Turn: turn + 1})
	}
	return stateOf(append(ps, more...)...)
}

func TestARevertThatCouldNotBeCarriedOutLeavesNoTrace(t *testing.T) {
	revert := event.SessionRevert{What: "both", ToTurn: ptr(1), Before: "r0", Commit: "r1"}
	undo := event.SessionRevert{What: "both", ToTurn: ptr(1), Undo: true, Before: "u0", Commit: "u1"}
	for name, c := range map[string]struct{ before, tried []event.Payload }{
		"a revert":   {nil, []event.Payload{revert}},
		"an undoing": {[]event.Payload{revert}, []event.Payload{undo}},
		"with a turn between": {[]event.Payload{revert, event.UserMsg{Turn: 4}, event.LLMReq{Purpose: "turn"}, event.WorktreeCheckpoint{Turn: 4, Commit: "c4"}, event.TurnEnd{Turn: 4}},
			[]event.Payload{undo}},
	} {
		t.Run(name, func(t *testing.T) {
			want := worked(c.before...)
			got := worked(append(c.before, c.tried...)...)
			tried := got.Rewrite
			got.Apply(event.Event{Payload: got.Unrecorded(tried)})
			if got.Rewrite != want.Rewrite || got.Tip() != want.Tip() || !reflect.DeepEqual(got.Checkpoints, want.Checkpoints) || !reflect.DeepEqual(got.Worked, want.Worked) {
				t.Errorf("course: got %+v, want %+v", got.Course, want.Course)
			}
			if len(got.Untold) != len(want.Untold) {
				t.Errorf("untold: got %v, want %v", got.Untold, want.Untold)
			}
			gotLast, _ := got.LastRevert()
			if wantLast, _ := want.LastRevert(); !reflect.DeepEqual(gotLast, wantLast) {
				t.Errorf("last revert: got %+v, want %+v", gotLast, wantLast)
			}
		})
	}
}

func TestAnUndoingThatCouldNotBeCarriedOutLeavesTheWindow(t *testing.T) {
	revert := event.SessionRevert{What: "chat", ToTurn: ptr(1)}
	undo := event.SessionRevert{What: "chat", ToTurn: ptr(1), Undo: true}
	again := revert
	again.Actor = event.SelfActor
	talk := []event.Payload{event.UserMsg{Turn: 1, Text: "one"}, event.UserMsg{Turn: 2, Text: "two"}, revert, event.UserMsg{Turn: 3, Text: "three"}}
	if got, want := windowText(logOf(append(talk, undo, again)...)), windowText(logOf(talk...)); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := windowText(logOf(append(talk, undo, again, undo)...)), windowText(logOf(append(talk, undo)...)); !reflect.DeepEqual(got, want) {
		t.Errorf("undone again: got %q, want %q", got, want)
	}
}

func TestAWorktreeThatWasMadeAgainHasNoRevertToComplete(t *testing.T) {
	s := worked(event.SessionRevert{What: "files", ToTurn: ptr(1), Commit: "r1"}, event.WorktreeRestore{})
	if s.Rewrite != "" || s.Tip() != "r1" {
		t.Errorf("got rewrite %q and tip %q, want none and r1", s.Rewrite, s.Tip())
	}
}

func TestEndOfATurn(t *testing.T) {
	yes := true
	sync := event.WorktreeSync{From: "b0", Base: "b1", Commit: "s1", OK: &yes}
	unsync := event.WorktreeSync{From: "b0", Base: "b1", Commit: "s2", OK: &yes, Undo: true}
	talk := []event.Payload{event.UserMsg{Turn: 4}, event.TurnEnd{Turn: 4}}
	then := func(lists ...[]event.Payload) (all []event.Payload) {
		for _, l := range lists {
			all = append(all, l...)
		}
		return all
	}
	for name, c := range map[string]struct {
		more  []event.Payload
		turn  int
		want  string
		since []event.WorktreeSync
	}{
		"the start":                             {nil, 0, "b0", nil},
		"a turn that wrote":                     {nil, 2, "c2", nil},
		"one that only talked after a revert":   {then([]event.Payload{event.SessionRevert{What: "files", ToTurn: ptr(1), Commit: "r1"}}, talk), 4, "r1", nil},
		"before a sync":                         {[]event.Payload{sync}, 3, "c3", []event.WorktreeSync{sync}},
		"before a sync that was undone":         {[]event.Payload{sync, unsync}, 3, "c3", nil},
		"between a sync and its undoing":        {then([]event.Payload{sync}, talk, []event.Payload{unsync}), 4, "s1", []event.WorktreeSync{{From: "b1", Base: "b0"}}},
		"taken again with what a person edited": {[]event.Payload{event.WorktreeCheckpoint{Turn: 3, Commit: "p3"}}, 3, "p3", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := worked(c.more...)
			got, since := s.EndOf(c.turn)
			if got != c.want || len(since) != len(c.since) || len(since) > 0 && !reflect.DeepEqual(since, c.since) {
				t.Errorf("got %q with %+v, want %q with %+v", got, since, c.want, c.since)
			}
		})
	}
}

func TestNewsStaysUntoldUntilARequest(t *testing.T) {
	revert := event.SessionRevert{What: "files", ToTurn: ptr(1), Commit: "r1"}
	if s := worked(revert, event.UserMsg{Turn: 4}, event.TurnEnd{Turn: 4, Outcome: "cancelled"}); len(s.Untold) != 1 {
		t.Errorf("after a turn without a request: got %v, want the revert", s.Untold)
	}
	told := []event.Payload{revert, event.UserMsg{Turn: 4}, event.LLMReq{Purpose: "turn"}, event.TurnEnd{Turn: 4}}
	if s := worked(told...); len(s.Untold) != 0 {
		t.Errorf("after a request: got %v, want nothing", s.Untold)
	}
	if s := worked(append(told, event.SessionRevert{What: "chat", ToTurn: ptr(3)})...); len(s.Untold) != 2 {
		t.Errorf("after the turn that was told left the window: got %v, want both reverts", s.Untold)
	}
}
