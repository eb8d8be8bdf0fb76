package guard

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// floodSize is how much a command prints: more than the process may grow always, and what the contract asks for under NODWYN_STRESS.
func floodSize() int64 {
	if os.Getenv("NODWYN_STRESS") != "" {
		return 1 << 30
	}
	return 80 << 20
}

// TestFloodsDoNotGrowTheServer runs commands that print without end in a process of its own, once with somebody who follows them and once in the background, and looks at the most memory that it ever took.
func TestFloodsDoNotGrowTheServer(t *testing.T) {
	for _, how := range []string{"foreground", "background"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestFlood$", "-test.v")
			cmd.Env = append(os.Environ(), "NODWYN_FLOOD="+how)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			_, rest, _ := bytes.Cut(out, []byte("grew by "))
			word, _, _ := bytes.Cut(rest, []byte(" KiB"))
			grown, err := strconv.Atoi(string(word))
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			t.Logf("%d MiB of output grew the process by %d KiB", floodSize()>>20, grown)
			if grown >= 64<<10 {
				t.Errorf("the process grew by %d KiB, want less than 64 MiB", grown)
			}
		})
	}
}

// TestFlood is that process.
func TestFlood(t *testing.T) {
	how := os.Getenv("NODWYN_FLOOD")
	if how == "" {
		t.Skip("only as a process of TestFloodsDoNotGrowTheServer")
	}
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	c := Command{Shell: fmt.Sprintf(`yes 'a line of output: ünïcödé' | head -c %d`, floodSize())}
	seen := int64(0)
	c.Live = func(text string) { seen += int64(len(text)) }
	before := highWater(t)
	if how == "foreground" {
		out, err := b.Run(t.Context(), c)
		check(t, err, nil)
		check(t, out.Cut > 0, true)
	} else {
		id := launched(t, b, c)
		<-b.job(id).gone
		got, err := b.Follow(t.Context(), id, 0)
		check(t, err, nil)
		seen = got.Cut + headBytes + tailBytes
	}
	check(t, seen >= floodSize()-4 && seen <= floodSize()+4, true)
	fmt.Printf("grew by %d KiB\n", highWater(t)-before)
}

// highWater is the most memory that this process has had, in KiB.
func highWater(t *testing.T) int {
	t.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.Atoi(strings.Fields(rest)[0])
			if err != nil {
				t.Fatal(err)
			}
			return kib
		}
	}
	t.Fatal("the system does not tell")
	return 0
}
