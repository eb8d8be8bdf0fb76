package rpc

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
)

// progressPrefix marks the tokens of running turns; the session's id follows.
const progressPrefix = "nodwyn/"

// progress shows a running turn as work-done progress, to a client that draws no cards.
type progress struct {
	server  *Server
	session *agent.Session

	// mu keeps begin, report and end in order. One notification is sent under it, which waits for nobody but the outbox.
	mu    sync.Mutex
	wants bool // a turn runs
	begun bool // the client was told of it
}

// status follows what the session does.
func (p *progress) status(ctx context.Context, st *agent.Status) {
	if !p.server.client.progress {
		return
	}
	active := st.Status == "running" || st.Status == "waiting"
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case active && !p.wants:
		p.wants = true
		p.server.work.Go(func() { p.begin(ctx) })
	case active && p.begun:
		message := describe(st)
		p.send(ctx, lsp.WorkDoneProgressReport{Kind: "report", Message: &message})
	case !active:
		p.endLocked(ctx)
	}
}

// begin asks for the token first: a client may refuse it.
func (p *progress) begin(ctx context.Context) {
	err := p.server.call(ctx, lsp.MethodWindowWorkDoneProgressCreate, &lsp.WorkDoneProgressCreateParams{Token: p.token()}, nil)
	p.mu.Lock()
	defer p.mu.Unlock()
	if err != nil || !p.wants {
		return
	}
	p.begun = true
	cancellable := true
	p.send(ctx, lsp.WorkDoneProgressBegin{Kind: "begin", Title: "nodwyn", Cancellable: &cancellable})
}

func (p *progress) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.endLocked(p.server.base)
}

func (p *progress) endLocked(ctx context.Context) {
	if p.begun {
		p.send(ctx, lsp.WorkDoneProgressEnd{Kind: "end"})
	}
	p.wants, p.begun = false, false
}

func (p *progress) token() lsp.ProgressToken { return lsp.String(progressPrefix + p.session.ID()) }

func (p *progress) send(ctx context.Context, value any) {
	raw, err := lsp.Marshal(value)
	if err == nil {
		err = p.server.notify(ctx, lsp.MethodProgress, &lsp.ProgressParams{Token: p.token(), Value: raw})
	}
	if err != nil && ctx.Err() == nil {
		p.server.cfg.Log.Warn("show progress", "session", p.session.ID(), "err", err)
	}
}

func describe(st *agent.Status) string {
	if len(st.Waits) > 0 {
		return "waiting for " + strings.Join(st.Waits, " and ")
	}
	return fmt.Sprintf("step %d", st.Step)
}

// progressCancelled is window/workDoneProgress/cancel: whoever cancels the progress means the turn.
func (s *Server) progressCancelled(raw jsontext.Value) {
	var p struct {
		Token jsontext.Value `json:"token"`
	}
	var token string
	if json.Unmarshal(raw, &p) != nil || json.Unmarshal(p.Token, &token) != nil || !strings.HasPrefix(token, progressPrefix) {
		return
	}
	session, err := s.agent.Session(strings.TrimPrefix(token, progressPrefix))
	if err != nil {
		return
	}
	turn := s.turns[session.ID()]
	s.work.Go(func() {
		if _, _, err := session.Cancel(s.base, turn); err != nil {
			s.cfg.Log.Warn("cancel from progress", "session", session.ID(), "err", err)
		}
	})
}
