package protocol

// CardKind says which body a card has.
type CardKind string

// The kinds of card.
const (
	// CardAsk has an AskBody.
	CardAsk CardKind = "ask"
	// CardQuestion has a QuestionBody.
	CardQuestion CardKind = "question"
	// CardPermission has a PermissionBody.
	CardPermission CardKind = "permission"
	// CardResult has a ResultBody.
	CardResult CardKind = "result"
	// CardProof has a ProofBody.
	CardProof CardKind = "proof"
)

// Card is one thing that a person sees of a session. It never names a tool and never shows a tool's output.
type Card struct {
	// ID is "c1", "c2", … in the order of appearance. A card that comes again replaces the one with its id.
	ID string `json:"id"`
	// Kind is "ask", "question", "permission", "result" or "proof".
	Kind CardKind `json:"kind"`
	// At is when the card appeared, RFC 3339 in UTC.
	At string `json:"at"`
	// Body is the AskBody, QuestionBody, PermissionBody, ResultBody or ProofBody that the kind names.
	Body any `json:"body"`
}

// AskBody is a person's request.
type AskBody struct {
	// Text is the request.
	Text string `json:"text"`
}

// QuestionBody is something that the agent wants to know.
type QuestionBody struct {
	// Text is the question.
	Text string `json:"text"`
	// Choices are the answers offered; empty for free text.
	Choices []string `json:"choices"`
	// Answer is absent while the question is open.
	Answer *string `json:"answer,omitzero"`
}

// PermissionBody is an effect that a person is asked for.
type PermissionBody struct {
	// Action is the effect in a sentence, such as "Replace README.md".
	Action string `json:"action"`
	// Path is the absolute path of the file.
	Path string `json:"path,omitzero"`
	// Diff is the change in unified form; it leaves the card with the answer.
	Diff string `json:"diff,omitzero"`
	// Argv is the command; it leaves the card with the answer.
	Argv []string `json:"argv,omitempty"`
	// TimeoutSec is the deadline in seconds; null when the prompt waits.
	TimeoutSec *int `json:"timeoutSec"`
	// Decision says in words how it was answered; absent while it is open.
	Decision string `json:"decision,omitzero"`
}

// ResultBody is what a turn came to.
type ResultBody struct {
	// Text is the answer, or why there is none.
	Text string `json:"text"`
	// Outcome is set when the turn did not complete.
	Outcome Outcome `json:"outcome,omitzero"`
}

// ProofBody is what a turn wrote and which checks ran.
type ProofBody struct {
	// Wrote are the changed paths.
	Wrote []string `json:"wrote"`
	// DiffStat counts the changed lines of each file.
	DiffStat []ProofStat `json:"diffstat"`
	// Items are the closeout items that ran, in order.
	Items []ProofItem `json:"items"`
	// Failed names the items that did not pass.
	Failed []string `json:"failed"`
}

// ProofStat counts the changed lines of one file.
type ProofStat struct {
	// Path is relative to the session's tree.
	Path string `json:"path"`
	// Status is "A", "M", "D", "R" or "T".
	Status string `json:"status"`
	// Insertions are the lines added.
	Insertions int `json:"insertions"`
	// Deletions are the lines removed.
	Deletions int `json:"deletions"`
}

// ProofItem is one closeout item.
type ProofItem struct {
	// Name is the item's name.
	Name string `json:"name"`
	// Kind is the item's kind.
	Kind string `json:"kind"`
	// Outcome is "passed", "failed", "skipped" or "timeout".
	Outcome string `json:"outcome"`
}
