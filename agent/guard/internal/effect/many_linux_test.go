package effect

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"testing"
)

// TestManyCommandsLeaveNothing runs some hundred commands always, and as many as the contract asks for under NODWYN_STRESS.
func TestManyCommandsLeaveNothing(t *testing.T) {
	commands := 300
	if os.Getenv("NODWYN_STRESS") != "" {
		commands = 10_000
	}
	plans := [][]Step{
		One("true"),
		One("no-such-program"),
		{step(prog("yes"), prog("head", "-n", "1")), when(OnSuccess, prog("false")), when(OnFailure, prog("no-such-program"))},
		{step(prog("no-such-program"), prog("cat"), prog("no-such-program"))},
		One("sh", "-c", "setsid sleep 1000 & (sleep 1000 &)"),
		One("sh", "-c", "kill -9 $$"),
	}
	folder := in(t, t.TempDir())
	if _, err := Run(t.Context(), shell(folder, "true")); err != nil { // what is opened once is open now
		t.Fatal(err)
	}
	children, open := ours(), descriptors(t)
	var workers sync.WaitGroup
	for w := range 2 {
		workers.Go(func() {
			for i := w; i < commands; i += 2 {
				s := shell(folder, "")
				s.Plan = plans[i%len(plans)]
				if _, err := Run(t.Context(), s); err != nil {
					t.Errorf("command %d: %v", i, err)
				}
			}
		})
	}
	workers.Wait()
	check(t, fmt.Sprint(ours()), fmt.Sprint(children))
	check(t, descriptors(t), open)
	noneLeft(t, folder.path)
}

// ours lists our children, dead ones that nobody waited for among them.
func ours() []int {
	var pids []int
	for _, p := range processes()[os.Getpid()] {
		pids = append(pids, p.pid)
	}
	slices.Sort(pids)
	return pids
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}
