package event

// ToolCall is durable before the tool runs. Every call gets exactly one ToolResult.
type ToolCall struct {
	// Turn is the turn that made the call.
	Turn int `json:"turn"`
	// ID is the call's id; for a model's call that of the llm.resp.
	ID string `json:"id"`
	// Name is the tool's name as it was called.
	Name string `json:"name"`
	// Args are the arguments as they were given.
	Args RawJSON `json:"args"`
	// Origin is "model" for a call of the turn loop.
	Origin string `json:"origin"`
}

// ToolResult is what a call came to.
type ToolResult struct {
	// Turn is the turn that made the call.
	Turn int `json:"turn"`
	// ID is the call's id.
	ID string `json:"id"`
	// OK is false when the tool refused, failed or did not run.
	OK bool `json:"ok"`
	// Text is what the model reads.
	Text string `json:"text"`
	// Error is a stable word for why OK is false.
	Error string `json:"error,omitzero"`
	// Truncated says that Text was cut.
	Truncated bool `json:"truncated,omitzero"`
	// WallMS is the tool's time in milliseconds, waiting for a person included; absent for a recovery result.
	WallMS *int64 `json:"wall_ms,omitzero"`
	// Recovered marks the result that a resume recorded for a call which a crash left unfinished.
	Recovered bool `json:"recovered,omitzero"`
}

func (ToolCall) kind() Kind   { return "tool.call" }
func (ToolResult) kind() Kind { return "tool.result" }
