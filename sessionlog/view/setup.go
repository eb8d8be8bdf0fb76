package view

import (
	"fmt"
	"maps"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

const setupPrefix = "setup-"

// SetupID names the nth set-up command that a turn runs, beside the ids of the model's calls.
func SetupID(turn, n int) string { return fmt.Sprintf("%s%d-%d", setupPrefix, turn, n) }

// SetupArgs are the arguments of a set-up command's call.
type SetupArgs struct {
	// Argv is the program and its arguments.
	Argv []string `json:"argv"`
	// Timeout ends it.
	Timeout string `json:"timeout"`
	// By is whose set-up it belongs to.
	By string `json:"by"`
	// Digest covers the whole set-up and the lock files that it found.
	Digest string `json:"digest"`
}

// SetupState is how far a set-up came in the worktree that there is now.
type SetupState struct {
	// Digest is that of the latest run, empty before the first.
	Digest string
	// Done counts the commands that ended well, in order.
	Done int
	// Failed says that the one behind them did not, and was not cut off either.
	Failed bool
}

// Setup folds events into what set a session's worktree up. The zero value knows of nothing.
type Setup struct {
	states map[string]SetupState
	open   map[string]string // who asked for the calls that run
	told   map[string]bool   // digests of what the model was told
}

// Apply takes the next event of the log.
func (s *Setup) Apply(e event.Event) {
	if s.states == nil {
		s.states, s.open, s.told = make(map[string]SetupState), make(map[string]string), make(map[string]bool)
	}
	switch p := e.Payload.(type) {
	case event.WorktreeCreate, event.WorktreeRestore:
		clear(s.states) // nothing is left in a tree that was made anew
	case event.SessionResume:
		s.retry()
	case event.SessionRevert:
		if p.What != "files" {
			clear(s.told) // it may be gone from the window
		}
	case event.ToolCall:
		s.call(p)
	case event.ToolResult:
		s.result(p)
	case event.Attach:
		if p.Origin == "instructions" && p.Path == "" {
			s.told[p.SHA256] = true
		}
	}
}

// Clone returns a copy that shares nothing with s which later events change.
func (s *Setup) Clone() Setup {
	return Setup{states: maps.Clone(s.states), open: maps.Clone(s.open), told: maps.Clone(s.told)}
}

// Of returns how far the set-up of somebody came.
func (s *Setup) Of(by string) SetupState { return s.states[by] }

// Told reports whether the model was told a text, by its digest.
func (s *Setup) Told(sha256 string) bool { return s.told[sha256] }

// retry forgets failures: a network that was away may be back in the session's next life.
func (s *Setup) retry() {
	for by, state := range s.states {
		state.Failed = false
		s.states[by] = state
	}
}

func (s *Setup) call(p event.ToolCall) {
	var args SetupArgs
	if !strings.HasPrefix(p.ID, setupPrefix) || p.Origin != "strategy" || json.Unmarshal(p.Args, &args) != nil {
		return
	}
	s.open[p.ID] = args.By
	if s.states[args.By].Digest != args.Digest {
		s.states[args.By] = SetupState{Digest: args.Digest}
	}
}

// result counts a command that came to its end by itself; one that was cut off has not run.
func (s *Setup) result(p event.ToolResult) {
	by, ok := s.open[p.ID]
	if !ok {
		return
	}
	delete(s.open, p.ID)
	state := s.states[by]
	switch {
	case p.OK:
		state.Done++
	case !p.Recovered && p.Error != "cancelled":
		state.Failed = true
	}
	s.states[by] = state
}
