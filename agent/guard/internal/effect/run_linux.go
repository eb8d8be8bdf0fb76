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

// stuckTime is how long after the word to end a supervisor may be silent. It reports before that unless the command holds it up.
const stuckTime = Grace + giveUp + time.Second

// The supervisor's descriptors.
const (
	controlFD = 3 + iota
	reportFD
	folderFD
)

// goWord is the line that lets a command run.
const goWord = "go\n"

// order is what the supervisor reads on its control pipe: the command, on one line. It runs at the next line, goWord. Afterwards a line means "end it"; the end of the pipe means that the server is gone.
type order struct {
	Plan []Step   `json:"plan"`
	Env  []string `json:"env"`
}

// report is a line that the supervisor writes: first that it is ready, then how the command ended or why it was not started.
type report struct {
	Ready      bool   `json:"ready,omitzero"`
	NotStarted string `json:"not_started,omitzero"`
	Exit       *int   `json:"exit,omitzero"`
	Signal     string `json:"signal,omitzero"`
	Left       int    `json:"left,omitzero"`
	// Ended names what still ran when it was asked to end.
	Ended []string `json:"ended,omitzero"`
	// why is why the last program was not started; it stays in the supervisor.
	why error
}

// Run runs a command to its end and that of every process that descends from it: what the command leaves behind is ended with it. When ctx ends, all of it is ended. The result then says so, and there is no error: the caller knows its own cause.
//
// Supervisor and server watch each other. The supervisor ends the tree when the server dies; the tree of a supervisor that dies, perhaps by the command's own hand, falls to the server, which is a subreaper, too. A command that kills both in one stroke gets away: only a process namespace would hold it.
func Run(ctx context.Context, s Spec) (Result, error) {
	if ctx.Err() != nil {
		return Result{}, context.Cause(ctx)
	}
	if err := beSubreaper(); err != nil {
		return Result{}, err
	}
	v, err := startSupervisor(s)
	if err != nil {
		return Result{}, fmt.Errorf("start supervisor: %w", err)
	}
	out := &output{maxHead: s.Head, maxTail: s.Tail}
	var pump, watch sync.WaitGroup
	pump.Go(func() { _, _ = io.Copy(s.sink(out), v.output) }) // ends with the pipe, or with its deadline
	ended := make(chan struct{})
	watch.Go(func() {
		select {
		case <-ctx.Done():
			v.end(ended)
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

// startSupervisor leaves the supervisor in our session, where no process of a command can be: a command starts one of its own, and there is no way back.
func startSupervisor(s Spec) (*supervisor, error) {
	line, err := json.Marshal(order{Plan: s.Plan, Env: s.Env})
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
	cmd.Dir = "/"
	cmd.Env = []string{}
	cmd.Stdout, cmd.Stderr = output.theirs, output.theirs
	cmd.ExtraFiles = []*os.File{control.theirs, report.theirs, s.Folder.open}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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

// wait lets the command run and returns when the supervisor has ended. One that ended without its last report was killed, and then what it leaves is ended here.
func (v *supervisor) wait() (Result, error) {
	lines := bufio.NewScanner(v.report)
	r, err := nextReport(lines)
	if err == nil && r.Ready {
		_, _ = v.control.WriteString(goWord) // fails only when it is dead, which the next report shows
		r, err = nextReport(lines)
	}
	if err != nil {
		_ = v.cmd.Process.Kill()
		_ = v.cmd.Wait()
		return Result{Left: endStrays()}, fmt.Errorf("supervise command: %w: %s", err, v.cmd.ProcessState)
	}
	_ = v.cmd.Wait() // what it reported counts, not its own exit code
	return Result{NotStarted: r.NotStarted, Exit: r.Exit, Signal: r.Signal, Left: r.Left, Ended: r.Ended}, nil
}

func nextReport(lines *bufio.Scanner) (report, error) {
	if !lines.Scan() {
		return report{}, errors.New("the supervisor ended without a report")
	}
	var r report
	if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
		return report{}, fmt.Errorf("read supervisor's report: %w", err)
	}
	return r, nil
}

// end asks the supervisor to end the command, and wakes it as often as the command may put it to sleep. It is killed when that does not help.
func (v *supervisor) end(ended <-chan struct{}) {
	_, _ = v.control.WriteString("end\n") // fails only when nothing is left to end
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	stuck := time.After(stuckTime)
	for {
		_ = v.cmd.Process.Signal(syscall.SIGCONT)
		select {
		case <-ended:
			return
		case <-stuck:
			_ = v.cmd.Process.Kill()
		case <-tick.C:
		}
	}
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
