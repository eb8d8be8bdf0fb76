package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestNoEffectWithoutADurableDecision has the disk refuse one sync of a whole run, each of them in turn, from the first record to the last. Whatever the run did to the machine has its decision among the records that were synced before.
func TestNoEffectWithoutADurableDecision(t *testing.T) {
	t.Parallel()
	const most = 200
	for n := 1; n <= most; n++ {
		d := newDisk(t)
		refused := d.run(t, n)
		d.check(t, n)
		if !refused {
			if d.effects != len(effectsOfRun) || n < 20 {
				t.Fatalf("the run that nothing was refused to made %d syncs and left %d effects, want more than 20 and %d", n-1, d.effects, len(effectsOfRun))
			}
			t.Logf("%d syncs were refused in turn", n-1)
			return
		}
	}
	t.Fatalf("the run makes more than %d syncs", most)
}

// disk is a home and a repository in which nodwyn runs with a disk that fails.
type disk struct {
	dir, repo, state string
	env              []string
	// synced is how much of the log was durable at the end.
	synced  int64
	log     string
	effects int
}

// effectOf is something that the run leaves on the machine, where it is, and what stands in the line of the log without which it must not be there.
type effectOf struct {
	name, pattern string
	kind          event.Kind
	record        string
}

var effectsOfRun = [...]effectOf{
	{"a worktree", "state/nodwyn/worktrees/*/*/.git", "session.start", "state/nodwyn/worktrees"},
	{"a file", "state/nodwyn/worktrees/*/*/written.txt", "guard.decision", `"target":"written.txt","decision":"allow"`},
	{"a command", "ran", "guard.decision", `/ran","decision":"allow"`},
	{"a command of a shell", "ran too", "guard.decision", `ran too`},
}

func newDisk(t *testing.T) *disk {
	t.Helper()
	dir := t.TempDir()
	d := &disk{dir: dir, repo: filepath.Join(dir, "repo"), state: filepath.Join(dir, "state")}
	d.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "XDG_STATE_HOME=" + d.state, "XDG_DATA_HOME=" + filepath.Join(dir, "data"), "XDG_CONFIG_HOME=" + filepath.Join(dir, "config"),
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.invalid", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.invalid", "TESTSCRIPT_COMMAND=" + os.Getenv("TESTSCRIPT_COMMAND"),
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(writeFile(filepath.Join(dir, "replies"), fmt.Sprintf(
		"call file-write {\"path\":\"written.txt\",\"content\":\"x\\n\"}\n\ncall shell-exec {\"argv\":[\"touch\",%q]}\n\ncall shell-exec {\"command\":%q}\n\nsay Done.\n",
		filepath.Join(dir, "ran"), "touch '"+filepath.Join(dir, "ran too")+"'; true $HOME")))
	must(writeFile(filepath.Join(dir, "config/nodwyn/config.toml"), fmt.Sprintf(
		"[guard]\nsandbox = \"off\"\n[servers.s]\napi = \"script\"\nurl = %q\n[control]\nserver = \"s\"\nmodel = \"m\"\n", filepath.Join(dir, "replies"))))
	must(writeFile(filepath.Join(d.repo, "a.txt"), "a\n"))
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "-m", "first"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = d.repo, d.env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	return d
}

// check holds what is on the machine against the records that were durable.
func (d *disk) check(t *testing.T, n int) {
	t.Helper()
	var log []byte
	if d.log != "" {
		var err error
		if log, err = os.ReadFile(d.log); err != nil {
			t.Fatal(err)
		}
		log = log[:min(d.synced, int64(len(log)))]
	}
	for _, e := range effectsOfRun {
		if found, err := filepath.Glob(filepath.Join(d.dir, e.pattern)); err != nil || len(found) == 0 {
			continue
		}
		d.effects++
		if !e.onRecord(log) {
			t.Errorf("sync %d was refused: there is %s, and no durable %s says %s; durable are\n%s", n, e.name, e.kind, e.record, kinds(log))
		}
	}
}

func (e effectOf) onRecord(log []byte) bool {
	for line := range bytes.Lines(log) {
		if bytes.Contains(line, []byte(`"kind":"`+string(e.kind)+`"`)) && bytes.Contains(line, []byte(e.record)) {
			return true
		}
	}
	return false
}

func kinds(log []byte) string {
	var b strings.Builder
	for line := range bytes.Lines(log) {
		if e, err := event.DecodeLine(bytes.TrimSuffix(line, []byte("\n"))); err == nil {
			fmt.Fprintf(&b, "%d %s\n", e.Seq, e.Kind())
		}
	}
	return b.String()
}

