package ollama

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// piece is one line of a stream. The counts stand in the last one, where a count of zero is left out: what is absent stays unknown.
type piece struct {
	Message    said           `json:"message"`
	Done       bool           `json:"done"`
	DoneReason provider.Word  `json:"done_reason"`
	Error      jsontext.Value `json:"error"`

	PromptCount  *int64 `json:"prompt_eval_count"`
	CachedCount  *int64 `json:"prompt_eval_cached_count"`
	Count        *int64 `json:"eval_count"`
	PromptTime   *int64 `json:"prompt_eval_duration"`
	Time         *int64 `json:"eval_duration"`
	TotalTime    *int64 `json:"total_duration"`
	LoadDuration *int64 `json:"load_duration"`
}

// said is a piece of the reply. Calls arrive whole.
type said struct {
	Content   provider.Word `json:"content"`
	Thinking  provider.Word `json:"thinking"`
	ToolCalls []toolCall    `json:"tool_calls"`
}

type toolCall struct {
	ID       provider.Word `json:"id"`
	Function struct {
		Name      provider.Word `json:"name"`
		Arguments provider.Word `json:"arguments"`
	} `json:"function"`
}

// usage returns the counts in the log's terms. The prompt's count includes what came from the cache, its time does not.
func (p *piece) usage() event.Usage {
	return event.Usage{
		PromptTokens: p.PromptCount, CachedTokens: p.CachedCount, OutputTokens: p.Count,
		PromptEvalMS: milliseconds(p.PromptTime), EvalMS: milliseconds(p.Time),
		TotalMS: milliseconds(p.TotalTime), LoadMS: milliseconds(p.LoadDuration),
	}
}

// milliseconds turns the server's nanoseconds into the log's unit, with their fraction.
func milliseconds(ns *int64) *float64 {
	if ns == nil {
		return nil
	}
	return new(float64(*ns) / float64(time.Millisecond))
}
