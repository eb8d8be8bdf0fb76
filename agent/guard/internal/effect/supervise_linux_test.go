package effect

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"golang.org/x/sys/unix"
)

// scatter starts processes that leave their session at once.
const scatter = `setsid sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); setsid setsid sleep 1000 & sleep 1000`

// alone starts a supervisor as a server does, waits until it is ready, and returns our ends of its pipes.
func alone(t *testing.T, dir string) (cmd *exec.Cmd, control *os.File, report *bufio.Scanner, hangUp func()) {
	t.Helper()
	line, err := json.Marshal(order{Plan: One("sh", "-c", scatter), Env: []string{"PATH=" + os.Getenv("PATH"), "DIR=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	var p pipes
	orders, reports := p.toChild(), p.fromChild()
	if p.err != nil {
		t.Fatal(p.err)
	}
	cmd = exec.Command(os.Args[0], "supervise")
	cmd.ExtraFiles = []*os.File{orders.theirs, reports.theirs, in(t, dir).open}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.closeTheirs()
	_, _ = orders.ours.Write(append(line, '\n'))
	report = bufio.NewScanner(reports.ours)
	if !report.Scan() {
		t.Fatal("it is not ready")
	}
	return cmd, orders.ours, report, p.closeOurs
}

// marked returns the processes whose environment names dir. Those that are dead and wait for their parent have none.
func marked(t *testing.T, dir string) []int {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	var found []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if env, err := os.ReadFile(filepath.Join("/proc", e.Name(), "environ")); err == nil && bytes.Contains(env, []byte("DIR="+dir+"\x00")) {
			found = append(found, pid)
		}
	}
	return found
}

// noneLeft fails for every process of dir that is there, and ends it.
func noneLeft(t *testing.T, dir string) {
	t.Helper()
	for _, pid := range marked(t, dir) {
		name, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		t.Errorf("process %d is still there: %q", pid, name)
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

func TestNothingRunsForAServerThatDiedBeforeItSaidGo(t *testing.T) {
	for _, said := range []string{"", "g", "end\n"} {
		dir := t.TempDir()
		cmd, control, report, hangUp := alone(t, dir)
		_, _ = control.WriteString(said)
		_ = control.Close()
		check(t, report.Scan(), true)
		check(t, report.Text(), `{"not_started":"it was called off"}`)
		_ = cmd.Wait()
		hangUp()
		noneLeft(t, dir)
	}
}

func TestNothingIsLeftOfAServerThatDiedAfterItSaidGo(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		cmd, control, _, hangUp := alone(t, dir)
		_, _ = control.WriteString(goWord)
		hangUp()
		_ = cmd.Wait()
		noneLeft(t, dir)
	}
}

// TestKillsOfTheServerAtAnyMoment kills a few servers always, and as many as the contract asks for under NODWYN_STRESS.
func TestKillsOfTheServerAtAnyMoment(t *testing.T) {
	kills := 20
	if os.Getenv("NODWYN_STRESS") != "" {
		kills = 500
	}
	if err := beSubreaper(); err != nil { // the orphaned supervisor comes to us, so that its end can be waited for
		t.Fatal(err)
	}
	for range kills {
		dir := t.TempDir()
		ctx, cancel := context.WithTimeout(t.Context(), time.Duration(rand.IntN(150))*time.Millisecond)
		server := exec.CommandContext(ctx, os.Args[0], "serve", dir, scatter)
		_ = server.Run() // ends by the kill at the time's end
		cancel()
		for _, p := range processes()[os.Getpid()] {
			gone(t, handles(t, []int{p.pid}), time.Second)
			_, _ = unix.Wait4(p.pid, nil, 0, nil)
		}
		noneLeft(t, dir)
	}
}
