package rpc

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	lsp "go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// showResult shows what a turn came to, to a client that draws no cards. It does not hold up the answer.
func (s *Server) showResult(session *agent.Session, r agent.TurnResult) {
	if s.client.ours.Cards {
		return
	}
	s.work.Go(func() {
		err := s.showDocument(session)
		if err == nil || s.base.Err() != nil {
			return
		}
		s.cfg.Log.Debug("show result as a message", "session", session.ID(), "why", err)
		if err := s.notify(s.base, lsp.MethodWindowShowMessage, resultMessage(r)); err != nil {
			s.cfg.Log.Warn("show result", "session", session.ID(), "err", err)
		}
	})
}

// resultMessage sums a turn up in one message.
func resultMessage(r agent.TurnResult) *lsp.ShowMessageParams {
	text := fmt.Sprintf("nodwyn, turn %d %s", r.Turn, r.Outcome)
	switch protocol.EndReason(r.Reason) {
	case protocol.EndDropped:
		text = "nodwyn, a request that waited was dropped"
	case protocol.EndDenyStop:
		text += " by a denial"
	}
	if said := strings.TrimSpace(r.Text); said != "" {
		text += ": " + visible(said)
	}
	kind := lsp.MessageTypeInfo
	if protocol.Outcome(r.Outcome) == protocol.Failed {
		kind = lsp.MessageTypeError
	}
	return &lsp.ShowMessageParams{Type: kind, Message: text}
}

// showDocument opens the session's cards as a Markdown document in the editor.
func (s *Server) showDocument(session *agent.Session) error {
	if !s.client.documents || s.cfg.Document == nil {
		return fmt.Errorf("show session %s: documents cannot be shown", session.ID())
	}
	cards, _ := session.Cards()
	path, err := s.cfg.Document(session.ID(), markdown(cards))
	if err != nil {
		return fmt.Errorf("keep the view of session %s: %w", session.ID(), err)
	}
	var shown lsp.ShowDocumentResult
	if err := s.call(s.base, lsp.MethodWindowShowDocument, &lsp.ShowDocumentParams{URI: fileURI(path)}, &shown); err != nil {
		return err
	}
	if !shown.Success {
		return fmt.Errorf("show %s: the client could not", path)
	}
	return nil
}

// markdown writes cards as a document. Everything that is not prose stands in a fence.
func markdown(cards []view.Card) string {
	var b strings.Builder
	for _, c := range cards {
		fmt.Fprintf(&b, "## %s\n\n", c.Kind)
		text := strings.Join(c.Lines(), "\n")
		switch c.Kind {
		case "permission", "proof":
			fence := fenceFor(text)
			fmt.Fprintf(&b, "%s\n%s\n%s\n\n", fence, text, fence)
		default:
			fmt.Fprintf(&b, "%s\n\n", text)
		}
	}
	return b.String()
}

// fenceFor returns a fence that text does not hold.
func fenceFor(text string) string {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	return fence
}

func fileURI(path string) uri.URI {
	slashed := filepath.ToSlash(path)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // a drive of Windows
	}
	u := url.URL{Scheme: "file", Path: slashed}
	return uri.URI(u.String())
}
