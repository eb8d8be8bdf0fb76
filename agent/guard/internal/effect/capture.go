package effect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
)

// maxStderr is how much of a tool's complaints is kept.
const maxStderr = 64 << 10

// Tool is a program of our own choosing, such as git, that runs unsupervised and briefly.
type Tool struct {
	Argv  []string
	Dir   string
	Env   []string
	Stdin []byte
	// Limit is how many bytes of output are taken; more is an error.
	Limit int
}

// Captured is what a tool said and how it ended.
type Captured struct {
	Stdout []byte
	Stderr []byte
	Exit   int
}

// ErrNoProgram says that a tool is not installed.
var ErrNoProgram = exec.ErrNotFound

// Capture runs a tool in a process group of its own, which is killed when ctx ends and of which nothing is left when the tool has ended. An exit code is a result, not an error.
func Capture(ctx context.Context, t Tool) (Captured, error) {
	if ctx.Err() != nil {
		return Captured{}, context.Cause(ctx)
	}
	stdout := &limited{limit: t.Limit}
	stderr := &output{maxTail: maxStderr}
	cmd := exec.CommandContext(ctx, t.Argv[0], t.Argv[1:]...)
	cmd.Dir, cmd.Env = t.Dir, t.Env
	cmd.Stdin = bytes.NewReader(t.Stdin)
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = Grace
	ownGroup(cmd)
	err := cmd.Run()
	clearGroup(cmd)
	var kept Result
	stderr.fill(&kept)
	c := Captured{Stdout: stdout.b.Bytes(), Stderr: kept.Tail, Exit: -1}
	if ctx.Err() != nil {
		return c, context.Cause(ctx)
	}
	if stdout.over {
		return c, fmt.Errorf("output exceeds %d bytes: %w", t.Limit, ErrTooLarge)
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // what it left behind held its output open
	}
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		c.Exit = exit.ExitCode()
		return c, nil
	}
	if err != nil {
		return c, err
	}
	c.Exit = 0
	return c, nil
}

// limited is a buffer that refuses to grow past its limit, which ends the program by its broken pipe.
type limited struct {
	b     bytes.Buffer
	limit int
	over  bool
}

func (l *limited) Write(p []byte) (int, error) {
	if l.b.Len()+len(p) > l.limit {
		l.over = true
		return 0, ErrTooLarge
	}
	return l.b.Write(p)
}
