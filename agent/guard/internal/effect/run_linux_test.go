package effect

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary be what the program is in real life: the supervisor, and a server that has a command running.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case "supervise":
			syscall.Exit(Supervise()) // not os.Exit, which waits a second under the race detector
		case "serve":
			folder, err := openFolder(os.Args[2])
			if err == nil {
				_, err = Run(context.Background(), shell(folder, os.Args[3]))
			}
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

func openFolder(dir string) (*Folder, error) {
	tree, err := OpenTree(dir)
	if err != nil {
		return nil, err
	}
	return tree.Folder(".")
}

// in opens a folder for a command.
func in(t *testing.T, dir string) *Folder {
	t.Helper()
	f, err := openFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = f.Close(), f.tree.Close() })
	return f
}

func shell(folder *Folder, text string) Spec {
	return Spec{
		Plan: One("sh", "-c", text), Folder: folder, Env: []string{"PATH=" + os.Getenv("PATH"), "DIR=" + folder.path},
		Supervisor: []string{os.Args[0], "supervise"}, Head: 1 << 10, Tail: 1 << 10,
	}
}

func TestRunReportsEnd(t *testing.T) {
	code := func(n int) *int { return &n }
	for _, tc := range []struct {
		name string
		text string
		want Result
	}{
		{"success with both streams in order", "echo out; echo err >&2; echo out2", Result{Exit: code(0), Head: []byte("out\nerr\nout2\n")}},
		{"exit code", "exit 7", Result{Exit: code(7)}},
		{"signal", "kill -9 $$", Result{Signal: "SIGKILL"}},
		{"stdin is empty", "cat; echo end", Result{Exit: code(0), Head: []byte("end\n")}},
		{"broken pipes end programs", "yes | head -1", Result{Exit: code(0), Head: []byte("y\n")}},
		{"no descriptor of ours is open", "ls /proc/self/fd | wc -l", Result{Exit: code(0), Head: []byte("4\n")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := Run(t.Context(), shell(in(t, t.TempDir()), tc.text))
			if err != nil {
				t.Fatal(err)
			}
			check(t, show(got), show(tc.want))
		})
	}
}

func show(r Result) string {
	exit := "none"
	if r.Exit != nil {
		exit = strconv.Itoa(*r.Exit)
	}
	return fmt.Sprintf("exit %s signal %q not started %q left %d cut %d %q", exit, r.Signal, r.NotStarted, r.Left, r.Cut, string(r.Head)+string(r.Tail))
}

func TestRunMissingProgramIsAResult(t *testing.T) {
	s := shell(in(t, t.TempDir()), "")
	s.Plan = One("no-such-program")
	got, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	check(t, got.NotStarted, `exec: "no-such-program": executable file not found in $PATH`)
}

// tree starts processes in each way that leaves a plain process group, and prints the pid of each on the FIFO that the test reads.
const tree = `
setsid sh -c 'echo $$ >> "$DIR/made"; exec sleep 1000' &
( ( sh -c 'echo $$ >> "$DIR/made"; exec sleep 1000' & ) & )
setsid sh -c 'trap "" TERM HUP; echo $$ >> "$DIR/made"; while :; do sleep 1000; done' &
sh -c 'echo $$ >> "$DIR/made"; exec sleep 1000' &
while [ "$(wc -l < "$DIR/made")" -lt 4 ]; do :; done
cat "$DIR/made" > "$DIR/ready"
`

// pids returns the processes that a running tree says it has made. Opening the FIFO waits for the tree.
func pids(t *testing.T, dir string) []int {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "ready"))
	if err != nil {
		t.Fatal(err)
	}
	var all []int
	for line := range strings.Lines(string(b)) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, pid)
	}
	if len(all) != 4 {
		t.Fatalf("the tree made %d processes, want 4", len(all))
	}
	return all
}

func treeDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "made"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(filepath.Join(dir, "ready"), 0o600); err != nil {
		t.Fatal(err)
	}
	return dir
}

// handles opens a handle on each process while it lives, so that a pid which is used again cannot be taken for it.
func handles(t *testing.T, pids []int) []int {
	t.Helper()
	var fds []int
	for _, pid := range pids {
		fd, err := unix.PidfdOpen(pid, 0)
		if err != nil {
			t.Fatalf("process %d of the tree: %v", pid, err)
		}
		t.Cleanup(func() { _ = unix.Close(fd) })
		fds = append(fds, fd)
	}
	return fds
}

// gone fails unless every process ends within the time.
func gone(t *testing.T, fds []int, within time.Duration) {
	t.Helper()
	deadline := time.Now().Add(within)
	for i, fd := range fds {
		p := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(p, int(max(time.Until(deadline), 0).Milliseconds()))
		for err == unix.EINTR {
			n, err = unix.Poll(p, int(max(time.Until(deadline), 0).Milliseconds()))
		}
		if err != nil || n == 0 {
			t.Errorf("process %d of the tree is still there (%v)", i, err)
			_ = unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0)
		}
	}
}

func TestCancelEndsTheWholeTree(t *testing.T) {
	dir := treeDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan Result, 1)
	go func() {
		r, err := Run(ctx, shell(in(t, dir), tree+"sleep 1000"))
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	fds := handles(t, pids(t, dir))
	cancel()
	r := <-done
	gone(t, fds, 0)
	check(t, r.Signal, "SIGTERM")
	check(t, r.Left, 0)
}

