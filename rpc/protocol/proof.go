package protocol

// ProofParams are the params of session/proof.
type ProofParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Rerun runs all of the project's checks first, those with when = "manual" too.
	Rerun bool `json:"rerun,omitzero"`
}

// Validate names the first wrong field.
func (p ProofParams) Validate() error { return required("session", p.Session) }

// ProofState says whether a check still stands for the files.
type ProofState string

// The states of a check.
const (
	// ProofFresh says that the files are those that it ran on.
	ProofFresh ProofState = "fresh"
	// ProofStale says that files changed since it ran.
	ProofStale ProofState = "stale"
	// ProofUnknown says that it is not on record what it ran on: it was skipped, or the session has no worktree.
	ProofUnknown ProofState = "unknown"
)

// ProvedItem is a check as it ran last.
type ProvedItem struct {
	// Name is what the project calls it.
	Name string `json:"name"`
	// Kind is "command".
	Kind string `json:"kind"`
	// Outcome is "passed", "failed", "skipped" or "timeout", by its exit code.
	Outcome string `json:"outcome"`
	// Exit is the exit code; absent when it did not end by itself.
	Exit *int `json:"exit,omitzero"`
	// WallMS is how long it ran, in milliseconds.
	WallMS int64 `json:"wallMs"`
	// State is "fresh", "stale" or "unknown".
	State ProofState `json:"state"`
	// Changed are the paths, relative to the session's tree, that changed since it ran.
	Changed []string `json:"changed,omitempty"`
}

// ProofResult is the result of session/proof.
type ProofResult struct {
	// Turn is the turn that was proved; 0 when none was.
	Turn int `json:"turn"`
	// Wrote are the paths that the turn changed.
	Wrote []string `json:"wrote"`
	// DiffStat counts the changed lines of each file.
	DiffStat []ProofStat `json:"diffstat"`
	// Items are the turn's checks, each as it ran last.
	Items []ProvedItem `json:"items"`
	// Failed names the items that did not pass when the proof was made.
	Failed []string `json:"failed"`
}
