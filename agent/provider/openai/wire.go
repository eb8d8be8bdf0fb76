package openai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// piece is one event of a stream. Everything is optional: servers leave out what they like.
type piece struct {
	Object  provider.Word  `json:"object"`
	Choices []choice       `json:"choices"`
	Usage   *usage         `json:"usage"`
	Groq    *groq          `json:"x_groq"`
	Error   jsontext.Value `json:"error"`
}

// failed reports whether the event is an error in the form of a message.
func (p *piece) failed() bool {
	return p.Object == "error" || p.Error.Kind() == '{' || p.Error.Kind() == '"'
}

type choice struct {
	Index        int           `json:"index"`
	Delta        delta         `json:"delta"`
	FinishReason provider.Word `json:"finish_reason"`
	Usage        *usage        `json:"usage"`
}

type delta struct {
	Content          provider.Word `json:"content"`
	Refusal          provider.Word `json:"refusal"`
	ReasoningContent provider.Word `json:"reasoning_content"`
	Reasoning        provider.Word `json:"reasoning"`
	ToolCalls        []toolCall    `json:"tool_calls"`
	// FunctionCall is the form of one call that came before ToolCalls.
	FunctionCall *wireFunction `json:"function_call"`
}

type toolCall struct {
	Index    *int          `json:"index"`
	ID       provider.Word `json:"id"`
	Function wireFunction  `json:"function"`
}

type wireFunction struct {
	Name      provider.Word `json:"name"`
	Arguments provider.Word `json:"arguments"`
}

type groq struct {
	Usage *usage `json:"usage"`
}

// usage has the fields of all servers that speak this wire. Absent stays nil.
type usage struct {
	Prompt        *int64 `json:"prompt_tokens"`
	Completion    *int64 `json:"completion_tokens"`
	Total         *int64 `json:"total_tokens"`
	CacheHit      *int64 `json:"prompt_cache_hit_tokens"`
	PromptDetails struct {
		Cached     *int64 `json:"cached_tokens"`
		CacheWrite *int64 `json:"cache_write_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails struct {
		Reasoning *int64 `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
	Cost *float64 `json:"cost"`
}

// neutral returns the usage in the log's terms: the output includes the reasoning. A server whose total only adds up with the reasoning on top has left it out.
func (u *usage) neutral() event.Usage {
	out := event.Usage{
		PromptTokens: u.Prompt, OutputTokens: u.Completion,
		CachedTokens: u.PromptDetails.Cached, CacheWriteTokens: u.PromptDetails.CacheWrite,
		ReasoningTokens: u.CompletionDetails.Reasoning, Cost: u.Cost,
	}
	if out.CachedTokens == nil {
		out.CachedTokens = u.CacheHit
	}
	if u.Prompt == nil || u.Completion == nil || u.Total == nil || out.ReasoningTokens == nil {
		return out
	}
	if whole := *u.Completion + *out.ReasoningTokens; *out.ReasoningTokens > 0 && *u.Prompt+whole == *u.Total {
		out.OutputTokens = &whole
	}
	return out
}
