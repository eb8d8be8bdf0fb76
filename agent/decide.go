package agent

import (
	"errors"
	"fmt"

	"github.com/nodwyn/nodwyn/agent/tool"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// This file holds the three decision points of the turn loop. They are plain functions of what is on record, so that a strategy can take their place later without the loop changing.

// next is what the loop does after a reply.
type next int

const (
	stopTurn next = iota
	runCalls
)

// nextStep decides what follows a reply: its calls are run, or the turn ends, with an error when the model did not get to its end.
func nextStep(reply event.LLMResp) (next, error) {
	switch {
	case len(reply.ToolCalls) > 0 && reply.Stop == "tool_calls":
		return runCalls, nil
	case reply.Stop == "length":
		return stopTurn, errors.New("the model stopped at its output limit; raise max_output or ask for less at once")
	case reply.Stop == "refusal" && reply.Text == "":
		return stopTurn, errors.New("the model refused to answer, and gave no reason")
	case reply.Text == "" && len(reply.ToolCalls) == 0:
		return stopTurn, errors.New("the model gave an empty reply; ask again, or ask for less at once")
	case reply.Stop == "context":
		return stopTurn, errors.New("the conversation no longer fits the model's context; start a new session or configure a model with a larger one")
	}
	return stopTurn, nil
}

// compactNow decides whether the window must shrink before a request. Nothing compacts yet, so a window that is known not to fit ends the turn before anything is sent, instead of being truncated by the server in silence.
func compactNow(tokens int, limits event.Limits) error {
	if limits.Context == 0 || tokens+limits.MaxOutput <= limits.Context {
		return nil
	}
	return fmt.Errorf("the conversation takes about %d tokens and the model's context is %d; start a new session or configure a model with a larger context", tokens, limits.Context)
}

// planGate decides whether a call may run before a plan was accepted. In a session that asks or plans, calls that change things wait for the session to become one that edits.
func planGate(mode string, t tool.Tool) (refusal string, open bool) {
	if mode == "edit" || t.ReadOnly || t.Name == "ask-person" {
		return "", true
	}
	return fmt.Sprintf("%s is not available: this session is in %s mode and only reads. Say what you would change instead.", t.Name, mode), false
}
