package effect

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// giveUp is how long the supervisor goes on killing what does not end, such as a process of another user.
const giveUp = 10 * time.Second

// maxNames bounds how many of the processes that were ended are named.
const maxNames = 20

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
	if err := cmd.enter(); err != nil {
		return write(out, report{NotStarted: err.Error()})
	}
	s := sweeper{ended: make(chan ending, 1), empty: make(chan struct{}), asked: make(chan struct{}), gone: make(chan struct{})}
	go s.listen(input)
	return write(out, s.run(cmd))
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
	return o, o.check()
}

func (o order) check() error {
	programs := 0
	for _, step := range o.Plan {
		for _, p := range step.Pipe {
			if len(p.Argv) == 0 {
				return errors.New("read the command: a program of it has no name")
			}
		}
		programs += len(step.Pipe)
	}
	if programs == 0 {
		return errors.New("read the command: it is empty")
	}
	return nil
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

// sweeper runs the steps of a command and ends the processes below this one.
type sweeper struct {
	reaping sync.WaitGroup // the step that runs
	ended   chan ending    // how its last program ended, once all of the step have
	empty   chan struct{}  // closed when no descendant is left
	asked   chan struct{}  // closed when the server wants the end
	gone    chan struct{}  // closed when the server is dead
	names   []string       // of what was asked to end
}

func (s *sweeper) listen(control *bufio.Reader) {
	if _, err := control.ReadByte(); err == nil {
		close(s.asked)
		_, _ = io.Copy(io.Discard, control)
	}
	close(s.gone)
}

// run runs the steps until one cannot be, or the word to end comes, ends what is left, and says how the last one ended.
func (s *sweeper) run(o order) report {
	end, running, err := s.steps(o)
	go s.reapRest()
	left := s.sweep()
	if running {
		select {
		case end = <-s.ended:
		default: // it is among those that could not be ended
			return report{Left: left, Ended: s.names}
		}
	}
	r := end.report()
	if err == nil && isSingle(o.Plan) {
		err = r.why
	}
	if err != nil {
		return report{NotStarted: err.Error(), Left: left}
	}
	r.Left, r.Ended = left, s.names
	return r
}

// steps runs one step after the other, on the thread to which the death signal of their programs is bound. It reports how the last one ended, or that one is running.
func (s *sweeper) steps(o order) (end ending, running bool, err error) {
	for _, step := range o.Plan {
		if !step.When.holds(end.success()) {
			continue
		}
		children, err := o.launch(step.Pipe)
		if err != nil {
			return end, false, err
		}
		s.reaping.Go(func() { s.ended <- reap(children) })
		select {
		case end = <-s.ended:
		case <-s.asked:
			return end, true, nil
		case <-s.gone:
			return end, true, nil
		}
	}
	return end, false, nil
}

// reap waits for whatever child ends until all of a step have. None of them can be missed: nothing else waits while a step is started.
func reap(step []child) ending {
	end := ending{child: step[len(step)-1]}
	waiting := make(map[int]bool)
	for _, c := range step {
		if c.pid != 0 {
			waiting[c.pid] = true
		}
	}
	for len(waiting) > 0 {
		pid, st, err := waitAny()
		if err != nil {
			return end
		}
		if pid == end.pid {
			end.status = st
		}
		delete(waiting, pid)
	}
	return end
}

// reapRest waits for every child until there is none. Whoever descends from us is a child or a child's descendant, and orphans become children, so then nothing is left at all.
func (s *sweeper) reapRest() {
	s.reaping.Wait()
	for {
		if _, _, err := waitAny(); err != nil {
			close(s.empty)
			return
		}
	}
}

func waitAny() (int, unix.WaitStatus, error) {
	for {
		var st unix.WaitStatus
		pid, err := unix.Wait4(-1, &st, unix.WALL, nil)
		if err != unix.EINTR {
			return pid, st, err
		}
	}
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
		s.signalAll(all, asked, kill)
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

// signalAll asks each process once, or kills all of them. A stopped process is woken, or it could not follow. What stands in front of a process namespace is not asked: it would take the others along before they can follow, and it ends with them by itself.
func (s *sweeper) signalAll(all []process, asked map[int]bool, kill bool) {
	for _, p := range all {
		if kill {
			_ = unix.Kill(p.pid, unix.SIGKILL)
			continue
		}
		if !asked[p.pid] {
			asked[p.pid] = true
			if holdsNamespace(p, all) {
				continue
			}
			if p.name != "" && len(s.names) < maxNames {
				s.names = append(s.names, p.name)
			}
			_ = unix.Kill(p.pid, unix.SIGTERM)
			_ = unix.Kill(p.pid, unix.SIGCONT)
		}
	}
}