func TestEndOfCommandEndsWhatItLeaves(t *testing.T) {
	dir := treeDir(t)
	done := make(chan Result, 1)
	go func() {
		r, err := Run(t.Context(), shell(in(t, dir), tree+"read hold < $DIR/hold; echo end"))
		if err != nil {
			t.Error(err)
		}
		done <- r
	}()
	if err := unix.Mkfifo(filepath.Join(dir, "hold"), 0o600); err != nil {
		t.Fatal(err)
	}
	fds := handles(t, pids(t, dir))
	if err := os.WriteFile(filepath.Join(dir, "hold"), []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := <-done
	gone(t, fds, 0)
	check(t, string(r.Head), "end\n")
	if r.Exit == nil || *r.Exit != 0 {
		t.Errorf("exit %v, want 0: the end of what is left must not change the command's own", r.Exit)
	}
}

func TestDeathOfServerEndsTheTree(t *testing.T) {
	dir := treeDir(t)
	server := exec.Command(os.Args[0], "serve", dir, tree+"sleep 1000")
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	fds := handles(t, pids(t, dir))
	if err := server.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = server.Wait()
	gone(t, fds, 5*time.Second)
}

// TestKilledSupervisorTakesItsTreeAlong has commands that kill or stop the process above them to get out from under it.
func TestKilledSupervisorTakesItsTreeAlong(t *testing.T) {
	dir := treeDir(t)
	done := make(chan error, 1)
	go func() {
		_, err := Run(t.Context(), shell(in(t, dir), tree+"kill -9 $PPID; exec sleep 1000"))
		done <- err
	}()
	fds := handles(t, pids(t, dir))
	err := <-done
	gone(t, fds, 0)
	if err == nil || !strings.Contains(err.Error(), "signal: killed") {
		t.Errorf("got error %v, want one that says how the supervisor ended", err)
	}
}

func TestKilledSupervisorLeavesOthersAlone(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mkfifo(filepath.Join(dir, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := make(chan Result, 1)
	go func() {
		r, err := Run(t.Context(), shell(in(t, dir), "read word < go; echo $word"))
		if err != nil {
			t.Error(err)
		}
		other <- r
	}()
	hold, err := os.OpenFile(filepath.Join(dir, "go"), os.O_WRONLY, 0) // waits until the other command reads
	if err != nil {
		t.Fatal(err)
	}
	_, err = Run(t.Context(), shell(in(t, dir), "setsid sleep 1000 & kill -9 $PPID; exec sleep 1000"))
	check(t, err != nil, true)
	_, _ = io.WriteString(hold, "alive\n")
	_ = hold.Close()
	check(t, string((<-other).Head), "alive\n")
}

func TestStoppedSupervisorIsWoken(t *testing.T) {
	dir := treeDir(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := Run(ctx, shell(in(t, dir), "kill -STOP $PPID; "+tree+"sleep 1000"))
		done <- err
	}()
	fds := handles(t, pids(t, dir))
	cancel()
	check(t, <-done, nil)
	gone(t, fds, 0)
}

func TestRunTakesEnvironmentsBeyondAPipesSize(t *testing.T) {
	s := shell(in(t, t.TempDir()), "echo ${#BIG}")
	s.Env = append(s.Env, "BIG="+strings.Repeat("x", 100_000))
	got, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	check(t, string(got.Head), "100000\n")
}

func TestRunReportsASupervisorThatIsNone(t *testing.T) {
	s := shell(in(t, t.TempDir()), "true")
	s.Supervisor = []string{"/bin/true"}
	s.Env = append(s.Env, "BIG="+strings.Repeat("x", 1<<20))
	if _, err := Run(t.Context(), s); err == nil {
		t.Error("no error for a supervisor that runs nothing")
	}
}

func TestOutputOfAGigabyteIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("prints a gigabyte")
	}
	s := shell(in(t, t.TempDir()), "echo begin; head -c 1073741824 /dev/zero; echo end")
	got, err := Run(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	check(t, bytes.HasPrefix(got.Head, []byte("begin\n")), true)
	check(t, bytes.HasSuffix(got.Tail, []byte("end\n")), true)
	check(t, got.Cut+int64(len(got.Head)+len(got.Tail)), int64(1<<30)+int64(len("begin\nend\n")))
	check(t, cap(got.Head)+cap(got.Tail) < 16<<10, true)
}

func TestRunWithEndedContextStartsNothing(t *testing.T) {
	dir := t.TempDir()
	cause := errors.New("the turn is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, err := Run(ctx, shell(in(t, dir), "echo > ran"))
	check(t, err, cause)
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("the command ran")
	}
}

func TestSupervisorAloneExplainsItself(t *testing.T) {
	cmd := exec.Command(os.Args[0], "supervise")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	cmd.ExtraFiles = []*os.File{r, r}
	out, err := cmd.CombinedOutput()
	_ = r.Close()
	if err == nil || !bytes.Contains(out, []byte("started by nodwyn itself")) {
		t.Errorf("got %v, %q", err, out)
	}
}

func TestParentOfReadsNamesWithParentheses(t *testing.T) {
	dir := t.TempDir()
	odd := filepath.Join(dir, "a) S 1 (b")
	sleep, err := exec.LookPath("cat")
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(sleep)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(odd, b, 0o700); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(odd)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(in, "up\n")
	_, _ = bufio.NewReader(out).ReadString('\n')
	got, ok := readProcess(cmd.Process.Pid)
	_ = in.Close()
	_ = cmd.Wait()
	check(t, ok, true)
	session, err := unix.Getsid(0)
	check(t, err, nil)
	check(t, got, process{cmd.Process.Pid, syscall.Getpid(), session, "a) S 1 (b"})
}
