package effect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
)

// drainTime is how long the output may stay open after the last process has ended. Only a process that the sweep could not end holds it longer.
const drainTime = time.Second

// order is what the supervisor reads on its control pipe: the command, on one line. Afterwards a line means "end it"; the end of the pipe means that the server is gone.
type order struct {
	Argv []string `json:"argv"`
	Dir  string   `json:"dir"`
	Env  []string `json:"env"`
}

// report is a line that the supervisor writes: first with the process id, or why there is none, then with how the command ended.
type report struct {
	PID        int    `json:"pid,omitzero"`
	NotStarted string `json:"not_started,omitzero"`
	Exit       *int   `json:"exit,omitzero"`
	Signal     string `json:"signal,omitzero"`
	Left       int    `json:"left,omitzero"`
}

// Run runs a command to its end and that of every process that descends from it: what the command leaves behind is ended with it. When ctx ends, all of it is ended. The result then says so, and there is no error: the caller knows its own cause.
func Run(ctx context.Context, s Spec) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	v, err := startSupervisor(s)
	if err != nil {
		return Result{}, fmt.Errorf("start supervisor: %w", err)
	}
	out := &output{maxHead: s.Head, maxTail: s.Tail}
	var pump, watch sync.WaitGroup
	pump.Go(func() { _, _ = io.Copy(out, v.output) }) // ends with the pipe, or with its deadline
	ended := make(chan struct{})
	watch.Go(func() {
		select {
		case <-ctx.Done():
			_, _ = v.control.WriteString("end\n") // fails only when nothing is left to end
		case <-ended:
		}
	})
	r, err := v.wait()
	close(ended)
	watch.Wait()
	_ = v.output.SetReadDeadline(time.Now().Add(drainTime))
	pump.Wait()
	out.fill(&r)
	return r, errors.Join(err, v.close())
}

// supervisor is the process between us and a command. The server alone holds the writing end of control, so the supervisor learns of its death, however that comes.
type supervisor struct {
	cmd     *exec.Cmd
	control *os.File
	report  *os.File
	output  *os.File
}

func startSupervisor(s Spec) (*supervisor, error) {
	line, err := json.Marshal(order{Argv: s.Argv, Dir: s.Dir, Env: s.Env})
	if err != nil {
		return nil, err
	}
	var p pipes
	control, report, output := p.toChild(), p.fromChild(), p.fromChild()
	if p.err != nil {
		p.closeOurs()
		p.closeTheirs()
		return nil, p.err
	}
	cmd := exec.Command(s.Supervisor[0], s.Supervisor[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = []string{}
	cmd.Stdout, cmd.Stderr = output.theirs, output.theirs
	cmd.ExtraFiles = []*os.File{control.theirs, report.theirs}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	p.closeTheirs() // before the order is written: with our copy open, a dead supervisor would block us
	if err != nil {
		p.closeOurs()
		return nil, err
	}
	v := &supervisor{cmd: cmd, control: control.ours, report: report.ours, output: output.ours}
	if _, err := v.control.Write(append(line, '\n')); err != nil {
		_ = cmd.Process.Kill()
		return nil, errors.Join(err, cmd.Wait(), v.close())
	}
	return v, nil
}

// wait returns when the supervisor has ended. One that ended without its last report was killed, and then at least the command's own group is.
func (v *supervisor) wait() (Result, error) {
	var first, last report
	lines := bufio.NewScanner(v.report)
	for _, r := range []*report{&first, &last} {
		if !lines.Scan() {
			break
		}
		if err := json.Unmarshal(lines.Bytes(), r); err != nil {
			return Result{}, errors.Join(fmt.Errorf("read supervisor's report: %w", err), v.cmd.Process.Kill(), v.cmd.Wait())
		}
	}
	_ = v.cmd.Wait() // what it reported counts, not its own exit code
	if first.NotStarted != "" {
		return Result{NotStarted: first.NotStarted}, nil
	}
	if last == (report{}) {
		if first.PID > 0 {
			_ = syscall.Kill(-first.PID, syscall.SIGKILL)
		}
		return Result{}, fmt.Errorf("supervise command: the supervisor ended without a report: %s", v.cmd.ProcessState)
	}
	return Result{Exit: last.Exit, Signal: last.Signal, Left: last.Left}, nil
}

func (v *supervisor) close() error {
	return errors.Join(v.control.Close(), v.report.Close(), v.output.Close())
}

// pipe is a pipe between us and a child.
type pipe struct{ ours, theirs *os.File }

// pipes makes pipes until one fails, and closes them by side.
type pipes struct {
	made []pipe
	err  error
}

func (p *pipes) toChild() pipe {
	r, w := p.open()
	return p.keep(pipe{ours: w, theirs: r})
}

func (p *pipes) fromChild() pipe {
	r, w := p.open()
	return p.keep(pipe{ours: r, theirs: w})
}

func (p *pipes) open() (r, w *os.File) {
	if p.err == nil {
		r, w, p.err = os.Pipe()
	}
	return r, w
}

func (p *pipes) keep(made pipe) pipe {
	p.made = append(p.made, made)
	return made
}

func (p *pipes) closeOurs() {
	for _, m := range p.made {
		_ = m.ours.Close()
	}
}

func (p *pipes) closeTheirs() {
	for _, m := range p.made {
		_ = m.theirs.Close()
	}
}
