package main

import (
	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// standing folds events into what has become of a session's work.
type standing struct {
	state view.State
	// last is how the last turn ended, "" while it runs.
	last string
}

// Apply takes the next event of the log.
func (s *standing) Apply(e event.Event) {
	s.state.Apply(e)
	switch p := e.Payload.(type) {
	case event.UserMsg:
		s.last = ""
	case event.TurnEnd:
		s.last = p.Outcome
	}
}

// standingOf says in a few words how a session stands.
func standingOf(a *agent.Agent, sum agent.Summary) string {
	switch {
	case sum.Status == "damaged":
		return "damaged"
	case sum.OpenElsewhere:
		return "open"
	}
	var s standing
	if err := a.Fold(sum.Session, s.Apply); err != nil {
		return "damaged"
	}
	return s.words()
}

// nothingWritten is how a session stands whose turns changed no file.
const nothingWritten = "nothing written"

// words puts how the last turn ended, where that is news, before what became of the work.
func (s *standing) words() string {
	switch {
	case s.state.Turn == 0:
		return "no turn"
	case s.state.Unfinished() && s.work() == nothingWritten:
		return "unfinished" // what the cut turn wrote is in no snapshot yet, so this cannot be told from the log
	case s.state.Unfinished():
		return "unfinished, " + s.work()
	case s.last != "completed":
		return s.last + ", " + s.work()
	}
	return s.work()
}

// work says where the work is.
func (s *standing) work() string {
	w := s.state.Config.Worktree
	switch {
	case w == nil:
		return "in the folder"
	case s.state.Checkpoint != "" && s.state.WorktreeRemoved:
		return "removed"
	case s.state.Checkpoint != "":
		return "not landed"
	case s.state.Base != w.BaseCommit:
		return "landed"
	}
	return nothingWritten
}
