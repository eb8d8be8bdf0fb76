package rpc

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"
	"go.lsp.dev/jsonrpc2"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// errRequestCancelled is the cause of a request that the client cancelled.
var errRequestCancelled = errors.New("the client cancelled the request")

// codedError is an error of this package that knows its code and its word.
type codedError struct {
	code   jsonrpc2.Code
	reason string
	err    error
}

func (e *codedError) Error() string { return e.err.Error() }

func (e *codedError) Unwrap() error { return e.err }

// wireError chooses the code of an error and the word that programs read. It is the only place where that happens; nil stays nil.
func wireError(err error) error {
	if err == nil {
		return nil
	}
	code, data := classify(err)
	raw, encoding := json.Marshal(data)
	if encoding != nil {
		raw = nil
	}
	return &jsonrpc2.Error{Code: code, Message: err.Error(), Data: jsonrpc2.RawMessage(raw)}
}

func classify(err error) (jsonrpc2.Code, protocol.ErrorDetail) {
	for _, s := range sentinels() {
		if errors.Is(err, s.err) {
			return s.code, protocol.ErrorDetail{Reason: s.reason}
		}
	}
	if e, ok := errors.AsType[*codedError](err); ok {
		return e.code, protocol.ErrorDetail{Reason: e.reason}
	}
	if e, ok := errors.AsType[*jsonrpc2.Error](err); ok && e.Code == jsonrpc2.ParseError {
		return e.Code, protocol.ErrorDetail{Reason: "parse_error"}
	}
	if e, ok := errors.AsType[*protocol.FieldError](err); ok {
		return jsonrpc2.InvalidParams, protocol.ErrorDetail{Reason: "invalid_params", Field: e.Field}
	}
	if e, ok := errors.AsType[*agent.InvalidError](err); ok {
		return jsonrpc2.InvalidParams, protocol.ErrorDetail{Reason: "invalid_params", Field: e.Field}
	}
	if _, ok := errors.AsType[*paramsError](err); ok {
		return jsonrpc2.InvalidParams, protocol.ErrorDetail{Reason: "invalid_params"}
	}
	return classifyAgent(err)
}

// classifyAgent knows what the agent refuses and why.
func classifyAgent(err error) (jsonrpc2.Code, protocol.ErrorDetail) {
	if e, ok := errors.AsType[*agent.ConfigError](err); ok {
		return jsonrpc2.Code(protocol.BadConfiguration), protocol.ErrorDetail{Reason: "configuration", File: e.File, Line: e.Line, Key: e.Key}
	}
	if e, ok := errors.AsType[*agent.ConflictError](err); ok {
		data := protocol.ErrorDetail{Reason: "conflict"}
		for _, c := range e.Conflicts {
			data.Conflicts = append(data.Conflicts, protocol.FileConflict{Path: c.Path, Kind: c.Kind})
		}
		return jsonrpc2.Code(protocol.Conflict), data
	}
	if e, ok := errors.AsType[*agent.RefusedError](err); ok {
		return jsonrpc2.Code(protocol.BadRepository), protocol.ErrorDetail{Reason: string(e.Reason)}
	}
	if e, ok := errors.AsType[*agent.DeniedError](err); ok {
		return jsonrpc2.Code(protocol.Refused), protocol.ErrorDetail{Reason: e.Rule}
	}
	return jsonrpc2.InternalError, protocol.ErrorDetail{Reason: "internal"}
}

// sentinel ties an error without data to its code and word.
type sentinel struct {
	err    error
	code   jsonrpc2.Code
	reason string
}

func sentinels() []sentinel {
	return []sentinel{
		{agent.ErrUnknownSession, jsonrpc2.Code(protocol.UnknownSession), "unknown_session"},
		{agent.ErrNotOpen, jsonrpc2.Code(protocol.NotOpen), "not_open"},
		{agent.ErrClosed, jsonrpc2.Code(protocol.NotOpen), "closed"},
		{agent.ErrOpen, jsonrpc2.Code(protocol.AlreadyOpen), "already_open"},
		{agent.ErrBusy, jsonrpc2.Code(protocol.Busy), "busy"},
		{agent.ErrNoWorktree, jsonrpc2.Code(protocol.BadRepository), "no_worktree"},
		{errRequestCancelled, jsonrpc2.Code(lsp.LSPErrorCodesRequestCancelled), "cancelled"},
		{errExit, jsonrpc2.Code(lsp.LSPErrorCodesServerCancelled), "exit"},
		{errParentGone, jsonrpc2.Code(lsp.LSPErrorCodesServerCancelled), "exit"},
		{context.Canceled, jsonrpc2.Code(lsp.LSPErrorCodesRequestCancelled), "cancelled"},
		{context.DeadlineExceeded, jsonrpc2.Code(lsp.LSPErrorCodesRequestFailed), "timeout"},
	}
}
