package rpc

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	lsp "go.lsp.dev/protocol"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// commandPrefix turns the name of a method into that of its twin: session/new is nodwyn.session.new.
const commandPrefix = "nodwyn."

func commandOf(method string) string {
	return commandPrefix + strings.ReplaceAll(method, "/", ".")
}

// commands names the twins of all methods, in the order of the reference page.
func commands() []string {
	var names []string
	for _, m := range protocol.Methods() {
		if m.Direction == protocol.ClientRequest {
			names = append(names, commandOf(m.Name))
		}
	}
	return names
}

// executeCommand is how an editor without a plugin reaches our methods: the command's only argument is the method's params.
func (s *Server) executeCommand(raw jsontext.Value) (accepted, error) {
	var p struct { // not the type of the protocol module, whose errors name no field
		Command   string           `json:"command"`
		Arguments []jsontext.Value `json:"arguments"`
	}
	// A name that is given twice is left to the decoding of the params, which says of which method they are.
	if err := json.Unmarshal(raw, &p, jsontext.AllowDuplicateNames(true)); err != nil {
		return accepted{}, &paramsError{method: lsp.MethodWorkspaceExecuteCommand, err: fieldError(err)}
	}
	name := strings.ReplaceAll(strings.TrimPrefix(p.Command, commandPrefix), ".", "/")
	m, ok := s.methods[name]
	if !ok || p.Command != commandOf(name) {
		return accepted{}, &paramsError{method: lsp.MethodWorkspaceExecuteCommand, err: &protocol.FieldError{
			Field: "command", Reason: fmt.Sprintf("%q is not one of the commands that initialize named", p.Command),
		}}
	}
	switch len(p.Arguments) {
	case 0:
		return m(s, nil)
	case 1:
		return m(s, p.Arguments[0])
	}
	return accepted{}, &paramsError{method: lsp.MethodWorkspaceExecuteCommand, err: &protocol.FieldError{
		Field: "arguments", Reason: "takes one object, the params of " + name,
	}}
}
