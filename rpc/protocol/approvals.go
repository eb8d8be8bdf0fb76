package protocol

// Approval is something that needs no question in a session.
type Approval struct {
	// Words say what in a clause.
	Words string `json:"words"`
	// Op is "read", "write" or "exec".
	Op string `json:"op"`
	// Scope is how far it goes: "once", "session", "edits", "always", or "configured" for a rule of the configuration.
	Scope string `json:"scope"`
	// Prefix is the command word by word, or the beginning of the commands that are meant.
	Prefix []string `json:"prefix,omitempty"`
	// Begins says that Prefix is a beginning.
	Begins bool `json:"begins,omitzero"`
	// Path is what may be read or written: relative to the session's tree, or a rule's pattern.
	Path string `json:"path,omitzero"`
	// Cwd is the folder that an exact command is allowed in, relative to the session's tree.
	Cwd string `json:"cwd,omitzero"`
	// Actor is who allowed it; absent for a rule.
	Actor string `json:"actor,omitzero"`
	// Since is when, in RFC 3339 and UTC, where it is known.
	Since string `json:"since,omitzero"`
}

// ApprovalsResult is the result of session/approvals and session/revoke.
type ApprovalsResult struct {
	// Approvals are what is allowed now, or what was taken back.
	Approvals []Approval `json:"approvals"`
}

// RevokeParams are the params of session/revoke.
type RevokeParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Op is "read", "write" or "exec".
	Op string `json:"op"`
	// Prefix is the command as session/approvals lists it; without it and without a path, all answers of the op are taken back.
	Prefix []string `json:"prefix,omitempty"`
	// Path is the path as session/approvals lists it.
	Path string `json:"path,omitzero"`
}

// Validate names the first wrong field.
func (p RevokeParams) Validate() error {
	return first(required("session", p.Session), oneOf("op", p.Op, "read", "write", "exec"))
}
