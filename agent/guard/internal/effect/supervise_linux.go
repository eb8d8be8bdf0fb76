package effect

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// giveUp is how long the supervisor goes on killing what does not end, such as a process of another user.
const giveUp = 10 * time.Second

// Supervise is the whole life of a supervisor process: it runs the one command that its control pipe names, ends every process that descends from it, and reports. Being the subreaper it becomes the parent of every orphan below it, so a process cannot leave by a new session or a double fork. Nothing runs before the server has answered that it is there; when it is not any more, all that runs is killed. Its goroutines end with the process.
func Supervise() int {
	control, out := os.NewFile(controlFD, "control"), os.NewFile(reportFD, "report")
	if err := keepDescriptors(); err != nil {
		fmt.Fprintln(os.Stderr, "nodwyn supervise:", err)
		return 2
	}
	// Caught, not ignored: an ignored signal would stay ignored in the command.
	signal.Notify(make(chan os.Signal, 1), unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT, unix.SIGPIPE)
	// The death signal below is bound to the thread that forks, so that thread must live as long as the process.
	runtime.LockOSThread()
	input := bufio.NewReader(control)
	cmd, err := readOrder(input)
	if err == nil {
		err = beSubreaper()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "nodwyn supervise: this is started by nodwyn itself:", err)
		return 2
	}
	if code := write(out, report{Ready: true}); code != 0 {
		return code
	}
	if word, err := input.ReadString('\n'); err != nil || word != goWord {
		return write(out, report{NotStarted: "it was called off"})
	}
	pid, err := start(cmd)
	if err != nil {
		return write(out, report{NotStarted: err.Error()})
	}
	s := sweeper{status: make(chan unix.WaitStatus, 1), empty: make(chan struct{}), asked: make(chan struct{}), gone: make(chan struct{})}
	go s.reap(pid)
	go s.listen(input)
	return write(out, s.run())
}

// beSubreaper makes this process the parent of every orphan below it.
func beSubreaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become the parent of orphans: %w", err)
	}
	return nil
}

// keepDescriptors keeps every descriptor but the standard three from the command: our pipes, and whatever an editor left open when it started nodwyn.
func keepDescriptors() error {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list open descriptors: %w", err)
	}
	for _, e := range open {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

func readOrder(r *bufio.Reader) (order, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return order{}, fmt.Errorf("read the command: %w", err)
	}
	var o order
	if err := json.Unmarshal(line, &o); err != nil {
		return order{}, fmt.Errorf("read the command: %w", err)
	}
	if len(o.Argv) == 0 {
		return order{}, fmt.Errorf("read the command: it is empty")
	}
	return o, nil
}

// start forks the command in a session of its own and in the folder that is open for it, whatever has become of its name. It is not waited for here but by reap, which waits for every child.
func start(o order) (int, error) {
	if err := unix.Fchdir(folderFD); err != nil {
		return 0, fmt.Errorf("enter its folder: %w", err)
	}
	if err := os.Setenv("PATH", lookup(o.Env, "PATH")); err != nil {
		return 0, err
	}
	program, err := exec.LookPath(o.Argv[0])
	if err != nil {
		return 0, err
	}
	return syscall.ForkExec(program, o.Argv, &syscall.ProcAttr{
		Env: o.Env, Files: []uintptr{0, 1, 2},
		Sys: &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL},
	})
}

func lookup(env []string, key string) string {
	for _, kv := range env {
		if len(kv) > len(key) && kv[:len(key)] == key && kv[len(key)] == '=' {
			return kv[len(key)+1:]
		}
	}
	return ""
}

func write(out *os.File, r report) int {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = out.Write(append(line, '\n'))
	}
	if err != nil {
		return 1
	}
	return 0
}

// sweeper ends the processes below this one.
type sweeper struct {
	status chan unix.WaitStatus // how the command itself ended
	empty  chan struct{}        // closed when no descendant is left
	asked  chan struct{}        // closed when the server wants the end
	gone   chan struct{}        // closed when the server is dead
}

// reap waits for every child until there is none. Whoever descends from us is a child or a child's descendant, and orphans become children, so then nothing is left at all.
func (s *sweeper) reap(command int) {
	for {
		var st unix.WaitStatus
		pid, err := unix.Wait4(-1, &st, unix.WALL, nil)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			close(s.empty)
			return
		}
		if pid == command {
			s.status <- st
		}
	}
}

func (s *sweeper) listen(control *bufio.Reader) {
	if _, err := control.ReadByte(); err == nil {
		close(s.asked)
		_, _ = io.Copy(io.Discard, control)
	}
	close(s.gone)
}

// run waits for the command or for the word to end it, ends what is left, and says how the command ended.
func (s *sweeper) run() report {
	select {
	case st := <-s.status:
		s.status <- st // kept for after the sweep
	case <-s.asked:
	case <-s.gone:
	}
	left := s.sweep()
	select {
	case st := <-s.status:
		return describe(st, left)
	default: // the command is among those that could not be ended
		return report{Left: left}
	}
}

func describe(st unix.WaitStatus, left int) report {
	if st.Signaled() {
		return report{Signal: unix.SignalName(st.Signal()), Left: left}
	}
	code := st.ExitStatus()
	return report{Exit: &code, Left: left}
}

// sweep asks every descendant to end, kills those that do not within Grace, and returns when none is left, with 0, or when it gives up, with how many are. With the server gone nobody waits for a clean end, so it kills at once.
func (s *sweeper) sweep() int {
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	patience, limit := time.After(Grace), time.After(Grace+giveUp)
	gone := s.gone
	asked := make(map[int]bool)
	kill := false
	for {
		all := descendants(os.Getpid())
		signalAll(all, asked, kill)
		select {
		case <-s.empty:
			return 0
		case <-limit:
			return len(all)
		case <-patience:
			kill = true
		case <-gone:
			kill, gone = true, nil
		case <-tick.C:
		}
	}
}

// signalAll asks each process once, or kills all of them. A stopped process is woken, or it could not follow.
func signalAll(pids []int, asked map[int]bool, kill bool) {
	for _, pid := range pids {
		if kill {
			_ = unix.Kill(pid, unix.SIGKILL)
			continue
		}
		if !asked[pid] {
			asked[pid] = true
			_ = unix.Kill(pid, unix.SIGTERM)
			_ = unix.Kill(pid, unix.SIGCONT)
		}
	}
}
