package protocol

// ErrorCode is the code of a JSON-RPC error that nodwyn adds to those of JSON-RPC and the Language Server Protocol.
type ErrorCode int32

// The codes of nodwyn.
const (
	// UnknownSession means that there is no such session.
	UnknownSession ErrorCode = -32001
	// AlreadyOpen means that the session is open in another process.
	AlreadyOpen ErrorCode = -32010
	// Busy means that a turn is running.
	Busy ErrorCode = -32011
	// NothingToContinue means that there is no turn to continue or steer.
	NothingToContinue ErrorCode = -32012
	// Conflict means that a landing met conflicts, listed in the error's data.
	Conflict ErrorCode = -32013
	// Refused means that policy forbids it.
	Refused ErrorCode = -32014
	// BadConfiguration means that a configuration file is wrong; the error's data names the place.
	BadConfiguration ErrorCode = -32015
	// NotOpen means that the session has to be resumed first.
	NotOpen ErrorCode = -32016
	// BadRepository means that git or the repository cannot do it.
	BadRepository ErrorCode = -32017
)

// ErrorDetail stands in the data of an error.
type ErrorDetail struct {
	// Reason is one stable word for programs.
	Reason string `json:"reason"`
	// Field is the wrong field of the params.
	Field string `json:"field,omitzero"`
	// Conflicts are the files in the way of a landing.
	Conflicts []FileConflict `json:"conflicts,omitempty"`
	// File is the configuration file that is wrong.
	File string `json:"file,omitzero"`
	// Line is the line in that file, from 1.
	Line int `json:"line,omitzero"`
	// Key is the key in that file.
	Key string `json:"key,omitzero"`
}

// FileConflict is one file in the way of a landing.
type FileConflict struct {
	// Path is relative to the repository.
	Path string `json:"path"`
	// Kind says what is in the way, such as "content" or "uncommitted".
	Kind string `json:"kind"`
}
