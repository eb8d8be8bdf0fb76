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

// scatter starts processes that leave their session at once, and leaves a file to tell that it ran.
const scatter = `: > "$DIR/ran"; setsid sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &); setsid setsid sleep 1000 & sleep 1000`

// deadServer starts a supervisor as a server does that dies after so many words of theirs.
func deadServer(t *testing.T, dir string, words int) {
	t.Helper()
	line, err := json.Marshal(order{Argv: []string{"sh", "-c", scatter}, Env: []string{"PATH=" + os.Getenv("PATH"), "DIR=" + dir}})
	if err != nil {
		t.Fatal(err)
	}
	var p pipes
	control, report := p.toChild(), p.fromChild()
	if p.err != nil {
		t.Fatal(p.err)
	}
	cmd := exec.Command(os.Args[0], "supervise")
	cmd.ExtraFiles = []*os.File{control.theirs, report.theirs, in(t, dir).open}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p.closeTheirs()
	_, _ = control.ours.Write(append(line, '\n'))
	if words > 1 {
		if _, err := bufio.NewReader(report.ours).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		_, _ = control.ours.WriteString(goWord)
	}
	p.closeOurs()
	_ = cmd.Wait()
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
	for range 10 {
		dir := t.TempDir()
		deadServer(t, dir, 1)
		noneLeft(t, dir)
		if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
			t.Error("the command ran")
		}
	}
}

func TestNothingIsLeftOfAServerThatDiedAfterItSaidGo(t *testing.T) {
	for range 20 {
		dir := t.TempDir()
		deadServer(t, dir, 2)
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
