package agent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/worktree"
)

// portVariable tells a command the first of the ports of its worktree.
const portVariable = "NODWYN_PORT_BASE"

// ports gives worktrees their ports, for all processes of the person's.
func (a *Agent) ports() worktree.Ports {
	return worktree.Ports{Dir: filepath.Join(a.cfg.StateDir, "ports"), Live: func(session string) bool {
		live, err := sessionlog.Live(a.LogPath(session))
		return live || err != nil && !errors.Is(err, fs.ErrNotExist)
	}}
}

// environ returns what the session's commands start from: the program's environment and, in a worktree, its ports. Without ports to be had commands run all the same, and the record says why they have none.
func (s *Session) environ(ctx context.Context) ([]string, error) {
	a := s.agent
	if s.repo == nil || a.cfg.StateDir == "" {
		return a.cfg.Env, nil
	}
	first, err := a.ports().Claim(ctx, s.id, s.tree.Path)
	if err != nil {
		return a.cfg.Env, s.record(event.Note{Code: "no_ports", Text: fmt.Sprintf("commands get no %s: %v", portVariable, err)})
	}
	return append(slices.Clone(a.cfg.Env), fmt.Sprintf("%s=%d", portVariable, first)), nil
}

// releasePorts gives the ports of a worktree that was removed to the next one. What fails here costs nothing: whoever needs ports takes those of a worktree that is gone.
func (s *Session) releasePorts(ctx context.Context) {
	if s.agent.cfg.StateDir == "" {
		return
	}
	if err := s.agent.ports().Release(context.WithoutCancel(ctx), s.id); err != nil {
		s.agent.cfg.Log.Warn("give ports back", "session", s.id, "err", err)
	}
}

// portsText tells the model of the ports of the session's worktree; empty when it has none.
func (s *Session) portsText() string {
	if s.repo == nil || s.agent.cfg.StateDir == "" {
		return ""
	}
	first, err := s.agent.ports().Of(s.id)
	if err != nil || first == 0 {
		return ""
	}
	return fmt.Sprintf("ports %d to %d are this tree's own, for servers that you start; %s in your commands' environment is the first", first, first+worktree.PortsEach-1, portVariable)
}
