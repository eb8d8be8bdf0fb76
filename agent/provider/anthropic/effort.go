package anthropic

import (
	"fmt"
	"strconv"
	"strings"
)

// The sizes of replies and of thinking, in tokens.
const (
	// answerRoom is the room for a reply, which the API wants to be told, where none is configured.
	answerRoom = 8192
	// adaptiveRoom is the same for a model that decides by itself how much of it to think.
	adaptiveRoom = 32768
	// leastBudget is the smallest budget that the API takes.
	leastBudget = 1024
)

// thinking asks the model to reason before it answers.
type thinking struct {
	Type    string `json:"type"`
	Budget  int    `json:"budget_tokens,omitzero"`
	Display string `json:"display,omitzero"`
}

// outputConfig sets the level of adaptive thinking.
type outputConfig struct {
	Effort string `json:"effort"`
}

// plan is how much of a reply there may be, and how much of it thinking.
type plan struct {
	maxTokens int
	thinking  *thinking
	output    *outputConfig
}

// planFor reads a configured effort. None, and "none", ask for no thinking. A name or a number sets a budget, which takes at most half of a configured max_output. "adaptive" lets the model decide, as its newer generations demand; "adaptive-LEVEL" also sends a level, whose name is between the person and the server.
func planFor(effort string, maxOutput int) (plan, error) {
	if effort == "" || effort == "none" {
		return plan{maxTokens: or(maxOutput, answerRoom)}, nil
	}
	if kind, level, _ := strings.Cut(effort, "-"); kind == "adaptive" {
		// Newer models keep their thinking to themselves unless they are asked for a summary.
		p := plan{maxTokens: or(maxOutput, adaptiveRoom), thinking: &thinking{Type: "adaptive", Display: "summarized"}}
		if level != "" {
			p.output = &outputConfig{Effort: level}
		}
		return p, nil
	}
	budget, err := budgetOf(effort)
	if err != nil {
		return plan{}, err
	}
	if maxOutput > 0 {
		budget = min(budget, maxOutput/2)
	}
	if budget < leastBudget {
		return plan{}, fmt.Errorf("effort %q with max_output %d: thinking takes %d tokens at least, and half of max_output at most; raise both or leave effort out", effort, maxOutput, leastBudget)
	}
	return plan{maxTokens: or(maxOutput, answerRoom+budget), thinking: &thinking{Type: "enabled", Budget: budget}}, nil
}

// budgetOf gives the levels that other servers know by name a size.
func budgetOf(effort string) (int, error) {
	switch effort {
	case "minimal":
		return leastBudget, nil
	case "low":
		return 2048, nil
	case "medium":
		return 8192, nil
	case "high":
		return 16384, nil
	case "xhigh":
		return 24576, nil
	case "max":
		return 32768, nil
	}
	n, err := strconv.Atoi(effort)
	if err != nil {
		return 0, fmt.Errorf(`effort %q: it is none of "none", "minimal", "low", "medium", "high", "xhigh", "max", "adaptive", "adaptive-LEVEL" or a number of tokens`, effort)
	}
	return n, nil
}

// or returns n unless it is not set.
func or(n, standard int) int {
	if n > 0 {
		return n
	}
	return standard
}
