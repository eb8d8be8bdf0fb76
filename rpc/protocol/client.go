package protocol

import "github.com/go-json-experiment/json/jsontext"

// OptionID is an answer to a permission prompt.
type OptionID string

// The answers to a permission prompt.
const (
	// AllowOnce allows this effect.
	AllowOnce OptionID = "allow_once"
	// AllowSession allows this path or command for the rest of the session.
	AllowSession OptionID = "allow_session"
	// AllowEdits allows every write in the session's worktree for the rest of the session.
	AllowEdits OptionID = "allow_edits"
	// AllowAlways allows this path or command in this repository from now on.
	AllowAlways OptionID = "allow_always"
	// Deny refuses this effect.
	Deny OptionID = "deny"
	// DenyStop refuses this effect and ends the turn.
	DenyStop OptionID = "deny_stop"
)

// Option is one answer that a permission prompt offers.
type Option struct {
	// ID is what the answer says.
	ID OptionID `json:"id"`
	// Label is what a person reads.
	Label string `json:"label"`
	// Scope is how far the answer goes: "once", "session", "edits" or "always".
	Scope string `json:"scope"`
	// Prefix is the command that a wider scope remembers, word by word.
	Prefix []string `json:"prefix,omitempty"`
}

// PermissionParams are the params of session/requestPermission.
type PermissionParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// PromptID names the prompt in the session.
	PromptID string `json:"promptId"`
	// Turn is the turn that asks; 0 outside turns.
	Turn int `json:"turn"`
	// Action is the effect in a sentence, such as "Replace README.md".
	Action string `json:"action"`
	// Op is "read", "write", "exec" or "net".
	Op string `json:"op"`
	// Path is the absolute path of the file.
	Path string `json:"path,omitzero"`
	// Diff is the change in unified form.
	Diff string `json:"diff,omitzero"`
	// Truncated says that the diff is too large to be shown whole.
	Truncated bool `json:"truncated,omitzero"`
	// Range is the first changed part of the file.
	Range *Range `json:"range,omitzero"`
	// Argv is the command; text that needs a shell is ["sh","-c",TEXT].
	Argv []string `json:"argv,omitempty"`
	// Cwd is the absolute folder of the command.
	Cwd string `json:"cwd,omitzero"`
	// Host is the host to be reached.
	Host string `json:"host,omitzero"`
	// Why says what makes it ask, where that is not plain.
	Why string `json:"why,omitzero"`
	// Options are the answers to choose from.
	Options []Option `json:"options"`
	// TimeoutSec is the deadline in seconds; absent when the prompt waits.
	TimeoutSec int `json:"timeoutSec,omitzero"`
}

// PermissionResult answers session/requestPermission. Anything else, an error and null included, is a denial.
type PermissionResult struct {
	// Option is the id of the chosen option.
	Option OptionID `json:"option"`
	// Actor is who answered; absent for the person at the editor.
	Actor string `json:"actor,omitzero"`
	// Note is what they said with it; the model reads it after a denial.
	Note string `json:"note,omitzero"`
}

// AskParams are the params of session/ask.
type AskParams struct {
	// Session is the id of the session; absent for a question outside sessions.
	Session string `json:"session,omitzero"`
	// PromptID names the prompt.
	PromptID string `json:"promptId"`
	// Text is the question.
	Text string `json:"text"`
	// Choices are the answers offered. What nodwyn itself asks has fixed words: "trust" or "skip" for the checks of a repository, "use" or "skip" for checks that were found in it, "accept", "revise" or "reject" for a plan.
	Choices []string `json:"choices"`
	// FreeText says that any other text is an answer too.
	FreeText bool `json:"freeText"`
}

// AskResult answers session/ask. Anything else, an error and null included, stands for no answer: a choice then goes the way that lets nothing happen, and the model is told that nobody answered its question.
type AskResult struct {
	// Answer is one of the choices, or the text.
	Answer string `json:"answer"`
}

// PromptResolved are the params of session/promptResolved.
type PromptResolved struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// PromptID names the prompt.
	PromptID string `json:"promptId"`
	// Answer is what it came to: the id of an option, a choice or a text; "expired" when nobody answered.
	Answer string `json:"answer"`
}

// EventParams are the params of session/event.
type EventParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Event is the logged event as its line holds it.
	Event jsontext.Value `json:"event"`
}

// DeltaParams are the params of session/delta.
type DeltaParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Turn is the turn whose reply streams in.
	Turn int `json:"turn"`
	// Attempt counts the retries of a reply from 1; a higher one voids what came before. Absent means 1.
	Attempt int `json:"attempt,omitzero"`
	// Text is a piece of the answer.
	Text string `json:"text,omitzero"`
	// Thinking is a piece of the reasoning.
	Thinking string `json:"thinking,omitzero"`
}

// CardParams are the params of session/card.
type CardParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Card is the card, new or changed.
	Card Card `json:"card"`
	// Revision is the seq of the last event that the card shows.
	Revision int64 `json:"revision"`
}

// Status says what a session is doing.
type Status string

// What a session can be doing.
const (
	// Idle means that no turn runs.
	Idle Status = "idle"
	// Running means that a turn runs.
	Running Status = "running"
	// Waiting means that a turn waits for a person.
	Waiting Status = "waiting"
	// Closed means that nobody holds the session.
	Closed Status = "closed"
	// Damaged means that the session's log cannot be read; only a list says so, with the reason as title.
	Damaged Status = "damaged"
)

// Wait is something that a session waits for.
type Wait string

// What a session can wait for.
const (
	// WaitPermission is a permission prompt.
	WaitPermission Wait = "permission"
	// WaitQuestion is a question.
	WaitQuestion Wait = "question"
	// WaitModel is a reply of the model.
	WaitModel Wait = "model"
)

// StatusParams are the params of session/status.
type StatusParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Status is what it is doing.
	Status Status `json:"status"`
	// Waits are what it waits for.
	Waits []Wait `json:"waits,omitempty"`
	// Turn is the running turn; absent between turns.
	Turn int `json:"turn,omitzero"`
	// Step counts the model's steps of the running turn; absent between turns.
	Step int `json:"step,omitzero"`
	// Ready is true in the one notification that says that the files of the worktree are checked out.
	Ready bool `json:"ready,omitzero"`
	// Overlaps are the files that another session of the repository changes too.
	Overlaps []Overlap `json:"overlaps,omitempty"`
}

// Overlap is a file that two sessions both change.
type Overlap struct {
	// Session is the other session.
	Session string `json:"session"`
	// Title is its title, or its first request.
	Title string `json:"title"`
	// Path is the file, relative to the tree.
	Path string `json:"path"`
	// Lines are the places that both change, in the file as the base of this session has it; absent when they change different places.
	Lines []LineRun `json:"lines,omitempty"`
	// Whole says that one of them adds, deletes or renames the file, or changes it other than by lines.
	Whole bool `json:"whole,omitzero"`
}
