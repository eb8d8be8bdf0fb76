package anthropic

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// maxName bounds the name of a tool.
const maxName = 128

// encoded is the window in the wire's form.
type encoded struct {
	messages []message
	// ids says which id each call goes by.
	ids map[string]string
	// taken are the ids in use: each may stand for one call only.
	taken map[string]bool
}

// window puts messages of one role that follow each other into one, since the API wants the roles to alternate and all results of a step together. A message that says nothing is left out.
func window(messages []view.Message) *encoded {
	w := &encoded{messages: []message{}, ids: make(map[string]string), taken: make(map[string]bool)}
	for _, m := range messages {
		switch m.Role {
		case view.Assistant:
			w.add("assistant", w.assistant(m))
		case view.Tool:
			w.add("user", []block{w.result(m)})
		default:
			w.add("user", appendText(nil, provider.UserText(m)))
		}
	}
	return w
}

func (w *encoded) add(role string, blocks []block) {
	if len(blocks) == 0 {
		return
	}
	if n := len(w.messages); n > 0 && w.messages[n-1].Role == role {
		w.messages[n-1].Content = append(w.messages[n-1].Content, blocks...)
		return
	}
	w.messages = append(w.messages, message{Role: role, Content: blocks})
}

// mark ends the cached prefix with the window. The API takes no mark on a thought.
func (w *encoded) mark() {
	if len(w.messages) == 0 {
		return
	}
	content := w.messages[len(w.messages)-1].Content
	if last := &content[len(content)-1]; !last.thought() {
		last.Cache = mark()
	}
}

// appendText adds a text block. The API refuses one that is blank.
func appendText(blocks []block, text string) []block {
	if blank(text) {
		return blocks
	}
	return append(blocks, block{Type: "text", Text: text})
}

func blank(text string) bool { return strings.TrimSpace(text) == "" }

// assistant puts a reply together again: its thoughts stand where they stood among the text and the calls.
func (w *encoded) assistant(m view.Message) []block {
	var out []block
	text, calls := 0, 0
	for _, t := range thoughts(m.Opaque) {
		end := boundary(m.Text, max(t.Text, text))
		out = appendText(out, m.Text[text:end])
		upTo := min(max(t.Calls, calls), len(m.Calls))
		out = append(out, w.uses(m.Calls[calls:upTo])...)
		out = append(out, t.Block)
		text, calls = end, upTo
	}
	out = appendText(out, m.Text[text:])
	return append(out, w.uses(m.Calls[calls:])...)
}

func (w *encoded) uses(calls []event.ModelCall) []block {
	var out []block
	for _, c := range calls {
		out = append(out, block{Type: "tool_use", ID: w.id(c), Name: wireName(c.Name), Input: input(c.Args)})
	}
	return out
}

// id is the provider's id for a call, or ours where it gave none, gave it before, or gave one of another wire that the API does not take.
func (w *encoded) id(c event.ModelCall) string {
	id := c.ProviderID
	if id == "" || w.taken[id] || plainWord(id) != id {
		id = c.ID
	}
	w.taken[id] = true
	w.ids[c.ID] = id
	return id
}

// wireName returns a name that the API takes: a model may invent one that it does not, and the window shows every call.
func wireName(name string) string {
	if name == "" {
		return "unnamed"
	}
	return plainWord(name[:min(len(name), maxName)])
}

// plainWord replaces what may stand neither in an id nor in a name.
func plainWord(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '_' || r == '-' || '0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return r
		}
		return '_'
	}, s)
}

// input returns the arguments of a call, which must be an object. Text that was none goes back under the name _raw, so that the model sees what it wrote.
func input(args event.RawJSON) event.RawJSON {
	if args.Kind() == '{' {
		return args
	}
	// The log holds valid JSON only, so quoting can at most replace what is not UTF-8.
	quoted, _ := jsontext.AppendQuote([]byte(`{"_raw":`), provider.ArgsText(args))
	return append(quoted, '}')
}

// result answers a call. White space alone counts as no text, which the API refuses.
func (w *encoded) result(m view.Message) block {
	b := block{Type: "tool_result", ToolUseID: w.ids[m.CallID], IsError: !m.OK}
	if !blank(m.Text) {
		b.Content = m.Text
	}
	return b
}
