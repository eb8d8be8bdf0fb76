package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// wellFramed: the server's stdout is frames of JSON and nothing else.
func wellFramed(e *editor) error {
	for _, m := range e.messages() {
		if bytes.HasPrefix(m.raw, []byte("broken frame")) {
			return fmt.Errorf("wire: %s", m.raw)
		}
	}
	return nil
}

// inLogOrder: the events of each session arrive in the order of the log, none twice.
func inLogOrder(e *editor) error {
	last := map[string]int64{}
	for _, m := range e.messages() {
		a, ok := announced(m)
		if !ok {
			continue
		}
		if a.Event.Seq <= last[a.Session] {
			return fmt.Errorf("wire: event %d of %s came after event %d", a.Event.Seq, a.Session, last[a.Session])
		}
		last[a.Session] = a.Event.Seq
	}
	return nil
}

// askedAfterRecord: a person is asked only once the editor was told of the recorded prompt.
func askedAfterRecord(e *editor) error {
	if !slices.Contains(e.capabilities, "events") {
		return nil
	}
	opened := map[string]bool{}
	for _, m := range e.messages() {
		if a, ok := announced(m); ok && a.Event.Kind == "prompt.open" {
			var p struct {
				ID string `json:"prompt_id"`
			}
			if err := json.Unmarshal(a.Event.Payload, &p); err != nil {
				return fmt.Errorf("wire: prompt.open %s: %w", a.Event.Payload, err)
			}
			opened[a.Session+" "+p.ID] = true
		}
		if m.Method != "session/requestPermission" && m.Method != "session/ask" {
			continue
		}
		var p struct {
			Session  string `json:"session"`
			PromptID string `json:"promptId"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil || !opened[p.Session+" "+p.PromptID] {
			return fmt.Errorf("wire: %s came before the record of its prompt: %s", m.Method, m.Params)
		}
	}
	return nil
}

// answeredAfterNews: the answer that ends a turn comes after the events up to its revision.
func answeredAfterNews(e *editor) error {
	if !slices.Contains(e.capabilities, "events") {
		return nil
	}
	last := map[string]int64{}
	latest := ""
	for _, m := range e.messages() {
		if a, ok := announced(m); ok {
			last[a.Session] = a.Event.Seq
			if a.Event.Kind == "turn.end" {
				latest = a.Session
			}
		}
		var end turnEnd
		if m.Result == nil || json.Unmarshal(m.Result, &end) != nil || end.Outcome == "" {
			continue
		}
		// With several sessions any of them may have ended last; one alone is exact.
		if len(last) == 1 && last[latest] < end.Revision {
			return fmt.Errorf("wire: the answer of turn %d came after event %d, want %d or more", end.Turn, last[latest], end.Revision)
		}
	}
	return nil
}

// announcedAsRecorded: every event that an editor was told of stands in the file, as it was told.
func (s *scenario) announcedAsRecorded(id string, events []event.Event) error {
	for _, e := range s.editors {
		for _, m := range e.messages() {
			a, ok := announced(m)
			if !ok || a.Session != id {
				continue
			}
			if a.Event.Seq < 1 || a.Event.Seq > int64(len(events)) {
				return fmt.Errorf("event %d was announced and is not in the file", a.Event.Seq)
			}
			had := events[a.Event.Seq-1]
			if a.Event.Kind != string(had.Kind()) || !sameJSON(a.Event.Payload, had.Raw) {
				return fmt.Errorf("event %d was announced as %s %s and recorded as %s %s", a.Event.Seq, a.Event.Kind, a.Event.Payload, had.Kind(), had.Raw)
			}
		}
	}
	return nil
}

// cardsAsFolded: the cards that the editor which made the session received are those that the file folds to. An editor that was cut off may have missed the last ones.
func (s *scenario) cardsAsFolded(id string, _ []event.Event) error {
	if len(s.editors) != 1 || !s.editors[0].orderly || !slices.Contains(s.editors[0].capabilities, "cards") || !slices.Contains(s.ids, id) {
		return nil
	}
	folded, err := s.folded(id)
	if err != nil {
		return err
	}
	got, err := s.editors[0].cards(id)
	if err != nil {
		return err
	}
	if len(got) != len(folded) {
		return fmt.Errorf("cards: the editor received %d, the file folds to %d", len(got), len(folded))
	}
	for _, c := range folded {
		want, err := json.Marshal(c)
		if err != nil {
			return err
		}
		if !sameJSON(got[c.ID], want) {
			return fmt.Errorf("card %s: the editor holds %s, the file folds to %s", c.ID, got[c.ID], want)
		}
	}
	return nil
}

// cards returns the latest state of each card that was received, by id. A card never goes back in revision.
func (e *editor) cards(session string) (map[string]jsontext.Value, error) {
	cards, revisions := map[string]jsontext.Value{}, map[string]int64{}
	for _, m := range e.messages() {
		if m.Method != "session/card" {
			continue
		}
		var p struct {
			Session  string         `json:"session"`
			Card     jsontext.Value `json:"card"`
			Revision int64          `json:"revision"`
		}
		var c struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			return nil, fmt.Errorf("session/card %s: %w", m.Params, err)
		}
		if err := json.Unmarshal(p.Card, &c); err != nil || c.ID == "" || c.Kind == "" {
			return nil, fmt.Errorf("session/card %s: not a card", m.Params)
		}
		if p.Session != session {
			continue
		}
		if p.Revision < revisions[c.ID] {
			return nil, fmt.Errorf("card %s went back from revision %d to %d", c.ID, revisions[c.ID], p.Revision)
		}
		cards[c.ID], revisions[c.ID] = p.Card, p.Revision
	}
	return cards, nil
}

// sameJSON compares two values, whatever the order of their members.
func sameJSON(a, b jsontext.Value) bool {
	a, b = a.Clone(), b.Clone()
	if a.Canonicalize() != nil || b.Canonicalize() != nil {
		return false
	}
	return strings.Compare(string(a), string(b)) == 0
}
