// Package view holds the folds: pure functions from the events of a log to what a model or a person sees.
//
// Invariant: nothing here does I/O, reads a clock or asks for configuration. Each fold takes one event at a time in constant time, so the live session and a replay of its file run the same code and cannot disagree.
package view

import "github.com/nodwyn/nodwyn/sessionlog/event"

// Role says whose a message is.
type Role string

// The roles of a window.
const (
	User      Role = "user"
	Assistant Role = "assistant"
	Tool      Role = "tool"
)

// NotRun is the result that the window gives to a call which never ran because its turn ended.
const NotRun = "not run: the turn ended before this call"

// Message is one entry of the model's window, free of any provider's form.
type Message struct {
	// Role says whose it is and which fields are set.
	Role Role
	// Text is the request, the answer or the tool's result.
	Text string
	// Attachments stand behind a user's text, in order.
	Attachments []event.Attach
	// Thinking is the assistant's reasoning text.
	Thinking string
	// Opaque is provider state of an assistant's message.
	Opaque []event.Opaque
	// Calls are the tool calls of an assistant's message.
	Calls []event.ModelCall
	// CallID names the call that a tool's message answers.
	CallID string
	// OK is false for the result of a call that failed.
	OK bool
}

// Messages folds events into the window that the model sees. The zero value is an empty window.
type Messages struct {
	recipe event.Context
	model  event.Model
	done   []Message
	open   step
	turn   int // of the latest request
	aside  aside
	starts map[int]int // where in done each turn begins
	gone   []cut       // what reverts took out, to be put back
	back   cut         // what was put back last
}

// step is the reply whose calls are still being answered, and what arrived meanwhile.
type step struct {
	calls   []event.ModelCall
	results map[string]event.ToolResult
	// brought are the attachments that arrived with the results; the window shows them after all results.
	brought []event.Attach
	// steers are the person's messages to the running turn; they stand last.
	steers []Message
}

// Apply takes the next event of the log.
func (m *Messages) Apply(e event.Event) {
	if m.aside.holds(e) {
		return
	}
	switch p := e.Payload.(type) {
	case event.SessionStart:
		m.recipe, m.model = p.Context, p.Model
	case event.SessionResume:
		m.recipe, m.model = p.Context, p.Model
	case event.SessionModel:
		m.recipe, m.model = p.Context, event.Model{Name: p.Name, Server: p.Server, Model: p.Model, URL: p.URL}
	case event.UserMsg:
		m.message(p)
	case event.SessionRevert:
		m.revert(p)
	case event.Attach:
		m.attach(p)
	case event.LLMReq:
		m.settle()
	case event.LLMResp:
		m.reply(p)
	case event.ToolResult:
		if m.open.results != nil {
			m.open.results[p.ID] = p
		}
	}
}

// Window returns the messages of the next request. The slice is the caller's.
func (m *Messages) Window() []Message {
	return append(append([]Message(nil), m.done...), m.open.messages()...)
}

// Recipe returns the context from which the next request is built.
func (m *Messages) Recipe() event.Context { return m.recipe }

// Model returns the model the session talks to.
func (m *Messages) Model() event.Model { return m.model }

// message starts a turn, or steers the running one: then it stands behind the results of the step.
func (m *Messages) message(p event.UserMsg) {
	msg := Message{Role: User, Text: p.Text}
	if p.Turn == m.turn && m.open.calls != nil {
		m.open.steers = append(m.open.steers, msg)
		return
	}
	if p.Turn != m.turn {
		m.settle() // what is still open belongs to a turn that is over
	}
	if m.starts == nil {
		m.starts = make(map[int]int)
	}
	if _, known := m.starts[p.Turn]; !known {
		m.starts[p.Turn] = len(m.done)
	}
	m.turn = p.Turn
	m.done = append(m.done, msg)
}

func (m *Messages) attach(a event.Attach) {
	if m.open.calls != nil {
		m.open.brought = append(m.open.brought, a)
		return
	}
	if n := len(m.done); n > 0 && m.done[n-1].Role == User {
		m.done[n-1].Attachments = append(m.done[n-1].Attachments, a)
		return
	}
	m.done = append(m.done, Message{Role: User, Attachments: []event.Attach{a}})
}

// reply adds what the model said. A reply that did not complete has text at most: its calls never ran.
func (m *Messages) reply(p event.LLMResp) {
	complete := p.Stop != "cancelled" && p.Stop != "error"
	msg := Message{Role: Assistant, Text: p.Text}
	if complete {
		msg.Thinking, msg.Opaque, msg.Calls = p.Thinking, p.Opaque, p.ToolCalls
	}
	if msg.Text != "" || len(msg.Calls) > 0 {
		m.done = append(m.done, msg)
	}
	m.open.calls = msg.Calls
	if len(msg.Calls) > 0 {
		m.open.results = make(map[string]event.ToolResult, len(msg.Calls))
		return
	}
	m.settle()
}

// settle closes the open step: from here on its results are fixed.
func (m *Messages) settle() {
	m.done = append(m.done, m.open.messages()...)
	m.open = step{}
}

// messages returns the results in the order of the calls, then what they brought, then what the person said meanwhile.
func (s step) messages() []Message {
	var out []Message
	for _, c := range s.calls {
		r, ok := s.results[c.ID]
		if !ok {
			r.Text = NotRun
		}
		out = append(out, Message{Role: Tool, CallID: c.ID, Text: r.Text, OK: r.OK})
	}
	if len(s.brought) > 0 {
		out = append(out, Message{Role: User, Attachments: s.brought})
	}
	return append(out, s.steers...)
}
