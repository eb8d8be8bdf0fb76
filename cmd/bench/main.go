// Command bench measures nodwyn, against named peers where there are any, in one run and prints the figures. It never judges: a machine under load is no defect.
//
// Invariant: the two sides of a ratio run in turn on the same machine, so that a drift of its speed meets both; a figure is a median unless its name says otherwise.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"
)

func main() {
	rounds := flag.Int("n", 41, "rounds of the start measurement; the others scale with it")
	files := flag.Int("files", 100_000, "files of the repository whose worktrees are measured; 0 leaves that out")
	echo := flag.Bool("echo", false, "be the peer of the round-trip measurement (used by the bench itself)")
	flag.Parse()
	if *echo {
		serveEcho()
		return
	}
	if err := run(*rounds, *files); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(rounds, files int) error {
	dir, err := os.MkdirTemp("", "nodwyn-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	b := bench{dir: dir, rounds: rounds, files: files, nodwyn: filepath.Join(dir, "nodwyn"), empty: filepath.Join(dir, "empty")}
	if err := b.build(); err != nil {
		return err
	}
	fmt.Printf("%-38s %12s %12s %9s   %s\n", "what, against what", "nodwyn", "peer", "ratio", "bar")
	for _, measure := range []func() ([]row, error){one(b.start), one(b.roundTrip), one(b.append), b.worktrees} {
		rows, err := measure()
		if err != nil {
			return err
		}
		for _, r := range rows {
			fmt.Printf("%-38s %12s %12s %8.2fx   %s\n", r.name, r.ours, r.peer, float64(r.ours)/float64(r.peer), r.bar)
		}
	}
	fmt.Printf("\n%-64s %12s   %s\n", "what, by itself", "nodwyn", "bar")
	for _, measure := range []func() ([]fact, error){b.prefix, b.firstDelta, b.decisions, b.redaction} {
		facts, err := measure()
		if err != nil {
			return err
		}
		for _, f := range facts {
			fmt.Printf("%-64s %12s   %s\n", f.name, f.value, f.bar)
		}
	}
	return nil
}

// one is a measurement of one line.
func one(measure func() (row, error)) func() ([]row, error) {
	return func() ([]row, error) {
		r, err := measure()
		return []row{r}, err
	}
}

// row is one line of the result: two medians and the bar that the project set itself.
type row struct {
	name       string
	ours, peer time.Duration
	bar        string
}

// fact is a line of the result that needs no peer.
type fact struct{ name, value, bar string }

type bench struct {
	dir, nodwyn, empty string
	rounds, files      int
}

// build makes the two programs, as a release is built.
func (b bench) build() error {
	source := filepath.Join(b.dir, "empty.go")
	if err := os.WriteFile(source, []byte("package main\n\nfunc main() {}\n"), 0o600); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"build", "-trimpath", "-o", b.nodwyn, "github.com/nodwyn/nodwyn/cmd/nodwyn"},
		{"build", "-trimpath", "-o", b.empty, source},
	} {
		cmd := exec.Command("go", args...)
		cmd.Stderr = os.Stderr
		if err := cmd.Run(); err != nil {
			return fmt.Errorf("go %v: %w", args, err)
		}
	}
	return nil
}

func median(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}

// inTurn runs both sides rounds times and returns their medians. The first round warms up and is not counted.
func inTurn(rounds int, ours, peer func() (time.Duration, error)) (time.Duration, time.Duration, error) {
	var a, b []time.Duration
	for i := range rounds + 1 {
		x, err := ours()
		if err != nil {
			return 0, 0, err
		}
		y, err := peer()
		if err != nil {
			return 0, 0, err
		}
		if i > 0 {
			a, b = append(a, x), append(b, y)
		}
	}
	return median(a), median(b), nil
}
