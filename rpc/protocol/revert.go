package protocol

// What says what session/revert takes back.
type What string

// What session/revert takes back.
const (
	// Files takes changes of files back.
	Files What = "files"
	// Chat takes turns out of what the model sees.
	Chat What = "chat"
	// Both takes both back.
	Both What = "both"
)

// RevertParams are the params of session/revert.
type RevertParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// What is "files" (the default), "chat" or "both".
	What What `json:"what,omitzero"`
	// Turn is the turn to whose end it goes back; 0 is the start. It is required for "chat" and "both"; absent for "files", everything since the base is meant.
	Turn *int `json:"turn,omitzero"`
	// Path takes back only that file or folder.
	Path string `json:"path,omitzero"`
	// Hunk takes back only that hunk, by its id in session/diff.
	Hunk string `json:"hunk,omitzero"`
	// Preview says what would change and changes nothing.
	Preview bool `json:"preview,omitzero"`
	// Undo takes the last revert back that was not undone. It goes with no other field but preview.
	Undo bool `json:"undo,omitzero"`
}

// Validate names the first wrong field.
func (p RevertParams) Validate() error {
	return first(
		required("session", p.Session), oneOf("what", p.What, Files, Chat, Both), noNUL("path", p.Path), noNUL("hunk", p.Hunk), p.combination(),
	)
}

func (p RevertParams) combination() error {
	chat := p.What == Chat || p.What == Both
	switch {
	case p.Undo && (p.What != "" || p.Turn != nil || p.Path != "" || p.Hunk != ""):
		return &FieldError{Field: "undo", Reason: "goes with no other field but preview: it takes the last revert back as it was"}
	case p.Undo:
		return nil
	case p.Turn != nil && *p.Turn < 0:
		return &FieldError{Field: "turn", Reason: "is negative"}
	case chat && p.Turn == nil:
		return &FieldError{Field: "turn", Reason: "is required to take back what was said: the turn to whose end it goes back"}
	case chat && (p.Path != "" || p.Hunk != ""):
		return &FieldError{Field: "what", Reason: "is \"files\" for one file or hunk: what was said about it cannot be taken apart"}
	}
	return nil
}

// RevertResult is the result of session/revert.
type RevertResult struct {
	// What is what was taken back.
	What What `json:"what"`
	// Files are the files that changed, without hunks.
	Files []FileDiff `json:"files"`
	// Turns are the turns that left the model's window, or came back into it.
	Turns []int `json:"turns"`
	// Commit is the snapshot of the files as they are now; absent when no file changed and for a preview.
	Commit string `json:"commit,omitzero"`
}

// SyncParams are the params of session/sync.
type SyncParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Onto is the branch or revision that comes in; absent for the branch the session started from.
	Onto string `json:"onto,omitzero"`
	// Preview says what would come in and changes nothing.
	Preview bool `json:"preview,omitzero"`
	// Undo takes the last sync back.
	Undo bool `json:"undo,omitzero"`
}

// Validate names the first wrong field.
func (p SyncParams) Validate() error {
	if p.Undo && p.Onto != "" {
		return &FieldError{Field: "undo", Reason: "goes without onto: it takes the last sync back"}
	}
	return first(required("session", p.Session), name("onto", p.Onto))
}

// SyncResult is the result of session/sync.
type SyncResult struct {
	// Base is the commit from which the session's diffs and landings count now.
	Base string `json:"base"`
	// Commit is the snapshot of the files as they are now; absent for a preview.
	Commit string `json:"commit,omitzero"`
	// Files are the files that changed in the session's tree, without hunks.
	Files []FileDiff `json:"files"`
	// Conflicts are the files that both changed in the same places. Those of the kind "contents" hold conflict markers now, and nothing lands while one is left.
	Conflicts []FileConflict `json:"conflicts,omitempty"`
	// Yielded are files of the person's own that the session had carried and whose version on the branch counts now.
	Yielded []string `json:"yielded,omitempty"`
	// Request is a prompt that has the agent resolve the conflicts; absent without any.
	Request string `json:"request,omitzero"`
}
