package provider

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Reply assembles chunks. The zero value is ready; a chunk of a higher attempt starts it anew.
type Reply struct {
	attempt  int
	text     strings.Builder
	thinking strings.Builder
	opaque   []event.Opaque
	calls    []*call
	usage    event.Usage
	stop     string
	stopRaw  string
}

// call is a tool call as far as it has arrived.
type call struct {
	index    int
	id, name string
	args     strings.Builder
}

// Add takes the next chunk.
func (r *Reply) Add(c Chunk) {
	if c.Attempt > r.attempt {
		*r = Reply{attempt: c.Attempt}
	}
	r.text.WriteString(c.Text)
	r.thinking.WriteString(c.Thinking)
	if c.Call != nil {
		r.piece(*c.Call)
	}
	if c.Opaque != nil {
		r.opaque = append(r.opaque, *c.Opaque)
	}
	if c.Usage != nil {
		merge(&r.usage, *c.Usage)
	}
	if c.Stop != "" {
		r.stop, r.stopRaw = c.Stop, c.StopRaw
	}
}

// piece adds to a call. Calls stand in the order in which their first pieces came.
func (r *Reply) piece(p CallPiece) {
	c := r.call(p.Index)
	if c.id == "" {
		c.id = p.ID
	}
	if c.name == "" {
		c.name = p.Name
	}
	c.args.WriteString(p.Args)
}

func (r *Reply) call(index int) *call {
	for _, c := range r.calls {
		if c.index == index {
			return c
		}
	}
	c := &call{index: index}
	r.calls = append(r.calls, c)
	return c
}

// merge takes over each field that somebody said.
func merge(u *event.Usage, later event.Usage) {
	said(&u.PromptTokens, later.PromptTokens)
	said(&u.OutputTokens, later.OutputTokens)
	said(&u.CachedTokens, later.CachedTokens)
	said(&u.CacheWriteTokens, later.CacheWriteTokens)
	said(&u.ReasoningTokens, later.ReasoningTokens)
	said(&u.PromptEvalMS, later.PromptEvalMS)
	said(&u.EvalMS, later.EvalMS)
	said(&u.TotalMS, later.TotalMS)
	said(&u.LoadMS, later.LoadMS)
	if later.Cost != nil {
		u.Cost, u.CostEstimated = later.Cost, later.CostEstimated
	}
	if later.WallMS != 0 {
		u.WallMS = later.WallMS
	}
	u.Unreported = u.PromptTokens == nil && u.OutputTokens == nil
}

// said keeps the later of two values unless nobody said it.
func said[T any](old **T, later *T) {
	if later != nil {
		*old = later
	}
}

// Resp returns the reply to the request that the log holds at seq req. A reply without a stop did not complete: it has what text arrived and no calls, and its Stop and Error are the caller's to say.
func (r *Reply) Resp(req int64) event.LLMResp {
	resp := event.LLMResp{
		Req: req, Text: r.text.String(), Thinking: r.thinking.String(),
		Stop: r.stop, StopRaw: r.stopRaw, Attempts: max(r.attempt, 1), Usage: r.usage,
	}
	resp.Usage.Unreported = resp.Usage.PromptTokens == nil && resp.Usage.OutputTokens == nil
	if r.stop == "" {
		return resp
	}
	resp.Opaque = r.opaque
	for i, c := range r.calls {
		resp.ToolCalls = append(resp.ToolCalls, event.ModelCall{
			ID: fmt.Sprintf("c%d-%d", req, i+1), ProviderID: c.id, Name: c.name, Args: Args(c.args.String()),
		})
	}
	return resp
}

// Args returns the arguments of a call as the log holds them: an object is compacted, with its keys and numbers as the model wrote them; nothing at all is an empty object; any other text becomes a JSON string of it, so that it can be shown to the model again.
func Args(text string) event.RawJSON {
	raw := jsontext.Value(strings.TrimSpace(text))
	if len(raw) == 0 || string(raw) == "null" {
		return event.RawJSON("{}")
	}
	if raw.Kind() == '{' && raw.IsValid() && raw.Compact() == nil {
		return raw
	}
	// The error says only that the text is not UTF-8; the literal stands for it with replacement characters.
	quoted, _ := jsontext.AppendQuote(nil, text)
	return quoted
}

// ArgsText returns the text of a call's arguments as the model wrote them, from what Args made of it.
func ArgsText(args event.RawJSON) string {
	if args.Kind() != '"' {
		return string(args)
	}
	// The log holds valid JSON only, so decoding can at most replace what is not UTF-8.
	text, _ := jsontext.AppendUnquote(nil, args)
	return string(text)
}
