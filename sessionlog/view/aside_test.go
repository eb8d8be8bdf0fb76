package view

import (
	"reflect"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestAsideBetween puts a request beside the conversation between the events of a turn: its cost is the session's, and the turn reads as if it were not there.
func TestAsideBetween(t *testing.T) {
	ten, three := int64(10), int64(3)
	turn := []event.Payload{
		event.UserMsg{Turn: 1, Text: "go"},
		event.LLMReq{Purpose: "turn", Turn: 1, Step: 1},
		event.LLMResp{Req: 2, Text: "done", Stop: "end", Usage: event.Usage{OutputTokens: &ten}},
		event.UserMsg{Turn: 2, Text: "on"},
		event.LLMReq{Purpose: "turn", Turn: 2, Step: 1},
	}
	between := append(append(append([]event.Payload{}, turn...), event.LLMReq{Purpose: "title", Aside: &event.Aside{Text: "go"}}),
		event.LLMResp{Req: 6, Text: "A title", Stop: "end", Usage: event.Usage{OutputTokens: &three}})
	var without, with TurnTotals
	var state State
	var window Messages
	for _, e := range logOf(turn...) {
		without.Apply(e)
	}
	for _, e := range logOf(between...) {
		with.Apply(e)
		state.Apply(e)
		window.Apply(e)
	}
	for name, c := range map[string]struct{ got, want any }{
		"the turn's figures":        {with.Turn(2), without.Turn(2)},
		"the session's calls":       {with.Session.Calls, without.Session.Calls + 1},
		"the session's tokens":      {*with.Session.OutputTokens, ten + three},
		"what it waits for":         {state.Waits(), []string{"model"}},
		"the step":                  {state.Step, 1},
		"the window's last message": {window.Window()[2].Text, "on"},
	} {
		if !reflect.DeepEqual(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}
}

func TestTitleOfTheModel(t *testing.T) {
	for name, c := range map[string]struct {
		titles []event.Payload
		want   string
	}{
		"where there is none":      {[]event.Payload{event.SessionTitle{Actor: "model", Title: "a"}}, "a"},
		"behind a person's":        {[]event.Payload{event.SessionTitle{Actor: "ann", Title: "b"}, event.SessionTitle{Actor: "model", Title: "a"}}, "b"},
		"before a person's":        {[]event.Payload{event.SessionTitle{Actor: "model", Title: "a"}, event.SessionTitle{Actor: "ann", Title: "b"}}, "b"},
		"taken back by a person":   {[]event.Payload{event.SessionTitle{Actor: "model", Title: "a"}, event.SessionTitle{Actor: "ann"}}, ""},
		"behind one taken back":    {[]event.Payload{event.SessionTitle{Actor: "ann", Title: "b"}, event.SessionTitle{Actor: "ann"}, event.SessionTitle{Actor: "model", Title: "a"}}, ""},
		"that an earlier life had": {[]event.Payload{event.SessionTitle{Actor: "model", Title: "a"}, event.SessionTitle{Actor: "model", Title: "c"}}, "a"},
	} {
		var s State
		for _, e := range logOf(c.titles...) {
			s.Apply(e)
		}
		if s.Title != c.want {
			t.Errorf("%s: got %q, want %q", name, s.Title, c.want)
		}
	}
}
