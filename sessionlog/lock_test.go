package sessionlog

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// childVar tells this test binary to be another process of a test: what to do, and with the log of which folder.
const childVar = "NODWYN_SESSIONLOG_CHILD"

func TestMain(m *testing.M) {
	if what, dir, ok := strings.Cut(os.Getenv(childVar), " "); ok {
		child(what, dir)
		return
	}
	os.Exit(m.Run())
}

// child tries to open the log, says what came of it, and then appends until it is killed, or says whether the log is live.
func child(what, dir string) {
	if what == "live" {
		fmt.Println(Live(Path(dir, session)))
		return
	}
	w, err := Open(dir, session, Options{})
	fmt.Println(errors.Is(err, ErrOpen), err)
	for err == nil {
		w.Buffer(chunk("lost or not"))
		_, err = w.Append(note("kept"))
		fmt.Println(w.Err(), err)
	}
}

// inChild starts this binary as a child; its lines can be read until the test ends.
func inChild(t *testing.T, what, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVar+"="+what+" "+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd, bufio.NewScanner(out)
}

func TestSecondWriterIsRefused(t *testing.T) {
	w, path := newLog(t, Options{})
	dir := filepath.Dir(path)
	second, err := Open(dir, session, Options{})
	if second != nil || !errors.Is(err, ErrOpen) || !strings.Contains(err.Error(), "already open") {
		t.Errorf("in this process: got %v, %v; want ErrOpen", second, err)
	}
	_, lines := inChild(t, "open", dir)
	lines.Scan()
	if !strings.HasPrefix(lines.Text(), "true ") {
		t.Errorf("in another process: got %q; want ErrOpen", lines.Text())
	}
	_, err = w.Append(note("one"))
	must(t, err)
	check(t, "log", texts(events(t, path)), []string{"one"})
}

func TestLiveIsSeenEverywhere(t *testing.T) {
	w, path := newLog(t, Options{})
	checkLive := func(want bool) {
		t.Helper()
		got, err := Live(path)
		must(t, err)
		check(t, "in this process", got, want)
		_, lines := inChild(t, "live", filepath.Dir(path))
		lines.Scan()
		check(t, "in another process", lines.Text(), fmt.Sprint(want, " <nil>"))
	}
	checkLive(true)
	must(t, w.Close())
	checkLive(false)
}

func TestKilledWriterLosesNothingAcknowledged(t *testing.T) {
	path := written(t)
	acknowledged := 0
	const rounds = 20
	for round := range rounds {
		cmd, lines := inChild(t, "append", filepath.Dir(path))
		lines.Scan()
		check(t, "open after a kill", lines.Text(), "false <nil>")
		for n := 0; lines.Scan(); n++ {
			check(t, "append", lines.Text(), "<nil> <nil>")
			acknowledged++
			if n == round {
				must(t, cmd.Process.Kill()) // what it still says comes out of the pipe
			}
		}
		cmd.Wait()
		kept := count(events(t, path), "note")
		if kept < acknowledged || kept > acknowledged+round+1 {
			t.Fatalf("round %d: %d events acknowledged, %d in the log", round, acknowledged, kept)
		}
	}
}

func count(es []event.Event, kind event.Kind) (n int) {
	for _, e := range es {
		if e.Kind() == kind {
			n++
		}
	}
	return n
}

func TestLogRemovedWhileItIsOpenedIsRefused(t *testing.T) {
	path := written(t, "one")
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	must(t, err)
	defer f.Close()
	must(t, os.Remove(path))
	check(t, "removed", errors.Is(acquire(f), ErrNotExist), true)
	must(t, os.WriteFile(path, nil, 0o600))
	check(t, "replaced", errors.Is(acquire(f), ErrNotExist), true)
}
