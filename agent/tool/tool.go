// Package tool holds what a model can call. Each tool is one Go file and one Markdown file, and stands once in the list of All.
//
// Invariant: a tool knows nothing of permission. It asks the guard for effects and passes on what the guard says.
//
// Invariant: what a model can put right by calling differently is a Result; an error means that something is wrong with the machine or the session.
package tool

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
)

// Env is what a call works in. Every field is set.
type Env struct {
	// Guard is the session's guard, bound to the call.
	Guard *guard.Guard
	// Index searches the session's tree.
	Index *index.Index
	// Indexed records a refresh of the index that read or removed files.
	Indexed func(index.Update) error
	// Redacted reports whether a text holds a placeholder of the redactor.
	Redacted func(string) bool
	// Live is given a command's output while it runs.
	Live func(text string)
	// Filter takes secrets out of what one background command prints.
	Filter func() guard.Filter
}

// Result is what a call came to, for the model to read.
type Result struct {
	// OK is false when the tool refused or what it did failed.
	OK bool
	// Text is what the model reads. It is bounded, and says so when it was cut.
	Text string
	// Error is a stable word for why OK is false.
	Error string
	// Truncated says that Text was cut.
	Truncated bool
	// Touched are the paths that the call looked into or changed, relative to the tree. A folder ends in a slash, so that path.Dir gives the folder of either.
	Touched []string
	// Stop says that the person wants the turn to end.
	Stop bool
}

// The words of Result.Error.
const (
	wordInvalid    = "invalid_arguments"
	wordDenied     = "denied"
	wordUnanswered = "unanswered"
	wordNotFound   = "not_found"
	wordTooLarge   = "too_large"
	wordBinary     = "binary"
	wordEncoding   = "encoding"
	wordRedacted   = "redacted"
	wordNoMatch    = "no_match"
	wordAmbiguous  = "ambiguous"
	wordOverlap    = "overlap"
	wordExit       = "exit"
	wordSignal     = "signal"
	wordTimeout    = "timeout"
	wordFailed     = "failed"
	wordBusy       = "busy"
)

// Tool is one thing that a model can call.
type Tool struct {
	// Name is what the model calls it.
	Name string
	// Description tells the model what it does and when to use it.
	Description string
	// Schema is the JSON Schema of its arguments.
	Schema jsontext.Value
	// ReadOnly says that a call changes nothing, so that calls may run side by side.
	ReadOnly bool

	run func(context.Context, Env, []byte) (Result, error)
}

// All returns the tools in the order in which a model sees them.
func All() []Tool {
	return []Tool{
		fileRead(),
		fileList(),
		codeSearch(),
		fileWrite(),
		fileEdit(),
		shellExec(),
		shellOutput(),
		shellKill(),
		askPerson(),
	}
}

// Find returns the tool of a name, exactly as it is written.
func Find(name string) (Tool, bool) {
	for _, t := range All() {
		if t.Name == name {
			return t, true
		}
	}
	return Tool{}, false
}

// Run calls the tool with arguments as the model wrote them. Arguments that do not fit and effects that are denied are results; an error means that the call could not be carried out at all.
func (t Tool) Run(ctx context.Context, env Env, args []byte) (Result, error) {
	return t.run(ctx, env, args)
}

// refuse returns the result of a call that did not happen.
func refuse(word, text string) Result { return Result{Error: word, Text: text} }
