package rpc

import (
	"crypto/sha256"
	"path/filepath"
	"sync"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// buffers knows which files the editor has open, for landings that change them on disk. It keeps no text: a buffer that was edited is the person's and is never written to.
type buffers struct {
	mu   sync.Mutex // guards open
	open map[string]buffer
}

// buffer is an open file.
type buffer struct {
	version int32
	// edited says that it holds something that was not saved.
	edited bool
	// sum is the digest of its text when it was opened; zero once it is not known.
	sum [sha256.Size]byte
}

// endOfFile is past the last line of any file; clients take it for the end.
const endOfFile = 1 << 30

// notified follows one of the didOpen, didChange, didSave and didClose notifications. What cannot be read is left alone.
func (b *buffers) notified(method string, raw jsontext.Value) {
	var p struct {
		TextDocument struct {
			URI     string `json:"uri"`
			Version int32  `json:"version"`
			Text    string `json:"text"`
		} `json:"textDocument"`
	}
	if json.Unmarshal(raw, &p, jsontext.AllowInvalidUTF8(true)) != nil {
		return
	}
	doc := p.TextDocument
	path, err := localPath("uri", doc.URI)
	if err != nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.open == nil {
		b.open = make(map[string]buffer)
	}
	was, known := b.open[path]
	switch {
	case method == lsp.MethodTextDocumentDidOpen:
		b.open[path] = buffer{version: doc.Version, sum: sha256.Sum256([]byte(doc.Text))}
	case method == lsp.MethodTextDocumentDidClose:
		delete(b.open, path)
	case method == lsp.MethodTextDocumentDidChange && known:
		b.open[path] = buffer{version: doc.Version, edited: true}
	case method == lsp.MethodTextDocumentDidSave && known:
		b.open[path] = buffer{version: was.version}
	}
}

// stale returns the buffer of a file if the person has not edited it and it is not known to hold content already.
func (b *buffers) stale(path string, content []byte) (buffer, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	buf, ok := b.open[path]
	return buf, ok && !buf.edited && buf.sum != sha256.Sum256(content)
}

func (b *buffers) has(path string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	_, ok := b.open[path]
	return ok
}

// refresh brings what landed into the editor's open buffers, for a client that has nothing of ours to do it.
func (s *Server) refresh(session *agent.Session, files []protocol.FileDiff) {
	st := session.State()
	if s.client.ours.Cards || !s.client.edits || s.cfg.ReadFile == nil || st.Config.Worktree == nil {
		return
	}
	var changes []lsp.DocumentChange
	for _, f := range files {
		if c := s.changeOf(filepath.Join(st.Config.Worktree.Repository, filepath.FromSlash(f.Path))); c != nil {
			changes = append(changes, c)
		}
	}
	if len(changes) == 0 {
		return
	}
	s.work.Go(func() {
		label := "nodwyn landing"
		params := lsp.ApplyWorkspaceEditParams{Label: &label, Edit: lsp.WorkspaceEdit{DocumentChanges: changes}}
		var r lsp.ApplyWorkspaceEditResult
		if err := s.call(s.base, lsp.MethodWorkspaceApplyEdit, &params, &r); err != nil && s.base.Err() == nil {
			s.cfg.Log.Warn("refresh buffers", "session", session.ID(), "err", err)
		}
	})
}

// changeOf replaces the text of an open buffer by what is on disk; nil when there is nothing to do. The version makes the editor refuse it when the person was faster.
func (s *Server) changeOf(path string) lsp.DocumentChange {
	if !s.buffers.has(path) {
		return nil
	}
	content, err := s.cfg.ReadFile(path)
	if err != nil || !utf8.Valid(content) {
		return nil
	}
	buf, ok := s.buffers.stale(path, content)
	if !ok {
		return nil
	}
	return &lsp.TextDocumentEdit{
		TextDocument: lsp.OptionalVersionedTextDocumentIdentifier{
			TextDocumentIdentifier: lsp.TextDocumentIdentifier{URI: fileURI(path)}, Version: &buf.version,
		},
		Edits: []lsp.TextDocumentEditElement{&lsp.TextEdit{Range: lsp.Range{End: lsp.Position{Line: endOfFile}}, NewText: string(content)}},
	}
}
