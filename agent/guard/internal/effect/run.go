package effect

import (
	"errors"
	"io"
	"time"
)

// Grace is how long processes that were asked to end may take before they are killed.
const Grace = 2 * time.Second

// Spec is a command to run.
type Spec struct {
	// Plan is what runs: one program, or steps that a shell would have joined.
	Plan []Step
	// Folder is where it starts. The caller closes it.
	Folder *Folder
	// Proxy connects it to hosts; nil without one. The caller closes it.
	Proxy *Proxy
	// Env is its whole environment.
	Env []string
	// Supervisor is the argv that makes this program call Supervise.
	Supervisor []string
	// Head and Tail are how many bytes of the beginning and of the end of its output are kept.
	Head, Tail int
	// Live is given the output as it comes, beside what is kept; nil for nobody. It must not wait, since the command would wait with it.
	Live io.Writer
}

// Close lets go of what belongs to the command alone: its folder and its proxy.
func (s Spec) Close() error {
	var err error
	if s.Proxy != nil {
		err = s.Proxy.Close()
	}
	if s.Folder != nil {
		err = errors.Join(err, s.Folder.Close())
	}
	return err
}

// sink is where the output goes.
func (s Spec) sink(kept *output) io.Writer {
	if s.Live == nil {
		return kept
	}
	return io.MultiWriter(kept, s.Live)
}

// Result is how a command ended.
type Result struct {
	// Exit is its exit code; nil when a signal ended it.
	Exit *int
	// Signal names that signal.
	Signal string
	// NotStarted says why it could not be started; then it has neither code nor signal.
	NotStarted string
	// Left counts processes that could not be ended, such as another user's.
	Left int
	// Ended names the processes that still ran when the end was asked for, or that the command left behind; on Linux, and not all of very many.
	Ended []string
	// Head and Tail are the beginning and the end of stdout and stderr, interleaved as they were written.
	Head, Tail []byte
	// Cut counts the bytes between the two.
	Cut int64
}
