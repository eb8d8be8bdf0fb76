package rpc

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// TestCardsHaveTheirWireForm holds the bodies of view and of rpc/protocol together: what one writes the other reads whole, and writes the same.
func TestCardsHaveTheirWireForm(t *testing.T) {
	text, seconds := "yes", 30
	for _, c := range []struct {
		body view.Body
		kind protocol.CardKind
		into any
	}{
		{view.Ask{Text: "t"}, protocol.CardAsk, &protocol.AskBody{}},
		{view.Question{Text: "t", Choices: []string{"a"}, Answer: &text}, protocol.CardQuestion, &protocol.QuestionBody{}},
		{view.Question{Text: "t"}, protocol.CardQuestion, &protocol.QuestionBody{}},
		{view.Permission{Action: "a", Path: "/p", Diff: "d", Argv: []string{"x"}, TimeoutSec: &seconds, Decision: "Allowed"}, protocol.CardPermission, &protocol.PermissionBody{}},
		{view.Permission{Action: "a"}, protocol.CardPermission, &protocol.PermissionBody{}},
		{view.Result{Text: "t", Outcome: "failed"}, protocol.CardResult, &protocol.ResultBody{}},
		{view.ProofBody{
			Wrote: []string{"a"}, DiffStat: []view.DiffStat{{Path: "a", Status: "M", Insertions: 1, Deletions: 2}},
			Items: []view.ProofItem{{Name: "n", Kind: "command", Outcome: "passed"}}, Failed: []string{"x"},
		}, protocol.CardProof, &protocol.ProofBody{}},
	} {
		card := cardOf(view.Card{ID: "c1", Kind: string(c.kind), At: time.Unix(0, 1).UTC(), Body: c.body})
		body, err := json.Marshal(card.Body)
		if err != nil {
			t.Fatal(err)
		}
		check(t, "card", card.ID+" "+string(card.Kind)+" "+card.At, "c1 "+string(c.kind)+" 1970-01-01T00:00:00.000000001Z")
		if err := json.Unmarshal(body, c.into, json.RejectUnknownMembers(true)); err != nil {
			t.Errorf("%s: %v", c.kind, err)
			continue
		}
		again, err := json.Marshal(c.into)
		check(t, string(c.kind), string(again), string(body))
		check(t, "error", err, nil)
	}
}
