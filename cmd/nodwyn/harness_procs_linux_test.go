package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// nothingLeft waits for the end of every process that was started with this scenario's home, and names those that stay. A process may start another while it is awaited.
func (s *scenario) nothingLeft(limit time.Duration) error {
	deadline := time.Now().Add(limit)
	for pids := s.processes(); len(pids) > 0; pids = s.processes() {
		if awaitEnd(pids[0], time.Until(deadline)) {
			continue
		}
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pids[0]))
		return fmt.Errorf("process %d is left: %q %v", pids[0], bytes.ReplaceAll(line, []byte{0}, []byte{' '}), err)
	}
	return nil
}

// processes lists the processes whose environment holds the scenario's home.
func (s *scenario) processes() []int {
	mark := []byte("HOME=" + filepath.Join(s.work, "home") + "\x00")
	paths, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is constant and well formed
	var pids []int
	for _, p := range paths {
		environ, err := os.ReadFile(p)
		if err != nil || !bytes.Contains(environ, mark) {
			continue // another person's process, or one that ended meanwhile
		}
		if pid, err := strconv.Atoi(strings.Split(p, "/")[2]); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// awaitEnd reports whether the process ended in time.
func awaitEnd(pid int, limit time.Duration) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return true
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, max(0, int(limit.Milliseconds())))
		if !errors.Is(err, unix.EINTR) {
			return err == nil && n == 1
		}
	}
}

// TestLeftProcessIsFound holds the check to a process that stays, until it ends.
func TestLeftProcessIsFound(t *testing.T) {
	t.Parallel()
	s := &scenario{work: t.TempDir()}
	cmd := exec.Command("cat")
	cmd.Env = []string{"A=1", "HOME=" + filepath.Join(s.work, "home"), "B=2"}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if err := s.nothingLeft(20 * time.Millisecond); err == nil {
		t.Error("a process runs: got none left, want its name")
	}
	stdin.Close()
	if err := s.nothingLeft(patience); err != nil {
		t.Errorf("the process ends: got %v, want none left", err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}
