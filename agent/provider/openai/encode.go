package openai

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// body is a request. The order of the fields is the order of the bytes, which version 1 of the wire fixes. Messages stand last: consecutive requests then share all bytes but the new messages, and the caches of servers hold.
type body struct {
	Model         string        `json:"model"`
	Tools         []tool        `json:"tools,omitempty"`
	MaxTokens     int           `json:"max_tokens,omitzero"`
	Effort        string        `json:"reasoning_effort,omitzero"`
	Stream        bool          `json:"stream"`
	StreamOptions streamOptions `json:"stream_options"`
	Messages      []message     `json:"messages"`
}

type streamOptions struct {
	IncludeUsage bool `json:"include_usage"`
}

// message is one entry of the window. Content is null for an assistant that only called tools: a missing member is not understood everywhere, and an empty text is not the same.
type message struct {
	Role       string  `json:"role"`
	Content    *string `json:"content"`
	ToolCalls  []call  `json:"tool_calls,omitempty"`
	ToolCallID string  `json:"tool_call_id,omitzero"`
}

type call struct {
	ID       string   `json:"id"`
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type tool struct {
	Type     string     `json:"type"`
	Function toolDetail `json:"function"`
}

type toolDetail struct {
	Name        string        `json:"name"`
	Description string        `json:"description"`
	Parameters  event.RawJSON `json:"parameters"`
}

// Encode returns the request body of version 1 of the wire. Reasoning text is not sent back: servers that give it refuse or ignore it.
func Encode(r provider.Request) ([]byte, error) {
	b := body{
		Model: r.Model, Messages: messages(r), Tools: tools(r.Context.Tools),
		MaxTokens: r.Context.Limits.MaxOutput, Effort: r.Context.Options.Effort,
		Stream: true, StreamOptions: streamOptions{IncludeUsage: true},
	}
	raw, err := json.Marshal(b, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode %s request for model %q: %w", Wire, r.Model, err)
	}
	return raw, nil
}

func tools(specs []event.ToolSpec) []tool {
	var out []tool
	for _, s := range specs {
		out = append(out, tool{Type: "function", Function: toolDetail{Name: s.Name, Description: s.Description, Parameters: s.Schema}})
	}
	return out
}

func messages(r provider.Request) []message {
	out := []message{}
	if r.Context.System != "" {
		out = append(out, message{Role: "system", Content: &r.Context.System})
	}
	ids := make(map[string]string)
	for _, m := range r.Messages {
		out = append(out, encodeMessage(m, ids))
	}
	return out
}

// encodeMessage keeps in ids which id each call goes by on the wire, for the results that follow it.
func encodeMessage(m view.Message, ids map[string]string) message {
	switch m.Role {
	case view.Assistant:
		return assistant(m, ids)
	case view.Tool:
		return message{Role: "tool", Content: &m.Text, ToolCallID: ids[m.CallID]}
	default:
		text := provider.UserText(m)
		return message{Role: "user", Content: &text}
	}
}

func assistant(m view.Message, ids map[string]string) message {
	out := message{Role: "assistant"}
	if m.Text != "" || len(m.Calls) == 0 {
		out.Content = &m.Text
	}
	for _, c := range m.Calls {
		ids[c.ID] = wireID(c, m.Calls)
		out.ToolCalls = append(out.ToolCalls, call{
			ID: ids[c.ID], Type: "function",
			Function: function{Name: c.Name, Arguments: provider.ArgsText(c.Args)},
		})
	}
	return out
}

// wireID is the provider's id for a call, since some accept no other form, or ours where it gave none or gave it twice.
func wireID(c event.ModelCall, all []event.ModelCall) string {
	same := 0
	for _, other := range all {
		if other.ProviderID == c.ProviderID {
			same++
		}
	}
	if c.ProviderID == "" || same > 1 {
		return c.ID
	}
	return c.ProviderID
}
