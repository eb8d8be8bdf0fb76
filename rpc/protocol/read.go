package protocol

import "github.com/go-json-experiment/json/jsontext"

// ViewParams are the params of session/view.
type ViewParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Since leaves out the cards that have not changed after this revision.
	Since int64 `json:"since,omitzero"`
	// Follow asks for the notifications of a session that is open here.
	Follow bool `json:"follow,omitzero"`
}

// Validate names the first wrong field.
func (p ViewParams) Validate() error {
	return first(required("session", p.Session), notNegative("since", p.Since))
}

// ViewResult is the result of session/view.
type ViewResult struct {
	// Status is what the session is doing.
	Status Status `json:"status"`
	// Cards are the cards in the order of appearance.
	Cards []Card `json:"cards"`
	// Revision is the seq of the last event that they show.
	Revision int64 `json:"revision"`
}

// EventsParams are the params of session/events.
type EventsParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// FromSeq is the first event to return; 0 or absent for the first of the log.
	FromSeq int64 `json:"fromSeq,omitzero"`
	// Limit is the most events to return; 0 leaves it to the server.
	Limit int `json:"limit,omitzero"`
}

// Validate names the first wrong field.
func (p EventsParams) Validate() error {
	return first(required("session", p.Session), notNegative("fromSeq", p.FromSeq), notNegative("limit", p.Limit))
}

// EventsResult is the result of session/events.
type EventsResult struct {
	// Events are the logged events as their lines hold them.
	Events []jsontext.Value `json:"events"`
	// Next is the fromSeq of the next page; absent when there is none.
	Next int64 `json:"next,omitzero"`
}

// TranscriptResult is the result of session/transcript.
type TranscriptResult struct {
	// Text is the transcript, byte for byte what "nodwyn replay" prints.
	Text string `json:"text"`
}

// Against says what a diff compares with.
type Against string

// What a diff compares with.
const (
	// AgainstBase compares with the commit that the session started or last landed from.
	AgainstBase Against = "base"
	// AgainstTarget compares with the branch that a landing would go to.
	AgainstTarget Against = "target"
)

// DiffParams are the params of session/diff.
type DiffParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Path keeps one file, and returns its hunks.
	Path string `json:"path,omitzero"`
	// Turn keeps what one turn changed; 0 or absent for all of them.
	Turn int `json:"turn,omitzero"`
	// Against is "base" (the default) or "target".
	Against Against `json:"against,omitzero"`
}

// Validate names the first wrong field.
func (p DiffParams) Validate() error {
	return first(required("session", p.Session), noNUL("path", p.Path), notNegative("turn", p.Turn), oneOf("against", p.Against, AgainstBase, AgainstTarget))
}

// Hunk is one block of changed lines.
type Hunk struct {
	// ID is the first 12 hex digits of the SHA-256 of its path and lines.
	ID string `json:"id"`
	// Header is the "@@" line.
	Header string `json:"header"`
	// Text is its lines in unified form.
	Text string `json:"text"`
}

// FileDiff is one changed file.
type FileDiff struct {
	// Path is relative to the session's tree.
	Path string `json:"path"`
	// OldPath is the path before a rename.
	OldPath string `json:"oldPath,omitzero"`
	// Status is "A" (added), "M" (modified), "D" (deleted), "R" (renamed) or "T" (type changed).
	Status string `json:"status"`
	// Insertions are the lines added.
	Insertions int `json:"insertions"`
	// Deletions are the lines removed.
	Deletions int `json:"deletions"`
	// Binary says that the file has no lines to count.
	Binary bool `json:"binary"`
	// Hunks are the blocks of changed lines.
	Hunks []Hunk `json:"hunks,omitempty"`
}

// DiffResult is the result of session/diff.
type DiffResult struct {
	// Files are the changed files, by path.
	Files []FileDiff `json:"files"`
	// Conflicts are the files that session and target changed in the same places; only against the target.
	Conflicts []FileConflict `json:"conflicts,omitempty"`
}
