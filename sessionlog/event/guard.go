package event

// PromptOpen is a question to a person. It is durable before anyone is asked.
type PromptOpen struct {
	// PromptID is unique in the session: "p1", "p2", …
	PromptID string `json:"prompt_id"`
	// Turn is the turn that asks; absent outside turns.
	Turn int `json:"turn,omitzero"`
	// Type is "permission", "question", "plan" or "choice" (trust and set-up choices, which draw no card).
	Type string `json:"type"`
	// Op is the effect that a permission is about: "read", "write", "exec" or "net"; for a choice its subject, such as "trust".
	Op string `json:"op,omitzero"`
	// Action is a permission in a sentence, such as "Replace README.md".
	Action string `json:"action,omitzero"`
	// Path is absolute.
	Path string `json:"path,omitzero"`
	// Diff is the change in unified form, cut at 256 KiB.
	Diff string `json:"diff,omitzero"`
	// Truncated says that Diff was cut.
	Truncated bool `json:"truncated,omitzero"`
	// Argv is the command; text that needs a shell is ["sh","-c",TEXT].
	Argv []string `json:"argv,omitempty"`
	// Cwd is the command's absolute folder.
	Cwd string `json:"cwd,omitzero"`
	// Host is the host that a network permission is about.
	Host string `json:"host,omitzero"`
	// Text is the question.
	Text string `json:"text,omitzero"`
	// Options are the answers offered; empty allows free text only.
	Options []string `json:"options,omitempty"`
	// TimeoutSec is the deadline in seconds; absent when the prompt waits.
	TimeoutSec int `json:"timeout_sec,omitzero"`
}

// PromptClose is the answer to a prompt.
type PromptClose struct {
	// PromptID names the prompt.
	PromptID string `json:"prompt_id"`
	// Answer is the option's id, the choice or the text; "expired" when nobody could answer.
	Answer string `json:"answer"`
	// Actor is who answered; absent when nobody did.
	Actor string `json:"actor,omitzero"`
}

// GuardDecision allows or denies one effect. It is durable before the effect.
type GuardDecision struct {
	// Turn is the turn that wants the effect; absent outside turns.
	Turn int `json:"turn,omitzero"`
	// ID is the call that wants the effect; absent when no call does.
	ID string `json:"id,omitzero"`
	// Op is "read", "write", "exec" or "net".
	Op string `json:"op"`
	// Target is the path relative to the tree, the command line, or the host.
	Target string `json:"target"`
	// Decision is "allow" or "deny".
	Decision string `json:"decision"`
	// Rule says what decided: a policy such as "workspace", "answer" for a person's word, "session" or "always" for a remembered one, "protected", "escape", "unanswered", "closeout".
	Rule string `json:"rule"`
	// Actor is who answered.
	Actor string `json:"actor,omitzero"`
	// PromptID is the prompt that was answered.
	PromptID string `json:"prompt_id,omitzero"`
	// Scope is how far the answer goes: "once", "session", "edits" or "always".
	Scope string `json:"scope,omitzero"`
	// Dropped counts the further reads of one index refresh that have no record of their own.
	Dropped int `json:"dropped,omitzero"`
}

// ApprovalChange remembers an answer. It is recorded before it takes effect, and is history: no later process takes it as a grant.
type ApprovalChange struct {
	// Actor is who gave it.
	Actor string `json:"actor"`
	// PromptID is the prompt that was answered.
	PromptID string `json:"prompt_id"`
	// Scope is "once" (a read that is not asked for again in the session), "session" or "always".
	Scope string `json:"scope"`
	// Op is the effect: "read", "write" or "exec".
	Op string `json:"op"`
	// Prefix is the command that is remembered, word by word.
	Prefix []string `json:"prefix,omitempty"`
	// Path is the path that is remembered, relative to the tree; "**" stands for every write in the worktree.
	Path string `json:"path,omitzero"`
	// Granted is false when the approval is taken back.
	Granted bool `json:"granted"`
}

// CredRegister says that a credential was stored or taken away. It never holds the value.
type CredRegister struct {
	// Class is the credential's name in the configuration.
	Class string `json:"class"`
	// ID says where it is kept: "keychain" or "file"; "removed" when it was taken away.
	ID string `json:"id"`
	// Actor is who gave it.
	Actor string `json:"actor,omitzero"`
	// PromptID is the prompt at which it was given.
	PromptID string `json:"prompt_id,omitzero"`
}

// EgressCheck records one request that leaves nodwyn for a host. It is durable before the connection.
type EgressCheck struct {
	// Host is the host and port.
	Host string `json:"host"`
	// Purpose is "model" for a request to a model.
	Purpose string `json:"purpose"`
	// Bytes is the size of the body.
	Bytes int64 `json:"bytes"`
	// Allowed says whether it may go.
	Allowed bool `json:"allowed"`
	// Reason says what decided.
	Reason string `json:"reason"`
}

// RedactEvent counts what was taken out of the event before it, or of a stream. It never holds the content.
type RedactEvent struct {
	// Where is the kind and seq of the event, such as "tool.result 12".
	Where string `json:"where"`
	// Class is the class of the secrets.
	Class string `json:"class"`
	// Count is how many were taken out.
	Count int `json:"count"`
}

func (PromptOpen) kind() Kind     { return "prompt.open" }
func (PromptClose) kind() Kind    { return "prompt.close" }
func (GuardDecision) kind() Kind  { return "guard.decision" }
func (ApprovalChange) kind() Kind { return "approval.change" }
func (CredRegister) kind() Kind   { return "cred.register" }
func (EgressCheck) kind() Kind    { return "egress.check" }
func (RedactEvent) kind() Kind    { return "redact.event" }
