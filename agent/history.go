package agent

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// A question does not wait for all that ever happened: the latest sessions of a repository tell enough.
const (
	historySessions = 20
	historyTime     = 300 * time.Millisecond
)

// history counts the commands that a beginning would have covered in the latest sessions of a repository. What cannot be read counts for nothing.
func (a *Agent) history(repository string) func(prefix []string) guard.History {
	return func(prefix []string) guard.History {
		var h guard.History
		entries, err := sessionlog.List(a.SessionsDir())
		if err != nil {
			return h
		}
		until := time.Now().Add(historyTime)
		for _, e := range slices.Backward(entries) {
			if h.Sessions == historySessions || time.Now().After(until) {
				break
			}
			commandsOf(e.Path, repository, prefix, &h)
		}
		return h
	}
}

// commandsOf adds those of one session, if it is one of the repository.
func commandsOf(path, repository string, prefix []string, h *guard.History) {
	open := map[string]bool{} // calls that match
	for e, err := range sessionlog.Read(path) {
		if err != nil {
			return
		}
		switch p := e.Payload.(type) {
		case event.SessionStart:
			if p.Repo != repository && (p.Worktree == nil || p.Worktree.Repository != repository) {
				return
			}
			h.Sessions++
		case event.ToolCall:
			var args struct {
				Command string   `json:"command"`
				Argv    []string `json:"argv"`
			}
			if p.Name == "shell-exec" && json.Unmarshal(p.Args, &args) == nil && guard.Begins(prefix, guard.Command{Shell: args.Command, Argv: args.Argv}) {
				open[p.ID] = true
			}
		case event.ToolResult:
			if !open[p.ID] || p.Error == "denied" {
				continue
			}
			delete(open, p.ID)
			h.Matched++
			if !p.OK {
				h.Failed++
			}
		}
	}
}
