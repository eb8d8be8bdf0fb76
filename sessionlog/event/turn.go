package event

// UserMsg is what a person asked. The first of a turn starts it; a later one with the same turn steers it.
type UserMsg struct {
	// Turn is the turn's number in the session, from 1.
	Turn int `json:"turn"`
	// Text is the request.
	Text string `json:"text"`
	// Actor is who asked.
	Actor string `json:"actor"`
	// Continues is the interrupted turn that this one takes up; absent for a new request.
	Continues int `json:"continues,omitzero"`
}

// Range is a span of a text file: 1-based lines and columns, columns in UTF-8 bytes, the end exclusive.
type Range struct {
	StartLine   int `json:"start_line"`
	StartColumn int `json:"start_column"`
	EndLine     int `json:"end_line"`
	EndColumn   int `json:"end_column"`
}

// Attach is one thing that goes to the model with a message. Those of a prompt stand directly after its user.msg; a nested instruction file stands after the tool.result that touched its folder.
type Attach struct {
	// Turn is the turn it belongs to.
	Turn int `json:"turn"`
	// Type is "text", "file", "selection" or "diagnostics".
	Type string `json:"type"`
	// Origin is "person", or "instructions" for the environment block and the repository's instruction files.
	Origin string `json:"origin"`
	// Path is relative to the session's tree.
	Path string `json:"path,omitzero"`
	// Range is the part of the file that Text holds; absent for the whole.
	Range *Range `json:"range,omitzero"`
	// Text is the content as the model sees it.
	Text *string `json:"text,omitzero"`
	// SHA256 is the lower-case hex digest of the attached bytes before redaction.
	SHA256 string `json:"sha256"`
	// MediaType is the content's type where it is not plain text.
	MediaType string `json:"media_type,omitzero"`
}

// GatePlan records a plan and what the person said to it.
type GatePlan struct {
	// Turn is the turn that proposed it.
	Turn int `json:"turn"`
	// Steps are the steps of the plan, in order.
	Steps []string `json:"steps"`
	// Decision is "accept", "revise" or "reject"; "unanswered" when nobody could be asked.
	Decision string `json:"decision"`
	// Actor is who decided.
	Actor string `json:"actor,omitzero"`
	// PromptID is the prompt that was answered.
	PromptID string `json:"prompt_id,omitzero"`
}

// CloseoutItem is the outcome of one of the project's checks.
type CloseoutItem struct {
	// Turn is the turn whose work was checked.
	Turn int `json:"turn"`
	// Name is the item's name in .nodwyn/closeout.toml.
	Name string `json:"name"`
	// Kind is the item's kind there, "command" unless it says otherwise.
	Kind string `json:"kind"`
	// Argv is what ran.
	Argv []string `json:"argv"`
	// Outcome is "passed", "failed", "skipped" (untrusted or cancelled) or "timeout".
	Outcome string `json:"outcome"`
	// Exit is the exit code; absent when the command did not exit by itself.
	Exit *int `json:"exit,omitzero"`
	// WallMS is the time it took in milliseconds.
	WallMS int64 `json:"wall_ms"`
	// OutputTail is the end of its output, bounded.
	OutputTail string `json:"output_tail"`
	// Tree is the git tree it ran on; absent outside git.
	Tree string `json:"tree,omitzero"`
}

// DiffStat counts the changed lines of one file.
type DiffStat struct {
	// Path is relative to the session's tree.
	Path string `json:"path"`
	// Status is "A" (added), "M" (modified), "D" (deleted), "R" (renamed) or "T" (type changed).
	Status string `json:"status"`
	// Insertions are the lines added; 0 for a binary file.
	Insertions int `json:"insertions"`
	// Deletions are the lines removed; 0 for a binary file.
	Deletions int `json:"deletions"`
}

// Proof says what a turn did and which checks it failed. It stands in every completed turn and in any that wrote.
type Proof struct {
	// Turn is the turn that is proved.
	Turn int `json:"turn"`
	// Wrote lists the changed paths, relative to the session's tree.
	Wrote []string `json:"wrote"`
	// DiffStat counts the changed lines of each file.
	DiffStat []DiffStat `json:"diffstat"`
	// Failed names the closeout items that did not pass.
	Failed []string `json:"failed"`
}

// TurnEnd closes a turn.
type TurnEnd struct {
	// Turn is the turn that ended.
	Turn int `json:"turn"`
	// Outcome is "completed", "cancelled" or "failed".
	Outcome string `json:"outcome"`
	// Reason is "interrupted" (a crash cut the turn), "editor_exit" or "deny_stop".
	Reason string `json:"reason,omitzero"`
	// Error says why the turn failed.
	Error string `json:"error,omitzero"`
	// WallMS is the turn's time in milliseconds; absent when it was interrupted.
	WallMS *int64 `json:"wall_ms,omitzero"`
}

func (UserMsg) kind() Kind      { return "user.msg" }
func (Attach) kind() Kind       { return "attach" }
func (GatePlan) kind() Kind     { return "gate.plan" }
func (CloseoutItem) kind() Kind { return "closeout.item" }
func (Proof) kind() Kind        { return "proof" }
func (TurnEnd) kind() Kind      { return "turn.end" }
