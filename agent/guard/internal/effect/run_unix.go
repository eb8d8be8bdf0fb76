//go:build unix && !linux

package effect

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Run runs a command and ends its process groups with it. There is no subreaper on this system: a process that starts a session of its own gets away, and nothing ends the group when this process is killed. Nor can a command be started in an open folder, so its path is looked at once more.
func Run(ctx context.Context, s Spec) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	if err := s.Folder.Check(); err != nil {
		return Result{}, err
	}
	out := &output{maxHead: s.Head, maxTail: s.Tail}
	r, err := runSteps(ctx, s, &oneWriter{to: s.sink(out)})
	out.fill(&r)
	return r, err
}

// oneWriter lets several programs write to what takes one at a time.
type oneWriter struct {
	mu sync.Mutex
	to io.Writer
}

func (w *oneWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.to.Write(p)
}

// runSteps runs one step after the other, until ctx ends.
func runSteps(ctx context.Context, s Spec, out io.Writer) (Result, error) {
	code := 0
	r := Result{Exit: &code}
	for _, step := range s.Plan {
		if ctx.Err() != nil {
			break
		}
		if !step.When.holds(r.Exit != nil && *r.Exit == 0) {
			continue
		}
		var err error
		if r, err = runPipe(ctx, s, step.Pipe, out); err != nil || r.NotStarted != "" {
			return r, err
		}
	}
	return r, nil
}

// runPipe runs the programs of a pipeline and returns what the last one came to.
func runPipe(ctx context.Context, s Spec, pipe []Program, out io.Writer) (Result, error) {
	var all sync.WaitGroup
	defer all.Wait()
	var in *os.File
	errs := make([]error, len(pipe))
	results := make([]Result, len(pipe))
	for i, p := range pipe {
		var next, w *os.File
		if i < len(pipe)-1 {
			var err error
			if next, w, err = os.Pipe(); err != nil {
				return Result{}, errors.Join(err, closeFile(in))
			}
		}
		cmd := s.program(p, in, w, out)
		err := cmd.Start()
		if err != nil {
			results[i] = s.unstarted(cmd, p, err)
		}
		_, _ = closeFile(in), closeFile(w)
		in = next
		if err == nil {
			all.Go(func() { results[i], errs[i] = waitFor(ctx, cmd) })
		}
	}
	all.Wait()
	return results[len(pipe)-1], errors.Join(errs...)
}

func closeFile(f *os.File) error {
	if f == nil {
		return nil
	}
	return f.Close()
}

// program prepares one program; w is where the next one of its pipeline reads, nil for the last.
func (s Spec) program(p Program, in, w *os.File, out io.Writer) *exec.Cmd {
	cmd := exec.Command(p.Argv[0], p.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Folder.path, p.environment(s.Env)
	cmd.Stdout, cmd.Stderr = out, out
	if in != nil {
		cmd.Stdin = in
	}
	if w != nil {
		cmd.Stdout = w
	}
	if p.ErrToOut {
		cmd.Stderr = cmd.Stdout
	}
	if p.DropErr {
		cmd.Stderr = nil
	}
	if p.DropOut {
		cmd.Stdout = nil
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = Grace
	return cmd
}

// unstarted is what a shell says of a program that it cannot start.
func (s Spec) unstarted(cmd *exec.Cmd, p Program, err error) Result {
	if isSingle(s.Plan) {
		return Result{NotStarted: err.Error()}
	}
	text, code := p.unstarted(err)
	if cmd.Stderr != nil {
		_, _ = io.WriteString(cmd.Stderr, text)
	}
	return Result{Exit: &code}
}

// waitFor waits for a program, ends its group with ctx and what is left of it afterwards.
func waitFor(ctx context.Context, cmd *exec.Cmd) (Result, error) {
	var watch sync.WaitGroup
	ended := make(chan struct{})
	watch.Go(func() { endGroup(ctx, cmd.Process.Pid, ended) })
	err := cmd.Wait()
	close(ended)
	watch.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return Result{}, err
	}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		return Result{Signal: st.Signal().String()}, nil
	}
	code := cmd.ProcessState.ExitCode()
	return Result{Exit: &code}, nil
}

// endGroup asks the group to end when ctx does, and kills it when it is still there after Grace.
func endGroup(ctx context.Context, pid int, ended <-chan struct{}) {
	select {
	case <-ended:
		return
	case <-ctx.Done():
	}
	_ = syscall.Kill(-pid, syscall.SIGTERM)
	select {
	case <-ended:
	case <-time.After(Grace):
		_ = syscall.Kill(-pid, syscall.SIGKILL)
	}
}
