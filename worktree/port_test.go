package worktree

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// dock is a folder of slots and the worktrees that they are for.
type dock struct {
	t     *testing.T
	dir   string
	ports Ports
	live  map[string]bool
}

func newDock(t *testing.T) *dock {
	d := &dock{t: t, dir: t.TempDir(), live: make(map[string]bool)}
	d.ports = Ports{Dir: filepath.Join(d.dir, "state", "ports"), Live: func(session string) bool { return d.live[session] }}
	return d
}

// path is where the worktree of a session is, or would be.
func (d *dock) path(session string) string { return filepath.Join(d.dir, "trees", session) }

// claim makes the worktree, if need be, and claims its ports.
func (d *dock) claim(session string) int {
	d.t.Helper()
	noError(d.t, os.MkdirAll(d.path(session), 0o755))
	first, err := d.ports.Claim(d.t.Context(), session, d.path(session))
	noError(d.t, err)
	return first
}

func (d *dock) of(session string) int {
	d.t.Helper()
	first, err := d.ports.Of(session)
	noError(d.t, err)
	return first
}

func TestPortsStayWithTheirWorktree(t *testing.T) {
	d := newDock(t)
	check(t, "before any", d.of("one"), 0)
	check(t, "one", d.claim("one"), 20000)
	check(t, "two", d.claim("two"), 20010)
	check(t, "one again", d.claim("one"), 20000)
	check(t, "looked up", []int{d.of("one"), d.of("two"), d.of("three")}, []int{20000, 20010, 0})
	noError(t, d.ports.Release(t.Context(), "one"))
	noError(t, d.ports.Release(t.Context(), "one"))
	check(t, "released", []int{d.of("one"), d.of("two")}, []int{0, 20010})
	check(t, "three", d.claim("three"), 20000)
	check(t, "one anew", d.claim("one"), 20020)
}

// TestPortsOfWorktreesThatAreGone: a slot is taken over when nothing uses it any more, and never before.
func TestPortsOfWorktreesThatAreGone(t *testing.T) {
	skipOnWindows(t)
	for _, c := range []struct {
		name string
		make func(d *dock)
		want int
	}{
		{"there", func(d *dock) { noError(d.t, os.MkdirAll(d.path("old"), 0o755)) }, 20010},
		{"there and not to be entered", func(d *dock) { noError(d.t, os.Symlink("nowhere", d.path("old"))) }, 20010},
		{"gone", func(d *dock) {}, 20000},
		{"gone under an open session", func(d *dock) { d.live["old"] = true }, 20010},
		{"not to be seen", func(d *dock) {
			noError(d.t, os.RemoveAll(filepath.Dir(d.path("old"))))
			noError(d.t, os.WriteFile(filepath.Dir(d.path("old")), nil, 0o644))
		}, 20010},
		{"of another version", func(d *dock) { noError(d.t, os.WriteFile(d.ports.file(0), []byte(`{"owner":"old"}`), 0o644)) }, 20010},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := newDock(t)
			d.claim("old")
			noError(t, os.RemoveAll(d.path("old")))
			c.make(d)
			fresh := filepath.Join(t.TempDir(), "fresh")
			noError(t, os.Mkdir(fresh, 0o755))
			before, err := d.ports.slots()
			noError(t, err)
			noError(t, d.ports.Sweep(t.Context()))
			after, err := d.ports.slots()
			noError(t, err)
			check(t, "slots after a sweep", len(after), len(before)-map[bool]int{true: 1}[c.want == 20000])
			noError(t, d.ports.write(0, slot{"old", d.path("old")}))
			if c.name == "of another version" {
				c.make(d)
			}
			got, err := d.ports.Claim(t.Context(), "new", fresh)
			noError(t, err)
			check(t, "ports of the next session", got, c.want)
		})
	}
}

func TestPortsRunOut(t *testing.T) {
	d := newDock(t)
	d.claim("first")
	for n := 1; n < portSlots; n++ {
		noError(t, os.WriteFile(d.ports.file(n), fmt.Appendf(nil, `{"session":"s%d","path":%q}`, n, filepath.ToSlash(d.dir)), 0o600))
	}
	_, err := d.ports.Claim(t.Context(), "more", d.dir)
	if err == nil || !strings.Contains(err.Error(), "remove worktrees that are not needed") {
		t.Errorf("got %v, want what to do", err)
	}
	check(t, "the last port", portBase+portSlots*PortsEach <= 32768, true)
	check(t, "one that has some", d.claim("first"), 20000)
}

// TestPortsAfterACrash: what a process that died left behind is in nobody's way.
func TestPortsAfterACrash(t *testing.T) {
	d := newDock(t)
	d.claim("one")
	noError(t, os.WriteFile(filepath.Join(d.ports.Dir, ".new"), []byte(`{"sess`), 0o600))
	check(t, "two", d.claim("two"), 20010)
	check(t, "one", d.claim("one"), 20000)
}

func TestPortsWaitForTheLock(t *testing.T) {
	d := newDock(t)
	d.claim("one")
	file, err := os.OpenFile(filepath.Join(d.ports.Dir, portLock), os.O_RDWR, 0)
	noError(t, err)
	defer file.Close()
	taken, err := tryLockFile(file)
	noError(t, err)
	check(t, "lock taken", taken, true)
	gone := errors.New("nobody waits any more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err = d.ports.Claim(ctx, "two", d.dir)
	check(t, "ends with its context", errors.Is(err, gone), true)
	check(t, "not claimed", d.of("two"), 0)
	noError(t, unlockFile(file))
	check(t, "two", d.claim("two"), 20010)
}

// portChildVar makes this test binary another process that claims ports: the folder, its name and how many.
const portChildVar = "NODWYN_PORT_CHILD"

func TestPortsOfManyProcesses(t *testing.T) {
	const processes, each = 4, 12
	if dir := os.Getenv(portChildVar); dir != "" {
		claimAll(t, dir, os.Getenv("NODWYN_PORT_NAME"), each)
		return
	}
	d := newDock(t)
	d.claim("before")
	exe, err := os.Executable()
	noError(t, err)
	var group sync.WaitGroup
	firsts := make([][]string, processes)
	for i := range processes {
		cmd := exec.Command(exe, "-test.run=^TestPortsOfManyProcesses$")
		cmd.Env = append(os.Environ(), portChildVar+"="+d.dir, fmt.Sprint("NODWYN_PORT_NAME=p", i))
		out, err := cmd.StdoutPipe()
		noError(t, err)
		noError(t, cmd.Start())
		group.Go(func() {
			for lines := bufio.NewScanner(out); lines.Scan(); {
				if port, ok := strings.CutPrefix(lines.Text(), "port "); ok {
					firsts[i] = append(firsts[i], port)
				}
			}
			if err := cmd.Wait(); err != nil {
				t.Errorf("process %d: %v", i, err)
			}
		})
	}
	group.Wait()
	all := slices.Concat(firsts...)
	slices.Sort(all)
	var want []string
	for n := range processes * each {
		want = append(want, fmt.Sprint(portBase+(n+1)*PortsEach))
	}
	check(t, "ports of all", all, want)
}

// claimAll claims from several goroutines at once, as a server with several sessions does.
func claimAll(t *testing.T, dir, name string, sessions int) {
	p := Ports{Dir: filepath.Join(dir, "state", "ports"), Live: func(string) bool { return false }}
	var group sync.WaitGroup
	for i := range sessions {
		group.Go(func() {
			first, err := p.Claim(t.Context(), fmt.Sprint(name, "-", i), dir)
			if err != nil {
				t.Error(err)
			}
			fmt.Println("port", first)
		})
	}
	group.Wait()
}
