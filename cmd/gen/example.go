package main

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/rpc/protocol"
)

// step is one message of the example. id is 0 for a notification.
type step struct {
	// fromClient says who sends it.
	fromClient bool
	// id pairs an answer with its request; the two sides count by themselves.
	id int
	// method is empty for an answer.
	method string
	// body is the params or the result.
	body any
}

type object = map[string]any

// example shows a whole life in the messages of one connection.
func (w *writer) example() error {
	w.line("## An example\n")
	const body = `{"jsonrpc":"2.0","id":9,"method":"shutdown"}`
	w.line("An editor starts a session, lets it write one file, lands that and leaves. `→` goes to the server. Each message is one frame: a header, an empty line and the body, as in `Content-Length: %d`, `\\r\\n\\r\\n` and `%s`, the length counted in bytes. Left out are what `initialize` answers as every language server does, most of the statuses, and the states of cards that a later one replaces.\n", len(body), body)
	w.line("```text")
	for _, s := range exampleSteps() {
		line, err := s.line()
		if err != nil {
			return err
		}
		w.line("%s", line)
	}
	w.line("```\n")
	return nil
}

func (s step) line() (string, error) {
	var m struct {
		JSONRPC string `json:"jsonrpc"`
		ID      int    `json:"id,omitzero"`
		Method  string `json:"method,omitzero"`
		Params  any    `json:"params,omitzero"`
		// Result is a value of JSON, so that null can be one.
		Result jsontext.Value `json:"result,omitzero"`
	}
	m.JSONRPC, m.ID, m.Method, m.Params = "2.0", s.id, s.method, s.body
	if s.method == "" {
		raw, err := json.Marshal(s.body, json.Deterministic(true))
		if err != nil {
			return "", fmt.Errorf("encode result %d of the example: %w", s.id, err)
		}
		m.Params, m.Result = nil, raw
	}
	line, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return "", fmt.Errorf("encode %s of the example: %w", s.method, err)
	}
	arrow := "← "
	if s.fromClient {
		arrow = "→ "
	}
	return arrow + strings.TrimSpace(string(line)), nil
}

// exampleSteps follow what a server sends for a script of two replies; only times and digests are made up.
func exampleSteps() []step {
	const session, repo = "20261201-090000000-abcdefghij", "/home/ada/hello"
	const path, file = "/home/ada/.local/state/nodwyn/worktrees/0ff1ce/" + session, "hello.txt"
	state := protocol.State{Session: session, Repo: path, Mode: protocol.Edit, Worktree: &protocol.Worktree{
		Repository: repo, Path: path, Branch: "nodwyn/" + session, Base: "main", BaseCommit: "5ca1ab1e", Ready: true,
	}}
	landed := []protocol.FileDiff{{Path: file, Status: "A", Insertions: 1}}
	card := func(id string, kind protocol.CardKind, revision int64, body any) step {
		return step{false, 0, protocol.MethodCard, protocol.CardParams{
			Session: session, Revision: revision, Card: protocol.Card{ID: id, Kind: kind, At: "2026-12-01T09:00:01Z", Body: body},
		}}
	}
	return []step{
		{true, 1, "initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{"experimental": object{
			"nodwyn": protocol.ClientCapabilities{Permission: true, Question: true, Cards: true},
		}}}},
		{false, 1, "", object{"capabilities": object{"experimental": object{"nodwyn": protocol.ServerCapabilities{Protocol: protocol.Version, Version: "0.1.0"}}}}},
		{true, 0, "initialized", object{}},
		{true, 2, protocol.MethodNew, protocol.NewParams{Repo: repo}},
		{false, 0, protocol.MethodStatus, protocol.StatusParams{Session: session, Status: protocol.Idle}},
		{false, 2, "", state},
		{true, 3, protocol.MethodPrompt, protocol.PromptParams{Session: session, Text: "Say hello in hello.txt"}},
		card("c1", protocol.CardAsk, 3, protocol.AskBody{Text: "Say hello in hello.txt"}),
		{false, 0, protocol.MethodStatus, protocol.StatusParams{Session: session, Status: protocol.Running, Waits: []protocol.Wait{protocol.WaitModel}, Turn: 1, Step: 1}},
		{false, 1, protocol.MethodRequestPermission, protocol.PermissionParams{
			Session: session, PromptID: "p1", Turn: 1, Action: "Create hello.txt", Op: "write", Path: path + "/" + file,
			Diff: "--- /dev/null\n+++ b/hello.txt\n@@ -0,0 +1,1 @@\n+hello\n", Range: &protocol.Range{}, Options: []protocol.Option{
				{ID: protocol.AllowOnce, Label: "Allow once", Scope: "once"},
				{ID: protocol.AllowSession, Label: "Allow for this session", Scope: "session"},
				{ID: protocol.AllowEdits, Label: "Allow all edits in this session", Scope: "edits"},
				{ID: protocol.AllowAlways, Label: "Always allow", Scope: "always"},
				{ID: protocol.Deny, Label: "Deny", Scope: "once"},
				{ID: protocol.DenyStop, Label: "Deny and stop", Scope: "once"},
			},
		}},
		{true, 1, "", protocol.PermissionResult{Option: protocol.AllowOnce}},
		card("c2", protocol.CardPermission, 10, protocol.PermissionBody{Action: "Create hello.txt", Path: path + "/" + file, Decision: "Allowed create of hello.txt"}),
		card("c3", protocol.CardResult, 15, protocol.ResultBody{Text: "Done."}),
		card("c4", protocol.CardProof, 16, protocol.ProofBody{
			Wrote: []string{file}, DiffStat: []protocol.ProofStat{{Path: file, Status: "A", Insertions: 1}}, Items: []protocol.ProofItem{}, Failed: []string{},
		}),
		{false, 3, "", protocol.TurnResult{Turn: 1, Outcome: protocol.Completed, Text: "Done.", Usage: protocol.Usage{Calls: 2, Actions: 1, ModelMS: 2100, ToolMS: 30}, Revision: 18}},
		{true, 4, protocol.MethodLand, protocol.LandParams{Session: session}},
		{false, 4, "", protocol.LandResult{Commit: "0ddba11", Into: "main", Files: landed, Message: "Say hello in hello.txt"}},
		{true, 5, protocol.MethodClose, protocol.CloseParams{Session: session}},
		{false, 0, protocol.MethodStatus, protocol.StatusParams{Session: session, Status: protocol.Closed}},
		{false, 5, "", protocol.CloseResult{WorktreeRemoved: true, Unlanded: []string{}}},
		{true, 9, "shutdown", nil},
		{false, 9, "", nil},
		{true, 0, "exit", nil},
	}
}
