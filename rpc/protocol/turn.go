package protocol

import "fmt"

// AttachmentType says what an attachment is.
type AttachmentType string

// The types of attachment.
const (
	// AttachText is text that stands for itself.
	AttachText AttachmentType = "text"
	// AttachFile is a file of the session's tree.
	AttachFile AttachmentType = "file"
	// AttachSelection is a part of a file.
	AttachSelection AttachmentType = "selection"
	// AttachDiagnostics are the editor's diagnostics of a file.
	AttachDiagnostics AttachmentType = "diagnostics"
)

// Attachment is something that goes to the model with a prompt.
type Attachment struct {
	// Type is "text", "file", "selection" or "diagnostics".
	Type AttachmentType `json:"type"`
	// Path is the file it is about, relative to the session's tree or absolute.
	Path string `json:"path,omitzero"`
	// Range is the part of the file.
	Range *Range `json:"range,omitzero"`
	// Text is the content, where the editor has it; a file without text is read by the server.
	Text string `json:"text,omitzero"`
	// URI is the file as a URI, instead of a path.
	URI string `json:"uri,omitzero"`
}

func (a Attachment) validate(at string) error {
	err := first(required(at+".type", string(a.Type)),
		oneOf(at+".type", a.Type, AttachText, AttachFile, AttachSelection, AttachDiagnostics))
	if a.Range != nil {
		err = first(err, a.Range.validate(at+".range"))
	}
	if err != nil {
		return err
	}
	if a.Type == AttachText {
		return required(at+".text", a.Text)
	}
	if a.URI != "" {
		return nil
	}
	return required(at+".path", a.Path)
}

// When says when a prompt starts its turn.
type When string

// The moments of a prompt.
const (
	// Now starts the turn at once, and is refused while a turn runs.
	Now When = "now"
	// Next waits for the running turn and for what was queued before.
	Next When = "next"
)

// PromptParams are the params of session/prompt.
type PromptParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Text is the request.
	Text string `json:"text"`
	// Attachments go to the model with the text.
	Attachments []Attachment `json:"attachments,omitempty"`
	// When is "now", which is the default, or "next".
	When When `json:"when,omitzero"`
}

// Validate names the first wrong field.
func (p PromptParams) Validate() error {
	if err := first(required("session", p.Session), required("text", p.Text), oneOf("when", p.When, Now, Next)); err != nil {
		return err
	}
	for i, a := range p.Attachments {
		if err := a.validate(fmt.Sprintf("attachments[%d]", i)); err != nil {
			return err
		}
	}
	return nil
}

// Outcome says how a turn ended.
type Outcome string

// The outcomes of a turn.
const (
	// Completed means that the model came to its end.
	Completed Outcome = "completed"
	// Cancelled means that someone stopped it.
	Cancelled Outcome = "cancelled"
	// Failed means that it could not go on.
	Failed Outcome = "failed"
)

// EndReason says more of how a turn ended.
type EndReason string

// The reasons of an end.
const (
	// EndDenyStop means that a person denied an effect and stopped the turn.
	EndDenyStop EndReason = "deny_stop"
	// EndEditorExit means that the editor went away.
	EndEditorExit EndReason = "editor_exit"
	// EndDropped means that the request left the queue before its turn, whose number is 0.
	EndDropped EndReason = "dropped"
)

// Usage counts what a turn cost. What nobody reported is absent, never zero.
type Usage struct {
	// Calls counts the requests to the model.
	Calls int `json:"calls"`
	// Actions counts the tool calls.
	Actions int `json:"actions"`
	// PromptTokens include cached ones.
	PromptTokens *int64 `json:"promptTokens,omitzero"`
	// OutputTokens are the tokens of the replies.
	OutputTokens *int64 `json:"outputTokens,omitzero"`
	// CachedTokens are the prompt tokens that the provider read from its cache.
	CachedTokens *int64 `json:"cachedTokens,omitzero"`
	// Unreported counts the replies without token counts.
	Unreported int `json:"unreported,omitzero"`
	// Cost is in US dollars.
	Cost *float64 `json:"cost,omitzero"`
	// ModelMS is the time of the models in milliseconds.
	ModelMS int64 `json:"modelMs"`
	// ToolMS is the time of the tools in milliseconds.
	ToolMS int64 `json:"toolMs"`
}

// TurnResult is the result of session/prompt. It is sent when the end of the turn is on disk, and behind every notification up to its revision.
type TurnResult struct {
	// Turn is the number of the turn in its session, from 1.
	Turn int `json:"turn"`
	// Outcome is "completed", "cancelled" or "failed".
	Outcome Outcome `json:"outcome"`
	// Reason says more of a turn that was cancelled; absent when there is no more to say.
	Reason EndReason `json:"reason,omitzero"`
	// Text is the answer, or why there is none.
	Text string `json:"text"`
	// Usage counts what the turn cost.
	Usage Usage `json:"usage"`
	// Revision is the seq of the last event that the turn recorded.
	Revision int64 `json:"revision"`
}

// CancelParams are the params of session/cancel.
type CancelParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Turn is the turn to cancel; 0 or absent for the one that runs when the request arrives.
	Turn int `json:"turn,omitzero"`
}

// Validate names the first wrong field.
func (p CancelParams) Validate() error {
	return first(required("session", p.Session), notNegative("turn", p.Turn))
}

// CancelResult is the result of session/cancel.
type CancelResult struct {
	// Cancelled says that a turn was running and has ended.
	Cancelled bool `json:"cancelled"`
	// Killed are the commands that were running and are confirmed gone.
	Killed []string `json:"killed"`
}
