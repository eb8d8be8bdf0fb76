package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGitEndsWithItsContext has git start a program, which must end with it.
func TestGitEndsWithItsContext(t *testing.T) {
	g, dir := newGit(t)
	fifo := filepath.Join(t.TempDir(), "started")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	cause := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := g.Run(ctx, dir, nil, nil, "-c", "alias.hold=!echo $$ > "+fifo+"; sleep 1000", "hold")
		done <- err
	}()
	pid, err := os.ReadFile(fifo)
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(pid)))
	if err != nil {
		t.Fatal(err)
	}
	fd, err := unix.PidfdOpen(n, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	cancel(cause)
	check(t, errors.Is(<-done, cause), true)
	ended, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 5000)
	check(t, err, nil)
	check(t, ended, 1)
}
