package effect

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
)

// Step is one pipeline of a plan, and when it runs.
type Step struct {
	// When says what the step waits for.
	When When `json:"when,omitzero"`
	// Pipe are its programs, each reading what the one before it prints. The first reads nothing, and what the last one comes to is what the step comes to.
	Pipe []Program `json:"pipe"`
}

// When says what a step waits for: it is about the step that ran last, whatever was skipped since.
type When int

// The conditions of a step.
const (
	// Always runs it, as a shell does behind ";".
	Always When = iota
	// OnSuccess runs it when the one before came to 0, as behind "&&".
	OnSuccess
	// OnFailure runs it when the one before did not, as behind "||".
	OnFailure
)

func (w When) holds(success bool) bool {
	return w == Always || success == (w == OnSuccess)
}

// Program is one program of a pipeline.
type Program struct {
	// Argv is the program and its arguments. A program without a slash is looked up in the PATH of the command's environment.
	Argv []string `json:"argv"`
	// Env are variables that it has beside those of the command, or instead of them.
	Env []string `json:"env,omitzero"`
	// ErrToOut sends its errors where its output goes; with DropOut, to where that would have gone.
	ErrToOut bool `json:"err_to_out,omitzero"`
	// DropOut and DropErr send its output and its errors nowhere. DropErr counts more than ErrToOut.
	DropOut bool `json:"drop_out,omitzero"`
	DropErr bool `json:"drop_err,omitzero"`
}

// The exit codes that shells give for what they cannot start.
const (
	codeNotRunnable = 126
	codeNotFound    = 127
)

// One is the plan of a single program.
func One(argv ...string) []Step { return []Step{{Pipe: []Program{{Argv: argv}}}} }

// isSingle reports whether a plan is one program. That it cannot be started is then all there is to say; in a longer one, other steps may be waiting for just that.
func isSingle(plan []Step) bool { return len(plan) == 1 && len(plan[0].Pipe) == 1 }

// environment is the command's with the program's own variables in it. No name is in it twice: programs do not agree on which of two counts.
func (p Program) environment(command []string) []string {
	if len(p.Env) == 0 {
		return command
	}
	own := make(map[string]bool)
	for _, kv := range p.Env {
		name, _, _ := strings.Cut(kv, "=")
		own[name] = true
	}
	env := slices.DeleteFunc(slices.Clone(command), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return own[name]
	})
	return append(env, p.Env...)
}

// unstarted returns what a shell would say of a program that it cannot start, and the code that it would go on with.
func (p Program) unstarted(err error) (text string, code int) {
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return p.Argv[0] + ": command not found\n", codeNotFound
	case errors.Is(err, fs.ErrNotExist):
		code = codeNotFound
	default:
		code = codeNotRunnable
	}
	return fmt.Sprintf("%s: %v\n", p.Argv[0], err), code
}
