package rpc

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// phase is where the connection stands in the life-cycle of the Language Server Protocol.
type phase struct{ at atomic.Int32 }

// The values of a phase.
const (
	fresh   int32 = iota // before initialize
	running              // between initialize and shutdown
	stopped              // after shutdown
)

func (p *phase) load() int32 { return p.at.Load() }

// admit refuses what has no place in the phase.
func (p *phase) admit(method string) error {
	at := p.load()
	switch {
	case at == fresh && method != lsp.MethodInitialize:
		return fmt.Errorf("handle %q: %w", method, errNotInitialized)
	case at == stopped:
		return fmt.Errorf("handle %q: %w", method, errShutDown)
	case at == running && method == lsp.MethodInitialize:
		return fmt.Errorf("handle %q: %w", method, errInitialized)
	}
	return nil
}

// lifecycle answers initialize and shutdown on the read path, since the client must wait for them whatever it sent behind. ok is false for every other method.
func (s *Server) lifecycle(method string, raw jsontext.Value) (result any, ok bool, err error) {
	if method != lsp.MethodInitialize && method != lsp.MethodShutdown {
		return nil, false, nil
	}
	if err := s.phase.admit(method); err != nil {
		return nil, true, err
	}
	if method == lsp.MethodShutdown {
		return nil, true, s.shutdown()
	}
	result, err = s.initialize(raw)
	return result, true, err
}

func (s *Server) initialize(raw jsontext.Value) (any, error) {
	var p lsp.InitializeParams
	if err := lsp.Unmarshal(raw, &p); err != nil {
		return nil, &paramsError{method: lsp.MethodInitialize, err: err}
	}
	client, err := clientOf(p)
	if err != nil {
		return nil, &paramsError{method: lsp.MethodInitialize, err: err}
	}
	result, err := s.capabilities(client)
	if err != nil {
		return nil, err
	}
	s.client = client
	s.phase.at.Store(running)
	if s.cfg.Watch != nil && p.ProcessID != nil && *p.ProcessID > 0 {
		s.watch(int(*p.ProcessID))
	}
	return result, nil
}

// watch ends the connection with the client's process: a client that dies may leave its end of the pipes to a child.
func (s *Server) watch(pid int) {
	s.work.Go(func() {
		s.cfg.Watch(s.base, pid)
		s.end(errParentGone)
	})
}

// capabilities says what this server can do. Symbols and code actions are not announced while nothing provides them.
func (s *Server) capabilities(c client) (lsp.InitializeResult, error) {
	experimental, err := json.Marshal(map[string]protocol.ServerCapabilities{
		"nodwyn": {Protocol: protocol.Version, Version: s.cfg.Version},
	})
	if err != nil {
		return lsp.InitializeResult{}, fmt.Errorf("encode capabilities: %w", err)
	}
	open, kind, supported := true, lsp.TextDocumentSyncKindIncremental, true
	return lsp.InitializeResult{
		ServerInfo: lsp.ServerInfo{Name: "nodwyn", Version: lsp.NewOptional(s.cfg.Version)},
		Capabilities: lsp.ServerCapabilities{
			PositionEncoding:       c.encoding,
			TextDocumentSync:       &lsp.TextDocumentSyncOptions{OpenClose: &open, Change: &kind, Save: lsp.Boolean(true)},
			ExecuteCommandProvider: lsp.ExecuteCommandOptions{Commands: commands()},
			Workspace: &lsp.WorkspaceOptions{WorkspaceFolders: &lsp.WorkspaceFoldersServerCapabilities{
				Supported: &supported, ChangeNotifications: lsp.Boolean(true),
			}},
			Experimental: experimental,
		},
	}, nil
}

// shutdown ends the sessions, and is answered when that was told and every request before it has its answer. Nothing but exit may follow, so that the read path can wait for it.
func (s *Server) shutdown() error {
	s.phase.at.Store(stopped)
	ctx, stop := context.WithTimeout(s.base, closing)
	defer stop()
	closed := make(chan error, 1)
	s.work.Go(func() { closed <- s.agent.Close("shutdown") })
	select {
	case err := <-closed:
		s.follows.settled(ctx)
		s.requests.flying.none(ctx)
		return err
	case <-ctx.Done():
		return fmt.Errorf("shut down: the sessions need longer than %v to end; exit waits for them: %w", closing, context.Cause(ctx))
	}
}