// run runs a whole task, refuses the nth sync of data and reports whether there was one.
func (d *disk) run(t *testing.T, n int) (refused bool) {
	t.Helper()
	runtime.LockOSThread() // the thread that starts a traced process is the one that may trace it
	defer runtime.UnlockOSThread()
	program, err := exec.LookPath("nodwyn")
	if err != nil {
		t.Fatal(err)
	}
	out, err := os.Create(filepath.Join(d.dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	pid, err := syscall.ForkExec(program, []string{"nodwyn", "run", "make it", "--yes", "all"}, &syscall.ProcAttr{
		Dir: d.repo, Env: d.env, Files: []uintptr{out.Fd(), out.Fd(), out.Fd()}, Sys: &syscall.SysProcAttr{Ptrace: true, Setpgid: true},
	})
	if err != nil {
		t.Fatal(err)
	}
	tr := tracer{pid: pid, refuse: n, disk: d, inside: map[int]bool{}, failed: map[int]bool{}}
	status, err := tr.follow()
	if err != nil {
		t.Fatalf("trace nodwyn: %v", err)
	}
	said, _ := os.ReadFile(out.Name())
	if !status.Exited() {
		t.Fatalf("sync %d was refused: nodwyn ended by %v and said\n%s", n, status.Signal(), said)
	}
	if refused = tr.syncs >= n; !refused && status.ExitStatus() != 0 {
		t.Errorf("no sync was refused: nodwyn exited with %d and said\n%s", status.ExitStatus(), said)
	}
	if refused && (status.ExitStatus() == 0 || !bytes.Contains(said, []byte("input/output error"))) {
		t.Errorf("sync %d was refused: nodwyn exited with %d and said\n%s", n, status.ExitStatus(), said)
	}
	if tr.again {
		t.Errorf("sync %d was refused: the same log was synced again, as if that made it good", n)
	}
	return refused
}

// tracer follows the threads of one process, and no process that it starts.
type tracer struct {
	pid    int
	refuse int
	syncs  int
	disk   *disk
	inside map[int]bool // threads in a system call
	failed map[int]bool // threads whose call is to fail
	// broken is the file whose sync was refused, again says that it was synced once more.
	broken string
	again  bool
}

func (tr *tracer) follow() (syscall.WaitStatus, error) {
	var ws syscall.WaitStatus
	if _, err := syscall.Wait4(tr.pid, &ws, syscall.WALL, nil); err != nil {
		return ws, err
	}
	if err := syscall.PtraceSetOptions(tr.pid, unix.PTRACE_O_TRACECLONE|unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_EXITKILL); err != nil {
		return ws, err
	}
	_ = syscall.PtraceSyscall(tr.pid, 0)
	for {
		tid, err := syscall.Wait4(-tr.pid, &ws, syscall.WALL|syscall.WNOTHREAD, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil {
			return ws, err
		}
		if ws.Exited() || ws.Signaled() {
			if tid == tr.pid {
				return ws, nil
			}
			continue
		}
		signal := 0
		switch stop := ws.StopSignal(); {
		case stop == syscall.SIGTRAP|0x80:
			tr.call(tid)
		case stop == syscall.SIGTRAP, stop == syscall.SIGSTOP && !tr.inside[tid]:
		default:
			signal = int(stop)
		}
		_ = syscall.PtraceSyscall(tid, signal)
	}
}

// call sees a thread enter a system call, and leave it.
func (tr *tracer) call(tid int) {
	tr.inside[tid] = !tr.inside[tid]
	var regs syscall.PtraceRegs
	if syscall.PtraceGetRegs(tid, &regs) != nil {
		return
	}
	switch {
	case tr.inside[tid] && regs.Orig_rax == unix.SYS_FDATASYNC:
		tr.syncs++
		if tr.syncs == tr.refuse {
			tr.failed[tid] = true
			tr.broken, _ = os.Readlink(tr.descriptor(regs.Rdi))
			regs.Orig_rax = ^uint64(0) // no call at all
			_ = syscall.PtraceSetRegs(tid, &regs)
			return
		}
		tr.note(regs.Rdi)
	case !tr.inside[tid] && tr.failed[tid]:
		delete(tr.failed, tid)
		regs.Rax = ^uint64(syscall.EIO) + 1
		_ = syscall.PtraceSetRegs(tid, &regs)
	}
}

// note takes down how long the log is that is about to be synced.
func (tr *tracer) note(fd uint64) {
	name, err := os.Readlink(tr.descriptor(fd))
	if err != nil || filepath.Ext(name) != ".jsonl" {
		return
	}
	if name == tr.broken {
		tr.again = true
		return
	}
	if stat, err := os.Stat(tr.descriptor(fd)); err == nil {
		tr.disk.log, tr.disk.synced = name, stat.Size()
	}
}

func (tr *tracer) descriptor(fd uint64) string {
	return fmt.Sprintf("/proc/%d/fd/%d", tr.pid, fd)
}
