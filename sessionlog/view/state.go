package view

import (
	"maps"
	"slices"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// State folds events into what a session is now. The zero value is a session that has not started.
type State struct {
	// Config is the configuration of the latest start or resume.
	Config event.Configuration
	// Created is when the session started.
	Created time.Time
	// Updated is when the last event was recorded.
	Updated time.Time
	// Title is the latest title, or empty.
	Title string
	// Named says that a title was given or taken back.
	Named bool
	// Titled says so too, or that a model was asked for a title.
	Titled bool
	// FirstAsk is the text of the first request; lists show it for a session without a title.
	FirstAsk string
	// Turn is the number of the last turn, 0 before the first.
	Turn int
	// Running says that the last turn has no end.
	Running bool
	// Ended says that the last life of the session ended with session.end.
	Ended bool
	// Torn says that the last turn ended interrupted or with the editor, so that nobody knows which of the changes since are its own.
	Torn bool
	// Cut says that such a turn can be taken up: what was said in it was not taken back.
	Cut bool
	// WorktreeMade says that a worktree.create or worktree.restore stands in the log.
	WorktreeMade bool
	// WorktreeRemoved says that the worktree is gone with its branch.
	WorktreeRemoved bool
	Course
	// Prompts counts the prompts ever opened.
	Prompts int

	// Uncommitted and Untracked count what the person's checkout held at creation and the worktree lacks.
	Uncommitted, Untracked int
	// Carry says what was to come along into the worktree, and from where.
	Carry event.Carry
	// IgnoredCopied are the ignored files that were copied from the person's checkout, the first hundred.
	IgnoredCopied []string
	// Untold are the landings, syncs and reverts since the last request, of which the model does not know.
	Untold []event.Payload
	// Step counts the running turn's requests to the model.
	Step int
	// Env says that the environment block was attached since the latest start or resume.
	Env bool
	// Instructions holds the digest of each instruction file as it was last attached, by path.
	Instructions map[string]string

	asks    map[int]string
	prompts []openPrompt
	calls   []event.ToolCall
	waiting bool // for a model's reply
	aside   aside
	told    []told
	folder  string // where the session worked before it got a worktree
	written map[string]bool
	allowed map[string]bool // calls without a result that were allowed to change something
}

type openPrompt struct{ id, kind string }

// Apply takes the next event of the log.
func (s *State) Apply(e event.Event) {
	if s.written == nil {
		s.Instructions, s.written, s.allowed = make(map[string]string), make(map[string]bool), make(map[string]bool)
	}
	s.Updated = e.TS
	switch p := e.Payload.(type) {
	case event.SessionStart:
		s.Created = e.TS
		s.configure(p.Configuration)
		s.carry(p.Carry)
	case event.SessionResume:
		s.Ended = false
		s.configure(p.Configuration)
	case event.SessionEnd:
		s.Ended = true
	case event.SessionMode:
		s.mode(p)
	case event.SessionRevert:
		s.revert(p)
	case event.SessionModel:
		s.Config.Model = event.Model{Name: p.Name, Server: p.Server, Model: p.Model, URL: p.URL}
		s.Config.Context = p.Context
	case event.SessionTitle:
		if p.Actor != event.ModelActor || !s.Named {
			s.Title, s.Named, s.Titled = p.Title, true, true
		}
	case event.UserMsg:
		s.begin(p)
	case event.TurnEnd:
		s.Running, s.waiting = false, false
		s.Torn = p.Reason == "interrupted" || p.Reason == "editor_exit"
		s.Cut = s.Torn
		s.ended(p.Turn, s.Tip())
	case event.ToolCall:
		s.calls = append(s.calls, p)
	case event.ToolResult:
		delete(s.allowed, p.ID)
		s.calls = drop(s.calls, func(c event.ToolCall) bool { return c.ID == p.ID })
	case event.PromptOpen:
		s.Prompts++
		s.prompts = append(s.prompts, openPrompt{p.PromptID, p.Type})
	case event.PromptClose:
		s.prompts = drop(s.prompts, func(o openPrompt) bool { return o.id == p.PromptID })
	default:
		s.applyTurn(e)
		s.applyWorktree(e)
	}
}

func (s *State) applyTurn(e event.Event) {
	if s.aside.holds(e) {
		p, ok := e.Payload.(event.LLMReq)
		s.Titled = s.Titled || ok && p.Purpose == "title"
		return
	}
	switch p := e.Payload.(type) {
	case event.Attach:
		s.attach(p)
	case event.LLMReq:
		s.Step, s.waiting = p.Step, true
		s.tell()
	case event.LLMResp:
		s.waiting = false
	case event.GuardDecision:
		s.decide(p)
	}
}

func (s *State) decide(p event.GuardDecision) {
	if p.Decision != "allow" || p.Op == "read" {
		return
	}
	if p.Op == "write" {
		s.written[p.Target] = true
	}
	if p.ID != "" {
		s.allowed[p.ID] = true
	}
}

func (s *State) attach(p event.Attach) {
	switch {
	case p.Origin != "instructions":
	case p.Path == "":
		s.Env = s.Env || p.Type == "text"
	default:
		s.Instructions[p.Path] = p.SHA256
	}
}

func (s *State) configure(c event.Configuration) {
	s.Config, s.Env = c, false
	if s.Base == "" && c.Worktree != nil {
		s.begins(c.Worktree.BaseCommit)
	}
}

// mode moves the session; a worktree that it gets is planned from here on, and the next turn tells the model where it is.
func (s *State) mode(p event.SessionMode) {
	s.Config.Mode, s.Env = p.Mode, false
	if p.Mode != "edit" && s.Config.Worktree != nil && !s.WorktreeMade {
		s.Config.Worktree, s.Config.Repo = nil, s.folder // it could not be made
		s.begins("")
	}
	if p.Worktree != nil {
		s.folder = s.Config.Repo
		s.Config.Worktree, s.Config.Repo = p.Worktree, p.Worktree.Path
		s.begins(p.Worktree.BaseCommit)
	}
	s.carry(p.Carry)
}

func (s *State) carry(c *event.Carry) {
	if c != nil {
		s.Carry = *c
	}
}

func (s *State) begin(p event.UserMsg) {
	if s.Running && p.Turn == s.Turn {
		return // it steers the turn
	}
	s.Turn, s.Step, s.Running, s.Cut, s.Torn = p.Turn, 0, true, false, false
	s.Rewrite = ""
	s.written = make(map[string]bool)
	if s.asks == nil {
		s.asks = make(map[int]string)
		s.FirstAsk = p.Text
	}
	s.asks[p.Turn] = p.Text
	if before, known := s.asks[p.Continues]; known && p.Continues != 0 {
		s.asks[p.Turn] = before
	}
}

// Clone returns a copy that shares nothing with s which later events change.
func (s *State) Clone() State {
	c := *s
	c.Course, c.Untold, c.told = s.Course.clone(), slices.Clone(s.Untold), slices.Clone(s.told)
	c.Instructions, c.asks, c.written = maps.Clone(s.Instructions), maps.Clone(s.asks), maps.Clone(s.written)
	c.allowed = maps.Clone(s.allowed)
	c.aside.requests = maps.Clone(s.aside.requests)
	c.prompts, c.calls = slices.Clone(s.prompts), slices.Clone(s.calls)
	return c
}

// Status is "idle", "running", "waiting" (for a person) or "closed".
func (s *State) Status() string {
	switch {
	case s.Ended:
		return "closed"
	case len(s.prompts) > 0:
		return "waiting"
	case s.Running:
		return "running"
	}
	return "idle"
}

// Unfinished says that the last turn was cut off: it ended interrupted or with the editor, or has no end.
func (s *State) Unfinished() bool { return s.Running || s.Cut }

// OpenCalls returns the calls without a result, in order.
func (s *State) OpenCalls() []event.ToolCall { return append([]event.ToolCall(nil), s.calls...) }

// OpenPrompts returns the prompts without an answer, in order.
func (s *State) OpenPrompts() []string {
	ids := make([]string, 0, len(s.prompts))
	for _, o := range s.prompts {
		ids = append(ids, o.id)
	}
	return ids
}

// Waits says what the session waits for: "permission", "question" or "model".
func (s *State) Waits() []string {
	var waits []string
	for _, o := range s.prompts {
		if o.kind == "permission" {
			waits = append(waits, "permission")
		} else {
			waits = append(waits, "question")
		}
	}
	if s.waiting && len(waits) == 0 {
		waits = append(waits, "model")
	}
	return waits
}

// Allowed reports whether a running call was allowed to change something.
func (s *State) Allowed(call string) bool { return s.allowed[call] }

// Written returns the paths that the running turn was allowed to write, sorted.
func (s *State) Written() []string { return slices.Sorted(maps.Keys(s.written)) }

// Ask returns the text that started a turn.
func (s *State) Ask(turn int) string { return s.asks[turn] }

func drop[T any](list []T, match func(T) bool) []T {
	for i, v := range list {
		if match(v) {
			return append(list[:i:i], list[i+1:]...)
		}
	}
	return list
}
