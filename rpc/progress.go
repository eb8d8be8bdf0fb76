package rpc

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// progressPrefix marks the tokens of running turns; the session's id follows.
const progressPrefix = "nodwyn/"

// progress shows a running turn as work-done progress, to a client that draws no cards. A goroutine of its own does that for each turn, so that the follower never waits for the client's answer, and no mutex is held meanwhile.
type progress struct {
	server  *Server
	session *agent.Session

	// The follower's goroutine owns the fields below; they are nil while no turn runs.
	news chan agent.Status  // holds the latest status that was not shown
	over context.CancelFunc // ends the turn's goroutine
	gone chan struct{}      // closed when it has ended
}

// status follows what the session does.
func (p *progress) status(ctx context.Context, st *agent.Status) {
	active := protocol.Status(st.Status) == protocol.Running || protocol.Status(st.Status) == protocol.Waiting
	switch {
	case !p.server.client.progress:
	case !active:
		p.end()
	case p.news == nil:
		p.start(ctx)
	default:
		select {
		case <-p.news: // nobody saw it, and it is old
		default:
		}
		p.news <- *st
	}
}

func (p *progress) start(ctx context.Context) {
	turn, over := context.WithCancel(ctx)
	news, gone := make(chan agent.Status, 1), make(chan struct{})
	p.news, p.over, p.gone = news, over, gone
	p.server.work.Go(func() {
		defer close(gone)
		p.show(ctx, turn, news)
	})
}

// end waits for the turn's goroutine, so that the end is shown before the turn is answered.
func (p *progress) end() {
	if p.news == nil {
		return
	}
	p.over()
	<-p.gone
	p.news, p.over, p.gone = nil, nil, nil
}

// show asks for the token first: a client may refuse it.
func (p *progress) show(ctx, turn context.Context, news <-chan agent.Status) {
	err := p.server.call(turn, lsp.MethodWindowWorkDoneProgressCreate, &lsp.WorkDoneProgressCreateParams{Token: p.token()}, nil)
	if err != nil || turn.Err() != nil {
		return
	}
	cancellable := true
	p.send(ctx, lsp.WorkDoneProgressBegin{Kind: "begin", Title: "nodwyn", Cancellable: &cancellable})
	for {
		select {
		case st := <-news:
			message := describe(st)
			p.send(ctx, lsp.WorkDoneProgressReport{Kind: "report", Message: &message})
		case <-turn.Done():
			p.send(ctx, lsp.WorkDoneProgressEnd{Kind: "end"})
			return
		}
	}
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

func describe(st agent.Status) string {
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
	turn := session.Running()
	if turn == 0 {
		return
	}
	end := session.Cancel(turn)
	if end == nil {
		return
	}
	s.work.Go(func() {
		if _, err := end(s.base); err != nil {
			s.cfg.Log.Warn("cancel from progress", "session", session.ID(), "err", err)
		}
	})
}
