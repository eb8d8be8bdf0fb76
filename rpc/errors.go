package rpc

import (
	"context"
	"errors"
	"strings"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// What this package itself refuses. Whoever returns one says around it what was refused.
var (
	errSyntax           = errors.New("not valid JSON")
	errHeader           = errors.New(`each message starts with "Content-Length: N" and an empty line`)
	errEnvelope         = errors.New("not a message of JSON-RPC")
	errTooLarge         = errors.New("the message is too large")
	errIDInUse          = errors.New("give each request an id of its own")
	errTooMany          = errors.New("too many requests wait for their answers: wait for one of them")
	errUnknownMethod    = errors.New("there is no such method here")
	errNotInitialized   = errors.New("send initialize first")
	errInitialized      = errors.New("the server is initialized already")
	errShutDown         = errors.New("the server is shut down; send exit")
	errRequestCancelled = errors.New("the client cancelled the request")
)

// wireError chooses the code of an error and the word that programs read. It is the only place where that happens. redact takes secrets out of the message, which holds what others wrote.
func wireError(err error, redact func(string) string) *jsonrpc2.Error {
	code, data := classify(err)
	data.Field = shorten(redact(shorten(data.Field, 2*maxMessage)), maxMessage)
	raw, encoding := json.Marshal(data)
	if encoding != nil {
		raw = nil
	}
	return &jsonrpc2.Error{Code: code, Message: shorten(redact(shorten(err.Error(), 2*maxMessage)), maxMessage), Data: jsonrpc2.RawMessage(raw)}
}

// maxMessage bounds the message of an error, which may quote what a client sent.
const maxMessage = 16 << 10

// shorten leaves the middle out of a text that is too long: its start says what was being done, and its end why it failed.
func shorten(text string, limit int) string {
	if len(text) <= limit {
		return text
	}
	half := limit / 2
	return strings.ToValidUTF8(text[:half], "") + " … " + strings.ToValidUTF8(text[len(text)-half:], "")
}

// refusal is an error as the client sees it; nil stays nil.
func (s *Server) refusal(err error) error {
	if err == nil {
		return nil
	}
	return wireError(err, s.agent.Redact)
}

func classify(err error) (jsonrpc2.Code, protocol.ErrorDetail) {
	for _, s := range sentinels() {
		if errors.Is(err, s.err) {
			return s.code, protocol.ErrorDetail{Reason: s.reason}
		}
	}
	if e, ok := errors.AsType[*protocol.FieldError](err); ok {
		return jsonrpc2.InvalidParams, protocol.ErrorDetail{Reason: protocol.ReasonInvalidParams, Field: e.Field}
	}
	if e, ok := errors.AsType[*agent.InvalidError](err); ok {
		return jsonrpc2.InvalidParams, protocol.ErrorDetail{Reason: protocol.ReasonInvalidParams, Field: e.Field}
	}
	if _, ok := errors.AsType[*paramsError](err); ok {
		return jsonrpc2.InvalidParams, protocol.ErrorDetail{Reason: protocol.ReasonInvalidParams}
	}
	return classifyAgent(err)
}

// classifyAgent knows what the agent refuses and why.
func classifyAgent(err error) (jsonrpc2.Code, protocol.ErrorDetail) {
	if e, ok := errors.AsType[*agent.ConfigError](err); ok {
		return jsonrpc2.Code(protocol.BadConfiguration), protocol.ErrorDetail{Reason: protocol.ReasonConfiguration, File: e.File, Line: e.Line, Key: e.Key}
	}
	if e, ok := errors.AsType[*agent.ConflictError](err); ok {
		return jsonrpc2.Code(protocol.Conflict), protocol.ErrorDetail{Reason: protocol.ReasonConflict, Conflicts: conflictsOf(e.Conflicts)}
	}
	if e, ok := errors.AsType[*agent.UnresolvedError](err); ok {
		data := protocol.ErrorDetail{Reason: protocol.ReasonConflict}
		for _, path := range e.Paths {
			data.Conflicts = append(data.Conflicts, protocol.FileConflict{Path: path, Kind: "unresolved"})
		}
		return jsonrpc2.Code(protocol.Conflict), data
	}
	if _, ok := errors.AsType[*agent.ChecksError](err); ok {
		return jsonrpc2.Code(protocol.Refused), protocol.ErrorDetail{Reason: protocol.ReasonChecksFailed}
	}
	if e, ok := errors.AsType[*agent.RefusedError](err); ok {
		return jsonrpc2.Code(protocol.BadRepository), protocol.ErrorDetail{Reason: protocol.Reason(e.Reason)}
	}
	if e, ok := errors.AsType[*agent.DeniedError](err); ok {
		return jsonrpc2.Code(protocol.Refused), protocol.ErrorDetail{Reason: protocol.ReasonDenied, Rule: e.Rule}
	}
	return jsonrpc2.InternalError, protocol.ErrorDetail{Reason: protocol.ReasonInternal}
}

// sentinel ties an error without data to its code and word.
type sentinel struct {
	err    error
	code   jsonrpc2.Code
	reason protocol.Reason
}

func sentinels() []sentinel {
	return []sentinel{
		{errSyntax, jsonrpc2.ParseError, protocol.ReasonParseError},
		{errHeader, jsonrpc2.ParseError, protocol.ReasonParseError},
		{errEnvelope, jsonrpc2.InvalidRequest, protocol.ReasonInvalidRequest},
		{errTooLarge, jsonrpc2.InvalidRequest, protocol.ReasonTooLarge},
		{errIDInUse, jsonrpc2.InvalidRequest, protocol.ReasonIDInUse},
		{errTooMany, jsonrpc2.Code(lsp.LSPErrorCodesRequestFailed), protocol.ReasonTooMany},
		{errUnknownMethod, jsonrpc2.MethodNotFound, protocol.ReasonUnknownMethod},
		{errNotInitialized, jsonrpc2.ServerNotInitialized, protocol.ReasonNotInitialized},
		{errInitialized, jsonrpc2.InvalidRequest, protocol.ReasonInitializedTwice},
		{errShutDown, jsonrpc2.InvalidRequest, protocol.ReasonShutDown},
		{errRequestCancelled, jsonrpc2.Code(lsp.LSPErrorCodesRequestCancelled), protocol.ReasonCancelled},
		{errExit, jsonrpc2.Code(lsp.LSPErrorCodesServerCancelled), protocol.ReasonExit},
		{errParentGone, jsonrpc2.Code(lsp.LSPErrorCodesServerCancelled), protocol.ReasonExit},
		{agent.ErrUnknownSession, jsonrpc2.Code(protocol.UnknownSession), protocol.ReasonUnknownSession},
		{agent.ErrNotOpen, jsonrpc2.Code(protocol.NotOpen), protocol.ReasonNotOpen},
		{agent.ErrClosed, jsonrpc2.Code(protocol.NotOpen), protocol.ReasonClosed},
		{agent.ErrOpen, jsonrpc2.Code(protocol.AlreadyOpen), protocol.ReasonAlreadyOpen},
		{agent.ErrBusy, jsonrpc2.Code(protocol.Busy), protocol.ReasonBusy},
		{agent.ErrOpening, jsonrpc2.Code(protocol.Busy), protocol.ReasonBusy},
		{agent.ErrNothing, jsonrpc2.Code(protocol.NothingToContinue), protocol.ReasonNothing},
		{agent.ErrCancelled, jsonrpc2.Code(lsp.LSPErrorCodesRequestFailed), protocol.ReasonCancelled},
		{agent.ErrNoCredential, jsonrpc2.InvalidParams, protocol.ReasonUnknownCredential},
		{agent.ErrNoWorktree, jsonrpc2.Code(protocol.BadRepository), protocol.ReasonNoWorktree},
		{context.Canceled, jsonrpc2.Code(lsp.LSPErrorCodesRequestCancelled), protocol.ReasonCancelled},
		{context.DeadlineExceeded, jsonrpc2.Code(lsp.LSPErrorCodesRequestFailed), protocol.ReasonTimeout},
	}
}
