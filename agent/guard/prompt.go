package guard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Asker puts prompts before a person.
type Asker interface {
	// Ask returns the answer, or ErrNobody when there is nobody to ask. It returns soon after ctx ends, and closes the prompt then.
	Ask(ctx context.Context, p Prompt) (Answer, error)
}

// ErrNobody says that no person answered: there was nobody to ask, the deadline passed, or the answer was none.
var ErrNobody = errors.New("nobody answered")

// PromptType is what kind of answer a prompt wants.
type PromptType string

// The types of prompts.
const (
	TypePermission PromptType = "permission" // one of Options
	TypeQuestion   PromptType = "question"   // one of Choices, or free text
	TypeChoice     PromptType = "choice"     // one of Choices
	TypePlan       PromptType = "plan"       // one of Choices
)

// The ids of a permission's options.
const (
	AllowOnce    = "allow_once"
	AllowSession = "allow_session"
	AllowEdits   = "allow_edits"
	AllowAlways  = "allow_always"
	DenyOnce     = "deny"
	DenyStop     = "deny_stop"
)

// Option is an answer that a permission offers.
type Option struct {
	// ID is one of the ids above.
	ID string
	// Label is what a person reads.
	Label string
	// Scope is how far it goes; empty for a denial.
	Scope Scope
	// Prefix is the command that is remembered.
	Prefix []string
}

// Prompt is what a person is asked. Much of it is text of the model's or of a file: what is there to be read has its control characters escaped; Path, Argv and Cwd, which are there to be worked with, are as they are.
type Prompt struct {
	Session string
	// ID is unique in the session: "p1", "p2", …
	ID   string
	Turn int
	Type PromptType
	// Op is the effect that is to be permitted; for a choice its subject.
	Op string
	// Action is a permission in a sentence.
	Action string
	// Path is absolute.
	Path string
	// Diff is the change in unified form; Truncated says that it was cut.
	Diff      string
	Truncated bool
	// Range is the first changed range, in lines of the file as it is now; nil without one.
	Range *event.Range
	// Argv is the command, Cwd its absolute folder.
	Argv []string
	Cwd  string
	// Host is what a connection is for.
	Host string
	// Why says why this is asked, when the policy alone does not.
	Why string
	// Text is the question.
	Text string
	// Choices are the answers of a question or choice; FreeText allows any other.
	Choices  []string
	FreeText bool
	// Options are the answers of a permission.
	Options []Option
	// Timeout is the deadline; 0 waits.
	Timeout time.Duration
}

// Answer is what a person said.
type Answer struct {
	// Option is the id of a permission's option.
	Option string
	// Text is the answer to a question or choice.
	Text string
	// Actor is who answered.
	Actor string
	// Note is what they added.
	Note string
}

// open is the prompt's record.
func (p Prompt) open() event.PromptOpen {
	options := p.Choices
	for _, o := range p.Options {
		options = append(options, o.ID)
	}
	return event.PromptOpen{
		PromptID: p.ID, Turn: p.Turn, Type: string(p.Type), Op: p.Op, Action: p.Action, Path: p.Path,
		Diff: p.Diff, Truncated: p.Truncated, Argv: p.Argv, Cwd: p.Cwd, Host: p.Host, Text: p.Text,
		Options: options, TimeoutSec: int((p.Timeout + time.Second - 1) / time.Second),
	}
}

// shown returns the prompt with nothing in its texts that a terminal would obey or a person not see.
func (p Prompt) shown() Prompt {
	p.Why, p.Text, p.Diff = visible(p.Why), clean([]byte(p.Text)), cleanDiff(p.Diff)
	p.Choices = slices.Clone(p.Choices)
	for i, c := range p.Choices {
		p.Choices[i] = visible(c)
	}
	return p
}

// accepts reports whether the answer is one that the prompt offered.
func (p Prompt) accepts(a Answer) bool {
	if p.Type == TypePermission {
		return p.option(a.Option) != nil
	}
	if p.FreeText {
		return a.Text != ""
	}
	for _, c := range p.Choices {
		if c == a.Text {
			return true
		}
	}
	return false
}

func (p Prompt) option(id string) *Option {
	for i, o := range p.Options {
		if o.ID == id {
			return &p.Options[i]
		}
	}
	return nil
}

// LabelAlways is the label where the answer for good is about this path or exactly this command.
const LabelAlways = "Always allow"

// alwaysOption offers to allow for good: this path, this command, or what begins as it does, which the label then says, with what that would have meant so far.
func (s *shared) alwaysOption(a Action) Option {
	o := Option{ID: AllowAlways, Label: LabelAlways, Scope: ScopeAlways, Prefix: a.Argv}
	if prefix := a.prefix(); prefix != nil {
		o.Prefix, o.Label = prefix, fmt.Sprintf("Always allow commands that begin with %q", commandLine(prefix))
		if s.cfg.History != nil {
			o.Label += " (" + s.cfg.History(prefix).words() + ")"
		}
	}
	return o
}

// History is how often commands of one kind ran in a repository so far.
type History struct {
	// Matched counts them, Failed those that did not end well, in the latest Sessions.
	Matched, Failed, Sessions int
}

func (h History) words() string {
	switch {
	case h.Matched == 0:
		return "none of that kind has run here so far"
	case h.Failed == 0:
		return fmt.Sprintf("%d have run here in the latest %d sessions, and all ended well", h.Matched, h.Sessions)
	}
	return fmt.Sprintf("%d have run here in the latest %d sessions, and %d of them failed", h.Matched, h.Sessions, h.Failed)
}

// optionsFor returns what may be answered to an action. What is asked each time offers nothing that is remembered.
func (s *shared) optionsFor(a Action, r Ruling) []Option {
	options := []Option{{ID: AllowOnce, Label: "Allow once", Scope: ScopeOnce}}
	if !r.Always {
		options = append(options, Option{ID: AllowSession, Label: "Allow for this session", Scope: ScopeSession, Prefix: a.Argv})
		if a.Op == OpWrite && s.cfg.Worktree {
			options = append(options, Option{ID: AllowEdits, Label: "Allow all edits in this session", Scope: ScopeEdits})
		}
		if s.cfg.StateDir != "" {
			options = append(options, s.alwaysOption(a))
		}
	}
	return append(options, Option{ID: DenyOnce, Label: "Deny"}, Option{ID: DenyStop, Label: "Deny and stop"})
}
