package effect

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// child is a program of a pipeline that runs, or that could not be started.
type child struct {
	pid  int // 0 when it was not started
	code int // the exit code that stands for that
	why  error
}

// enter goes to the command's folder, which is open whatever has become of its name, and takes its PATH, by which programs are found.
func (o order) enter() error {
	if err := unix.Fchdir(folderFD); err != nil {
		return fmt.Errorf("enter its folder: %w", err)
	}
	return os.Setenv("PATH", lookup(o.Env, "PATH"))
}

// launch starts the programs of a pipeline from the left. All of ours that is open for them is closed again, so that each sees the end of the one before it, and a broken pipe when nobody reads any more.
func (o order) launch(pipe []Program) ([]child, error) {
	null, err := unix.Open(os.DevNull, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", os.DevNull, err)
	}
	defer unix.Close(null)
	var started []child
	in := 0 // ours is empty
	for i, p := range pipe {
		next, out := 0, 1
		if i < len(pipe)-1 {
			if next, out, err = openPipe(); err != nil {
				closeOwn(in)
				return started, err
			}
		}
		started = append(started, o.start(p, p.streams(in, out, null)))
		closeOwn(in, out)
		in = next
	}
	return started, nil
}

func openPipe() (r, w int, err error) {
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_CLOEXEC); err != nil {
		return 0, 0, fmt.Errorf("open pipe: %w", err)
	}
	return ends[0], ends[1], nil
}

// closeOwn closes what was opened for a pipeline, which is never one of the standard three.
func closeOwn(fds ...int) {
	for _, fd := range fds {
		if fd > 2 {
			_ = unix.Close(fd)
		}
	}
}

// streams are the program's descriptors, redirected in the order "2>&1 >/dev/null 2>/dev/null".
func (p Program) streams(in, out, null int) []uintptr {
	errs := 2
	if p.ErrToOut {
		errs = out
	}
	if p.DropErr {
		errs = null
	}
	if p.DropOut {
		out = null
	}
	return []uintptr{uintptr(in), uintptr(out), uintptr(errs)}
}

// start forks a program in a session of its own. It is not waited for here but by the sweeper, which waits for every child. What cannot be started says so where its errors go.
func (o order) start(p Program, files []uintptr) child {
	program, err := exec.LookPath(p.Argv[0])
	if err == nil {
		var pid int
		pid, err = syscall.ForkExec(program, p.Argv, &syscall.ProcAttr{
			Env: p.environment(o.Env), Files: files,
			Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
		})
		if err == nil {
			return child{pid: pid}
		}
	}
	text, code := p.unstarted(err)
	if !isSingle(o.Plan) {
		_, _ = unix.Write(int(files[2]), []byte(text))
	}
	return child{code: code, why: err}
}

// ending is what the last program of a step came to.
type ending struct {
	status unix.WaitStatus
	child
}

func (e ending) success() bool {
	return e.why == nil && e.status.Exited() && e.status.ExitStatus() == 0
}

func (e ending) report() report {
	code := e.code
	switch {
	case e.why != nil:
		return report{Exit: &code, why: e.why}
	case e.status.Signaled():
		return report{Signal: unix.SignalName(e.status.Signal())}
	}
	code = e.status.ExitStatus()
	return report{Exit: &code}
}
