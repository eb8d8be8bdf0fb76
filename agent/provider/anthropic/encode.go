package anthropic

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// body is a request. The order of the fields is the order of the bytes, which version 1 of the wire fixes; the messages come last, so that consecutive requests begin alike.
type body struct {
	Model     string        `json:"model"`
	MaxTokens int           `json:"max_tokens"`
	Stream    bool          `json:"stream"`
	Thinking  *thinking     `json:"thinking,omitzero"`
	Output    *outputConfig `json:"output_config,omitzero"`
	System    []block       `json:"system,omitempty"`
	Tools     []tool        `json:"tools,omitempty"`
	Messages  []message     `json:"messages"`
}

type tool struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	InputSchema event.RawJSON `json:"input_schema"`
	Cache       *cache        `json:"cache_control,omitzero"`
}

type message struct {
	Role    string  `json:"role"`
	Content []block `json:"content"`
}

// block is a part of a message. Its type says which fields are set. Input is left out where it is nil only: an empty object is a call without arguments.
type block struct {
	Type      string        `json:"type"`
	Text      string        `json:"text,omitzero"`
	Thinking  *string       `json:"thinking,omitzero"`
	Signature string        `json:"signature,omitzero"`
	Data      string        `json:"data,omitzero"`
	ID        string        `json:"id,omitzero"`
	Name      string        `json:"name,omitzero"`
	Input     event.RawJSON `json:"input,omitzero"`
	ToolUseID string        `json:"tool_use_id,omitzero"`
	Content   string        `json:"content,omitzero"`
	IsError   bool          `json:"is_error,omitzero"`
	Cache     *cache        `json:"cache_control,omitzero"`
}

// cache marks the end of a prefix that the server keeps. It is the last field of what it stands in: the mark moves on with each request, and all bytes before it stay.
type cache struct {
	Type string `json:"type"`
}

// Encode returns the request body of version 1 of the wire. The marks for the server's cache stand behind the system text, the tools and the window, so that each request pays in full for what is new only.
func Encode(r provider.Request) ([]byte, error) {
	p, err := planFor(r.Context.Options.Effort, r.Context.Limits.MaxOutput)
	if err != nil {
		return nil, fmt.Errorf("encode %s request for model %q: %w", Wire, r.Model, err)
	}
	w := window(r.Messages)
	if p.thinking != nil && p.thinking.Type == "enabled" && w.thoughtless() {
		p.thinking = nil
	}
	b := body{
		Model: r.Model, MaxTokens: p.maxTokens, Stream: true, Thinking: p.thinking, Output: p.output,
		System: system(r.Context.System), Tools: tools(r.Context.Tools), Messages: w.messages,
	}
	w.mark()
	raw, err := json.Marshal(b, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode %s request for model %q: %w", Wire, r.Model, err)
	}
	return raw, nil
}

func system(text string) []block {
	if blank(text) {
		return nil
	}
	return []block{{Type: "text", Text: text, Cache: mark()}}
}

func tools(specs []event.ToolSpec) []tool {
	var out []tool
	for _, s := range specs {
		out = append(out, tool{Name: s.Name, Description: s.Description, InputSchema: s.Schema})
	}
	if len(out) > 0 {
		out[len(out)-1].Cache = mark()
	}
	return out
}

func mark() *cache { return &cache{Type: "ephemeral"} }
