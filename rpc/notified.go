package rpc

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"
)

// notified takes a notification. It runs on the read path and cannot fail: what is unknown or wrong is left alone, as the Language Server Protocol wants it.
func (s *Server) notified(req *jsonrpc2.Request) {
	method, raw := req.Method(), jsontext.Value(req.Params())
	if method == lsp.MethodExit {
		s.end(errExit)
		return
	}
	if s.phase.load() != running {
		return
	}
	switch method {
	case lsp.MethodCancelRequest:
		s.cancelled(raw)
	case lsp.MethodWindowWorkDoneProgressCancel:
		s.progressCancelled(raw)
	case lsp.MethodTextDocumentDidOpen, lsp.MethodTextDocumentDidChange, lsp.MethodTextDocumentDidSave, lsp.MethodTextDocumentDidClose:
		s.buffers.notified(method, raw)
	default:
		s.cfg.Log.Debug("notification left alone", "method", method)
	}
}

// cancelled is $/cancelRequest. Its id is read here, since that of the protocol module does not hold every number that JSON-RPC allows.
func (s *Server) cancelled(raw jsontext.Value) {
	var p struct {
		ID jsontext.Value `json:"id"`
	}
	if err := json.Unmarshal(raw, &p); err != nil {
		s.cfg.Log.Warn("malformed $/cancelRequest", "err", err)
		return
	}
	if id := idOf(p.ID); id.IsValid() {
		s.requests.stop(id)
	}
}
