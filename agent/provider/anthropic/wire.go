package anthropic

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// streamEvent is one event of a stream. Its type says which fields are set.
type streamEvent struct {
	Type    provider.Word  `json:"type"`
	Message started        `json:"message"`
	Index   *int           `json:"index"`
	Block   content        `json:"content_block"`
	Delta   delta          `json:"delta"`
	Usage   *usage         `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

// failed reports whether the event is an error in the form of a message.
func (e *streamEvent) failed() bool {
	return e.Type == "error" || e.Error.Kind() == '{' || e.Error.Kind() == '"'
}

// started is the message of a message_start, which is empty but for its name.
type started struct {
	ID    provider.Word `json:"id"`
	Usage *usage        `json:"usage"`
}

// content is a block as it begins. Some servers send all of it at once.
type content struct {
	Type      provider.Word  `json:"type"`
	Text      provider.Word  `json:"text"`
	Thinking  provider.Word  `json:"thinking"`
	Signature provider.Word  `json:"signature"`
	Data      provider.Word  `json:"data"`
	ID        provider.Word  `json:"id"`
	Name      provider.Word  `json:"name"`
	Input     jsontext.Value `json:"input"`
}

// delta is a piece of a block, or what a message_delta says of the whole message.
type delta struct {
	Text        provider.Word `json:"text"`
	PartialJSON provider.Word `json:"partial_json"`
	Thinking    provider.Word `json:"thinking"`
	Signature   provider.Word `json:"signature"`
	StopReason  provider.Word `json:"stop_reason"`
	StopDetails struct {
		Explanation provider.Word `json:"explanation"`
	} `json:"stop_details"`
}

// usage is what the server counted so far. Absent stays nil.
type usage struct {
	Input      *int64 `json:"input_tokens"`
	CacheRead  *int64 `json:"cache_read_input_tokens"`
	CacheWrite *int64 `json:"cache_creation_input_tokens"`
	Creation   struct {
		Short *int64 `json:"ephemeral_5m_input_tokens"`
		Long  *int64 `json:"ephemeral_1h_input_tokens"`
	} `json:"cache_creation"`
	Output  *int64 `json:"output_tokens"`
	Details struct {
		Thinking *int64 `json:"thinking_tokens"`
	} `json:"output_tokens_details"`
}

// add takes what a later event says. The counts are totals, and the later one corrects the earlier.
func (u *usage) add(later *usage) {
	for _, f := range []struct {
		old   **int64
		later *int64
	}{
		{&u.Input, later.Input},
		{&u.CacheRead, later.CacheRead},
		{&u.CacheWrite, later.written()},
		{&u.Output, later.Output},
		{&u.Details.Thinking, later.Details.Thinking},
	} {
		if f.later != nil {
			*f.old = f.later
		}
	}
}

// written is what went into the cache, where need be as the sum of its two kinds.
func (u *usage) written() *int64 {
	if u.CacheWrite != nil {
		return u.CacheWrite
	}
	return sum(u.Creation.Short, u.Creation.Long)
}

// neutral returns the usage in the log's terms: the prompt includes what the cache gave and what it took.
func (u *usage) neutral() event.Usage {
	out := event.Usage{OutputTokens: u.Output, CachedTokens: u.CacheRead, CacheWriteTokens: u.CacheWrite, ReasoningTokens: u.Details.Thinking}
	if u.Input != nil {
		out.PromptTokens = sum(u.Input, sum(u.CacheRead, u.CacheWrite))
	}
	return out
}

// sum adds what is known to what is known; unknown and unknown stay unknown.
func sum(a, b *int64) *int64 {
	if a == nil || b == nil {
		if a == nil {
			return b
		}
		return a
	}
	return new(*a + *b)
}
