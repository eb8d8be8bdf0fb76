package view

import (
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// told is what a turn's first request told the model of what had happened before.
type told struct {
	turn  int
	news  []event.Payload
	edits [][2]string
}

// tell notes that a request went out with everything that was untold.
func (s *State) tell() {
	if len(s.Untold)+len(s.Edits) > 0 {
		s.told = append(s.told, told{s.Turn, s.Untold, s.Edits})
		s.Untold, s.Edits = nil, nil
	}
}

// untell makes untold again what the turns after one were told: they left the window, and what happened to the files still holds.
func (s *State) untell(after int) {
	n := slices.IndexFunc(s.told, func(t told) bool { return t.turn > after })
	if n < 0 {
		return
	}
	var news []event.Payload
	var edits [][2]string
	for _, t := range s.told[n:] {
		news, edits = append(news, t.news...), append(edits, t.edits...)
	}
	s.told = s.told[:n:n]
	s.Untold, s.Edits = append(news, s.Untold...), append(edits, s.Edits...)
}
