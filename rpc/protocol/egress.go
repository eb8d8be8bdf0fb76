package protocol

// EgressParams are the params of session/egress.
type EgressParams struct {
	// Session is the id of the session.
	Session string `json:"session"`
	// Turn is the turn that is meant; 0 or absent for all.
	Turn int `json:"turn,omitzero"`
}

// Validate names the first wrong field.
func (p EgressParams) Validate() error {
	return first(required("session", p.Session), notNegative("turn", p.Turn))
}

// EgressRow is what went, or was not let, to one host for one purpose.
type EgressRow struct {
	// Host is the host and port.
	Host string `json:"host"`
	// Purpose is what it was for, such as "model".
	Purpose string `json:"purpose"`
	// Allowed says whether it went.
	Allowed bool `json:"allowed"`
	// Reason is the rule by which.
	Reason string `json:"reason"`
	// Requests counts the requests.
	Requests int `json:"requests"`
	// Bytes is what they carried, without what came back.
	Bytes int64 `json:"bytes"`
}

// EgressResult is the result of session/egress.
type EgressResult struct {
	// Egress lists each host and purpose once, in the order of their first request.
	Egress []EgressRow `json:"egress"`
}
