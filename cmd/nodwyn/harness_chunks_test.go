package main

import (
	"fmt"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/provider/script"
)

// chatChunk is one event of the OpenAI Chat stream.
type chatChunk struct {
	ID      string       `json:"id"`
	Object  string       `json:"object"`
	Model   string       `json:"model"`
	Choices []chatChoice `json:"choices"`
	Usage   *chatUsage   `json:"usage,omitzero"`
}

type chatChoice struct {
	Index        int       `json:"index"`
	Delta        chatDelta `json:"delta"`
	FinishReason *string   `json:"finish_reason"`
}

type chatDelta struct {
	Role      string     `json:"role,omitzero"`
	Content   string     `json:"content,omitzero"`
	Reasoning string     `json:"reasoning_content,omitzero"`
	ToolCalls []chatCall `json:"tool_calls,omitempty"`
}

type chatCall struct {
	Index    int          `json:"index"`
	ID       string       `json:"id,omitzero"`
	Type     string       `json:"type,omitzero"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string `json:"name,omitzero"`
	Arguments string `json:"arguments"`
}

type chatUsage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// streamOf returns the events of a reply: thinking and text word by word, each call in two pieces, the finish, the usage and the terminator.
func streamOf(r script.Reply) streamed {
	var events streamed
	for _, d := range deltasOf(r) {
		events = append(events, encodeChunk(chatChunk{Choices: []chatChoice{{Delta: d}}}))
	}
	finish := "stop"
	if len(r.Calls) > 0 {
		finish = "tool_calls"
	}
	return append(events,
		encodeChunk(chatChunk{Choices: []chatChoice{{FinishReason: &finish}}}),
		encodeChunk(chatChunk{Choices: []chatChoice{}, Usage: usageOf(r)}),
		"[DONE]")
}

func deltasOf(r script.Reply) []chatDelta {
	var deltas []chatDelta
	for word := range words(r.Think) {
		deltas = append(deltas, chatDelta{Reasoning: word})
	}
	for word := range words(r.Say) {
		deltas = append(deltas, chatDelta{Content: word})
	}
	for i, c := range r.Calls {
		args := string(c.Args)
		cut := strings.IndexByte(args, ':') + 1
		deltas = append(deltas,
			chatDelta{ToolCalls: []chatCall{{
				Index: i, ID: fmt.Sprintf("call_%d", i+1), Type: "function",
				Function: chatFunction{Name: c.Name, Arguments: args[:cut]},
			}}},
			chatDelta{ToolCalls: []chatCall{{Index: i, Function: chatFunction{Arguments: args[cut:]}}}})
	}
	if len(deltas) == 0 { // a reply that says nothing has its first delta all the same
		deltas = []chatDelta{{}}
	}
	deltas[0].Role = "assistant"
	return deltas
}

// words are the pieces that a text streams in; an empty text has none.
func words(text string) iter.Seq[string] {
	if text == "" {
		return func(func(string) bool) {}
	}
	return strings.SplitAfterSeq(text, " ")
}

func encodeChunk(c chatChunk) string {
	c.ID, c.Object, c.Model = "chatcmpl-1", "chat.completion.chunk", modelName
	b, err := json.Marshal(c)
	if err != nil {
		panic(fmt.Sprintf("encode a chunk of the scripted model: %v", err))
	}
	return string(b)
}

// usageOf is what the script says the reply cost, or some number: absent counts are a case of their own.
func usageOf(r script.Reply) *chatUsage {
	u := chatUsage{Prompt: 100, Completion: 10}
	if r.Usage != nil && r.Usage.PromptTokens != nil {
		u.Prompt = *r.Usage.PromptTokens
	}
	if r.Usage != nil && r.Usage.OutputTokens != nil {
		u.Completion = *r.Usage.OutputTokens
	}
	u.Total = u.Prompt + u.Completion
	return &u
}
