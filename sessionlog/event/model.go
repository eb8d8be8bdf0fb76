package event

import "github.com/go-json-experiment/json/jsontext"

// RawJSON is a JSON value kept as it was sent: key order and number spelling included.
type RawJSON = jsontext.Value

// LLMReq is one request to a model. It is durable before a byte leaves the machine.
type LLMReq struct {
	// Purpose is "turn" for a request of the turn loop, "title" or "landing" for one beside the conversation.
	Purpose string `json:"purpose"`
	// Turn is the turn it serves; absent for a request outside turns.
	Turn int `json:"turn,omitzero"`
	// Step counts the requests of the turn, from 1.
	Step int `json:"step,omitzero"`
	// Server is the [servers.NAME] entry.
	Server string `json:"server"`
	// Name is the registry entry of the model.
	Name string `json:"name"`
	// Model is the id as the provider names it.
	Model string `json:"model"`
	// Host is the host and port the request goes to; empty for a scripted model.
	Host string `json:"host"`
	// BodySHA256 is the lower-case hex digest of the request body, which replay rebuilds from the log alone.
	BodySHA256 string `json:"body_sha256"`
	// WindowTokens is the estimated size of the body in tokens: bytes over four, rounded up.
	WindowTokens int `json:"window_tokens"`
	// Aside is what a request beside the conversation consists of; absent for one whose window is folded from the log.
	Aside *Aside `json:"aside,omitzero"`
}

// Aside is a request that holds more than the log knows of otherwise, such as a repository's commit messages.
type Aside struct {
	// Context is its recipe. It offers no tools.
	Context Context `json:"context"`
	// Text is its only message.
	Text string `json:"text"`
}

// Delta is a piece of a model's stream. One field is set.
type Delta struct {
	// Text is answer text.
	Text string `json:"text,omitzero"`
	// Thinking is reasoning text.
	Thinking string `json:"thinking,omitzero"`
	// ToolCall is a piece of a tool call.
	ToolCall *CallDelta `json:"tool_call,omitzero"`
}

// CallDelta is a piece of a tool call as it streams in.
type CallDelta struct {
	// Index is the position of the call in the reply, from 0.
	Index int `json:"index"`
	// Name is set on the first piece.
	Name string `json:"name,omitzero"`
	// Args is a piece of the arguments' JSON text.
	Args string `json:"args,omitzero"`
}

// LLMChunk is a piece of the model's stream as the redactor released it. It is buffered: a crash may lose trailing chunks that no durable event followed.
type LLMChunk struct {
	// Req is the seq of the llm.req.
	Req int64 `json:"req"`
	// Attempt counts retries from 1; a higher attempt voids the earlier ones. Absent means 1.
	Attempt int `json:"attempt,omitzero"`
	// Delta is the piece.
	Delta Delta `json:"delta"`
}

// Opaque is provider state (signatures, encrypted reasoning) that goes back only to the wire it came from.
type Opaque struct {
	// Wire is the format that produced it.
	Wire string `json:"wire"`
	// Data is the state as it was sent.
	Data RawJSON `json:"data"`
}

// ModelCall is one tool call of a reply.
type ModelCall struct {
	// ID is ours, "c<seq of the llm.req>-<n>", n from 1.
	ID string `json:"id"`
	// ProviderID is the id the provider gave; absent when it gave none.
	ProviderID string `json:"provider_id,omitzero"`
	// Name is the tool's name as the model wrote it.
	Name string `json:"name"`
	// Args is the model's JSON, compacted; a JSON string holds text that was not JSON.
	Args RawJSON `json:"args"`
}

// Usage counts what a reply cost. Absent means that nobody said; it is never zero by default.
type Usage struct {
	// PromptTokens include cached ones on every wire.
	PromptTokens *int64 `json:"prompt_tokens,omitzero"`
	// OutputTokens are the tokens of the reply.
	OutputTokens *int64 `json:"output_tokens,omitzero"`
	// CachedTokens are the prompt tokens read from the provider's cache.
	CachedTokens *int64 `json:"cached_tokens,omitzero"`
	// CacheWriteTokens are the prompt tokens written to the provider's cache.
	CacheWriteTokens *int64 `json:"cache_write_tokens,omitzero"`
	// ReasoningTokens are the output tokens spent on reasoning.
	ReasoningTokens *int64 `json:"reasoning_tokens,omitzero"`
	// Cost is in US dollars.
	Cost *float64 `json:"cost,omitzero"`
	// CostEstimated says that Cost comes from configured prices.
	CostEstimated bool `json:"cost_estimated,omitzero"`
	// Unreported says that the server gave no token counts.
	Unreported bool `json:"unreported,omitzero"`
	// WallMS is the time of the successful attempt in milliseconds, from sending to the complete reply.
	WallMS int64 `json:"wall_ms"`
	// PromptEvalMS is the server's time for reading the part of the prompt that no cache held, in milliseconds.
	PromptEvalMS *float64 `json:"prompt_eval_ms,omitzero"`
	// EvalMS is the server's time for writing the reply, in milliseconds.
	EvalMS *float64 `json:"eval_ms,omitzero"`
	// TotalMS is the server's time for the whole request, in milliseconds.
	TotalMS *float64 `json:"total_ms,omitzero"`
	// LoadMS is the server's time for loading the model, in milliseconds.
	LoadMS *float64 `json:"load_ms,omitzero"`
}

// LLMResp is the reply to one LLMReq, and stands for its chunks.
type LLMResp struct {
	// Req is the seq of the llm.req.
	Req int64 `json:"req"`
	// Text is the answer text.
	Text string `json:"text"`
	// Thinking is the reasoning text.
	Thinking string `json:"thinking,omitzero"`
	// Opaque is provider state to send back.
	Opaque []Opaque `json:"opaque,omitempty"`
	// ToolCalls are the calls in the order of the reply; empty when the reply did not complete.
	ToolCalls []ModelCall `json:"tool_calls,omitempty"`
	// Stop is "end", "tool_calls", "length", "refusal", "context", "cancelled" or "error".
	Stop string `json:"stop"`
	// StopRaw is the provider's own word.
	StopRaw string `json:"stop_raw,omitzero"`
	// Attempts counts the requests that were sent, from 1.
	Attempts int `json:"attempts"`
	// Usage counts the cost of the reply.
	Usage Usage `json:"usage"`
	// Error says why there is no complete reply, in the server's words where it gave some.
	Error string `json:"error,omitzero"`
}

func (LLMReq) kind() Kind   { return "llm.req" }
func (LLMChunk) kind() Kind { return "llm.chunk" }
func (LLMResp) kind() Kind  { return "llm.resp" }
