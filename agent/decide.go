package agent

import (
	"errors"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/agent/tool"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
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
	case reply.Stop == "refusal" && blank(reply.Text):
		return stopTurn, errors.New("the model refused to answer, and gave no reason")
	case reply.Stop == "refusal" && filtered(reply.StopRaw):
		return stopTurn, errors.New("the server's content filter cut the reply off; ask in other words, or use another model")
	case blank(reply.Text) && len(reply.ToolCalls) == 0:
		return stopTurn, errors.New("the model gave an empty reply; ask again, or ask for less at once")
	case reply.Stop == "context":
		return stopTurn, errors.New("the conversation no longer fits the model's context; start a new session or configure a model with a larger one")
	}
	return stopTurn, nil
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// filtered reports whether a server's word for its stop means that something beside the model ended the reply, in the middle of a sentence perhaps. A refusal in the model's own words has another one.
func filtered(raw string) bool { return raw == "content_filter" || raw == "refusal" }

// maxSame is how often in a row a model may take one step with one result. Waiting for something looks like that as well, so it is not small.
const maxSame = 10

// stuck is the rest of what nextStep decides, once the calls of a reply have run: the turn ends when the model does the same over and over, the same calls with the same results. Each round costs what one costs that gets somewhere, and nobody may be looking.
func stuck(window []view.Message) error {
	step, before := lastStep(window)
	for n := 1; step != ""; n++ {
		if n == maxSame {
			return fmt.Errorf("the model took the same step %d times in a row, with the same result each time, so it was stopped; ask in other words, or use another model", n)
		}
		again, rest := lastStep(before)
		if again != step {
			return nil
		}
		before = rest
	}
	return nil
}

// lastStep spells out the step that a window ends with, calls and results without their ids, and returns the window before it; nothing when the window ends otherwise.
func lastStep(window []view.Message) (step string, before []view.Message) {
	i := len(window)
	for i > 0 && window[i-1].Role == view.Tool {
		i--
		step = fmt.Sprintf("%t %q\n", window[i].OK, window[i].Text) + step
	}
	if step == "" || i == 0 {
		return "", nil
	}
	i--
	for _, c := range window[i].Calls {
		step += fmt.Sprintf("%q %q\n", c.Name, c.Args)
	}
	return step, window[:i]
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
