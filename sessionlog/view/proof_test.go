package view

import (
	"reflect"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// checked is a session whose checks ran in its turn with a retry, before a landing that they stopped, and again when a person asked.
func checked() []event.Event {
	item := func(name, outcome string) event.CloseoutItem {
		return event.CloseoutItem{Turn: 2, Name: name, Outcome: outcome}
	}
	return logOf(
		event.CloseoutItem{Turn: 1, Name: "old", Outcome: "passed"}, event.Proof{Turn: 1},
		event.UserMsg{Turn: 2, Text: "go"},
		item("test", "failed"), item("test", "passed"), event.Proof{Turn: 2, Wrote: []string{"x"}}, event.TurnEnd{Turn: 2, Outcome: "completed"},
		item("land", "failed"),
		item("test", "passed"), item("land", "passed"), item("slow", "failed"), event.Proof{Turn: 2, Wrote: []string{"x"}, Failed: []string{"slow"}},
	)
}

func TestProofCardChangesWithChecksThatRanAgain(t *testing.T) {
	var cards Cards
	for _, e := range checked() {
		cards.Apply(e)
	}
	var got []ProofBody
	for _, c := range cards.All() {
		if body, ok := c.Body.(ProofBody); ok {
			got = append(got, body)
		}
	}
	want := []ProofBody{
		{Wrote: []string{}, DiffStat: []DiffStat{}, Items: []ProofItem{{Name: "old", Outcome: "passed"}}, Failed: []string{}},
		{
			Wrote: []string{"x"}, DiffStat: []DiffStat{}, Failed: []string{"slow"},
			Items: []ProofItem{{Name: "land", Outcome: "passed"}, {Name: "test", Outcome: "passed"}, {Name: "slow", Outcome: "failed"}},
		},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}

func TestProofHasTheLastRunOfEachCheck(t *testing.T) {
	var proof Proof
	if last, items := proof.Last(); last != nil || items != nil {
		t.Errorf("got %+v with %+v before the first", last, items)
	}
	for _, e := range checked() {
		proof.Apply(e)
	}
	last, items := proof.Last()
	want := []event.CloseoutItem{
		{Turn: 2, Name: "test", Outcome: "passed"}, {Turn: 2, Name: "land", Outcome: "passed"}, {Turn: 2, Name: "slow", Outcome: "failed"},
	}
	if last.Turn != 2 || !reflect.DeepEqual(items, want) {
		t.Errorf("got turn %d with %+v, want turn 2 with %+v", last.Turn, items, want)
	}
}
