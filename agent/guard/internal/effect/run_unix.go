//go:build unix && !linux

package effect

import (
	"context"
	"errors"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Run runs a command and ends its process group with it. There is no subreaper on this system: a process that starts a session of its own gets away, and nothing ends the group when this process is killed. Nor can a command be started in an open folder, so its path is looked at once more.
func Run(ctx context.Context, s Spec) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	out := &output{maxHead: s.Head, maxTail: s.Tail}
	if err := s.Folder.Check(); err != nil {
		return Result{}, err
	}
	cmd := exec.Command(s.Argv[0], s.Argv[1:]...)
	cmd.Dir, cmd.Env = s.Folder.path, s.Env
	sink := s.sink(out) // one value for both, so that exec lets one goroutine write
	cmd.Stdout, cmd.Stderr = sink, sink
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.WaitDelay = Grace
	if err := cmd.Start(); err != nil {
		return Result{NotStarted: err.Error()}, nil
	}
	var watch sync.WaitGroup
	ended := make(chan struct{})
	watch.Go(func() { endGroup(ctx, cmd.Process.Pid, ended) })
	err := cmd.Wait()
	close(ended)
	watch.Wait()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	r := Result{}
	out.fill(&r)
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return r, err
	}
	if st, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && st.Signaled() {
		r.Signal = st.Signal().String()
		return r, nil
	}
	code := cmd.ProcessState.ExitCode()
	r.Exit = &code
	return r, nil
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
