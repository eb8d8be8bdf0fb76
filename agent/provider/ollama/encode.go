package ollama

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// StandardContext is the context in tokens where none is configured. It is always sent: the server's own default depends on the machine and is smaller than a system text with tools.
const StandardContext = 8192

// body is a request. The order of the fields is the order of the bytes, which version 1 of the wire fixes; the messages come last, so that consecutive requests begin alike.
type body struct {
	Model  string `json:"model"`
	Stream bool   `json:"stream"`
	// Think is true, false or the name of a level; nil leaves it to the model.
	Think any `json:"think,omitempty"`
	// Truncate and Shift are always false: the one would drop the oldest messages of a window that does not fit, the other while the reply is written.
	Truncate bool      `json:"truncate"`
	Shift    bool      `json:"shift"`
	Options  options   `json:"options"`
	Tools    []tool    `json:"tools,omitempty"`
	Messages []message `json:"messages"`
}

type options struct {
	NumCtx     int `json:"num_ctx"`
	NumPredict int `json:"num_predict,omitzero"`
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

type message struct {
	Role       string `json:"role"`
	Content    string `json:"content"`
	Thinking   string `json:"thinking,omitzero"`
	ToolCalls  []call `json:"tool_calls,omitempty"`
	ToolName   string `json:"tool_name,omitzero"`
	ToolCallID string `json:"tool_call_id,omitzero"`
}

type call struct {
	ID       string   `json:"id,omitzero"`
	Function function `json:"function"`
}

type function struct {
	Name      string        `json:"name"`
	Arguments event.RawJSON `json:"arguments"`
}

// Encode returns the request body of version 1 of the wire.
func Encode(r provider.Request) ([]byte, error) {
	o := options{NumCtx: r.Context.Limits.Context, NumPredict: r.Context.Limits.MaxOutput}
	if o.NumCtx <= 0 {
		o.NumCtx = StandardContext
	}
	b := body{
		Model: r.Model, Stream: true, Think: think(r.Context.Options.Effort), Options: o,
		Tools: tools(r.Context.Tools), Messages: messages(r),
	}
	raw, err := json.Marshal(b, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, fmt.Errorf("encode %s request for model %q: %w", Wire, r.Model, err)
	}
	return raw, nil
}

// think returns an effort in the server's form: true, false or a level such as "high". What is none of its levels the server refuses in its own words.
func think(effort string) any {
	switch effort {
	case "":
		return nil
	case "true":
		return true
	case "false", "none":
		return false
	}
	return effort
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
		out = append(out, message{Role: "system", Content: r.Context.System})
	}
	called := make(map[string]event.ModelCall)
	for _, m := range r.Messages {
		out = append(out, encodeMessage(m, called))
	}
	return out
}

// encodeMessage keeps the calls in called, for the results that follow them and name them again.
func encodeMessage(m view.Message, called map[string]event.ModelCall) message {
	switch m.Role {
	case view.Assistant:
		return assistant(m, called)
	case view.Tool:
		c := called[m.CallID]
		return message{Role: "tool", Content: m.Text, ToolName: c.Name, ToolCallID: c.ProviderID}
	default:
		return message{Role: "user", Content: provider.UserText(m)}
	}
}

// assistant sends thinking back beside calls only, where models are trained to find it again; behind a final answer it would fill the context for nothing.
func assistant(m view.Message, called map[string]event.ModelCall) message {
	out := message{Role: "assistant", Content: m.Text}
	if len(m.Calls) > 0 {
		out.Thinking = m.Thinking
	}
	for _, c := range m.Calls {
		called[c.ID] = c
		out.ToolCalls = append(out.ToolCalls, call{ID: c.ProviderID, Function: function{Name: c.Name, Arguments: arguments(c.Args)}})
	}
	return out
}

// arguments returns the arguments of a call, which must be an object. Text that was none goes back under the name _raw, so that the model sees what it wrote.
func arguments(args event.RawJSON) event.RawJSON {
	if args.Kind() == '{' {
		return args
	}
	// The log holds valid JSON only, so quoting can at most replace what is not UTF-8.
	quoted, _ := jsontext.AppendQuote([]byte(`{"_raw":`), provider.ArgsText(args))
	return append(quoted, '}')
}
