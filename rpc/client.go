package rpc

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// client is what initialize said of the other side.
type client struct {
	// info names the program; nil when it did not say.
	info *event.Client
	// ours is what it can show of our own protocol.
	ours protocol.ClientCapabilities
	// encoding is the position encoding agreed on.
	encoding lsp.PositionEncodingKind
	// progress, documents and edits say that it takes work-done progress, window/showDocument and workspace/applyEdit with versions.
	progress, documents, edits bool
}

// callTimeout bounds every request to the client but a prompt.
const callTimeout = 30 * time.Second

func clientOf(p lsp.InitializeParams) (client, error) {
	c := client{encoding: lsp.PositionEncodingKindUTF16}
	if p.ClientInfo.Name != "" {
		version, _ := p.ClientInfo.Version.Get()
		c.info = &event.Client{Name: p.ClientInfo.Name, Version: version}
	}
	caps := p.Capabilities
	if g := caps.General; g != nil && slices.Contains(g.PositionEncodings, lsp.PositionEncodingKindUTF8) {
		c.encoding = lsp.PositionEncodingKindUTF8
	}
	if w := caps.Window; w != nil {
		c.progress = w.WorkDoneProgress != nil && *w.WorkDoneProgress
		c.documents = w.ShowDocument != nil && w.ShowDocument.Support
	}
	if w := caps.Workspace; w != nil && w.WorkspaceEdit != nil {
		versioned := w.WorkspaceEdit.DocumentChanges
		c.edits = w.ApplyEdit != nil && *w.ApplyEdit && versioned != nil && *versioned
	}
	return c, c.experimental(jsontext.Value(caps.Experimental))
}

// experimental reads what the client says under capabilities.experimental.nodwyn. Members of later protocols are left alone: a newer client still works here.
func (c *client) experimental(raw jsontext.Value) error {
	if len(raw) == 0 || raw.Kind() != '{' {
		return nil
	}
	var e struct {
		Nodwyn protocol.ClientCapabilities `json:"nodwyn"`
	}
	if err := json.Unmarshal(raw, &e); err != nil {
		err = fieldError(err)
		if wrong, ok := errors.AsType[*protocol.FieldError](err); ok {
			wrong.Field = "capabilities.experimental." + wrong.Field
		}
		return err
	}
	c.ours = e.Nodwyn
	return nil
}

// call sends a request that a client answers by itself, within 30 seconds.
func (s *Server) call(ctx context.Context, method string, params, result any) error {
	ctx, stop := context.WithTimeout(ctx, callTimeout)
	defer stop()
	if err := lsp.Call(ctx, s.conn, method, params, result); err != nil {
		return fmt.Errorf("call %s of the client: %w", method, err)
	}
	return nil
}

// notify sends a notification. An error means that the connection ends.
func (s *Server) notify(ctx context.Context, method string, params any) error {
	if err := s.conn.Notify(ctx, method, params); err != nil {
		return fmt.Errorf("notify the client of %s: %w", method, err)
	}
	return nil
}
