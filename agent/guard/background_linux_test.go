package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cover is a filter that hides the covered word and holds back what may still become it.
type cover struct{ held string }

// covered is that word.
const covered = "hunter2"

func (c *cover) Write(piece string) string {
	text := strings.ReplaceAll(c.held+piece, covered, "[hidden]")
	keep := 0
	for n := 1; n < len(covered) && n <= len(text); n++ {
		if strings.HasSuffix(text, covered[:n]) {
			keep = n
		}
	}
	c.held = text[len(text)-keep:]
	return text[:len(text)-keep]
}

func (c *cover) Close() string { return c.held }

// patient is longer than any test waits.
const patient = time.Minute

// launched starts a command in the background.
func launched(t *testing.T, b *bench, c Command) string {
	t.Helper()
	b.answer = says(AllowOnce)
	id, err := b.Start(t.Context(), c, &cover{})
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// followed reads until the command has ended.
func followed(t *testing.T, g *Guard, id string) (text string, last Background) {
	t.Helper()
	for {
		b, err := g.Follow(t.Context(), id, patient)
		if err != nil {
			t.Fatalf("follow %s: %v", id, err)
		}
		if text += b.Text; !b.Running {
			return text, b
		}
	}
}

// fifo makes a FIFO in the tree, on which a test and a command meet.
func fifo(t *testing.T, b *bench, name string) string {
	t.Helper()
	file := filepath.Join(b.root, name)
	if err := unix.Mkfifo(file, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

func tell(t *testing.T, fifo string) {
	t.Helper()
	if err := os.WriteFile(fifo, []byte("go\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestBackgroundOutputIsReadInPieces(t *testing.T) {
	b := setUp(t, nil)
	// One for each meeting: a second reader could meet the writer of the first, which is about to close.
	first, second := fifo(t, b, "first"), fifo(t, b, "second")
	id := launched(t, b, Command{Shell: "echo one; read x < first; echo two; read x < second; exit 3"})
	check(t, id, "b1")
	checkLines(t, b.log(), `open p1 permission exec "Run echo one; read x < first; echo two; read x < second; exit 3 in the background"`, `close p1 allow_once by "ann"`, "allow exec echo one; read x < first; echo two; read x < second; exit 3: answer once p1 ann")
	for i, want := range []string{"one\n", "two\n"} {
		got, err := b.Follow(t.Context(), id, patient)
		check(t, err, nil)
		check(t, got.Running, true)
		check(t, got.Text, want)
		tell(t, []string{first, second}[i])
	}
	text, last := followed(t, b.Guard, id)
	check(t, text, "")
	check(t, *last.Exit, 3)
	check(t, last.Killed, false)
	again, err := b.Follow(t.Context(), id, patient)
	check(t, err, nil)
	check(t, again.Unseen, false)
}

func TestBackgroundOutputPassesTheFilterAsOneStream(t *testing.T) {
	b := setUp(t, nil)
	next := fifo(t, b, "next")
	id := launched(t, b, Command{Shell: `printf 'it is hun'; : > next; read x < next; printf 'ter2, \303'`})
	if _, err := os.ReadFile(next); err != nil { // the first half is written
		t.Fatal(err)
	}
	got, err := b.Follow(t.Context(), id, patient)
	check(t, err, nil)
	check(t, got.Text, "it is ")
	tell(t, next)
	text, _ := followed(t, b.Guard, id)
	check(t, text, "[hidden], \uFFFD")
}

func TestBackgroundOutputIsBounded(t *testing.T) {
	b := setUp(t, nil)
	id := launched(t, b, Command{Shell: "echo begin; yes 0123456789 | head -c 1000000; echo; echo end"})
	<-b.job(id).gone
	got, err := b.Follow(t.Context(), id, 0)
	check(t, err, nil)
	check(t, strings.HasPrefix(got.Text, "begin\n"), true)
	check(t, strings.HasSuffix(got.Text, "\nend\n"), true)
	check(t, got.Cut, int64(1_000_011-headBytes-tailBytes))
	check(t, len(got.Text) < headBytes+tailBytes+100, true)
	got, err = b.Follow(t.Context(), id, 0)
	check(t, err, nil)
	check(t, got.Text, "")
	check(t, got.Cut, int64(0))
}

func TestBackgroundThatCannotStartSaysSo(t *testing.T) {
	b := setUp(t, nil)
	text, last := followed(t, b.Guard, launched(t, b, Command{Argv: []string{"no-such-program"}}))
	check(t, text, "cannot start: exec: \"no-such-program\": executable file not found in $PATH\n")
	check(t, *last.Exit, exitNotStarted)
}

func TestBackgroundNeedsTheSamePermission(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(DenyOnce)
	_, err := b.Start(t.Context(), Command{Shell: "echo > ran"}, &cover{})
	check(t, rule(err), "answer")
	check(t, len(b.Background()), 0)
	b.answer = says(AllowSession)
	_, err = b.Run(t.Context(), Command{Argv: []string{"true"}})
	check(t, err, nil)
	_, err = b.Start(t.Context(), Command{Argv: []string{"true"}}, &cover{})
	check(t, err, nil)
	check(t, b.prompts(), 2)
	b.left = 0
	_, err = b.Start(t.Context(), Command{Argv: []string{"true"}}, &cover{})
	check(t, errors.Is(err, errBroken), true)
	check(t, len(b.Background()), 1)
}

// treeOf is a command that prints the pids of a child and of one that leaves its session.
const treeOf = `sleep 1000 & echo $!; setsid sh -c 'trap "" TERM; echo $$; while :; do sleep 1000; done' & wait`

// printed reads the pids that a background command prints.
func printed(t *testing.T, g *Guard, id string, n int) []int {
	t.Helper()
	var text string
	for strings.Count(text, "\n") < n {
		b, err := g.Follow(t.Context(), id, patient)
		if err != nil || !b.Running {
			t.Fatalf("follow: %v, %+v", err, b)
		}
		text += b.Text
	}
	var pids []int
	for line := range strings.Lines(text) {
		pid, err := strconv.Atoi(strings.TrimSpace(line))
		if err != nil {
			t.Fatal(err)
		}
		pids = append(pids, pid)
	}
	return pids
}

func checkGone(t *testing.T, pids []int) {
	t.Helper()
	for _, pid := range pids {
		if _, err := os.Stat(fmt.Sprintf("/proc/%d", pid)); err == nil {
			t.Errorf("process %d is still there", pid)
		}
	}
}

func TestStopEndsTheWholeTree(t *testing.T) {
	b := setUp(t, nil)
	id := launched(t, b, Command{Shell: treeOf})
	pids := printed(t, b.Guard, id, 2)
	got, ended, err := b.Stop(t.Context(), id)
	checkGone(t, pids)
	check(t, err, nil)
	check(t, ended, true)
	check(t, got.Killed, true)
	for _, name := range []string{"sh", "sleep"} {
		check(t, strings.Contains(strings.Join(got.Ended, " "), name), true)
	}
	_, ended, err = b.Stop(t.Context(), id)
	check(t, err, nil)
	check(t, ended, false)
	_, _, err = b.Stop(t.Context(), "b9")
	check(t, err, ErrNoCommand)
	_, err = b.Follow(t.Context(), "b9", 0)
	check(t, err, ErrNoCommand)
}

func TestCloseEndsWhatRunsBeside(t *testing.T) {
	b := setUp(t, nil)
	id := launched(t, b, Command{Shell: treeOf})
	pids := printed(t, b.Guard, id, 2)
	check(t, b.Close(), nil)
	checkGone(t, pids)
	_, err := b.Start(t.Context(), Command{Argv: []string{"true"}}, &cover{})
	check(t, errors.Is(err, ErrClosed), true)
}

func TestBackgroundOutlivesTurnsAndTheirCommands(t *testing.T) {
	b := setUp(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	b.answer = says(AllowOnce)
	id, err := b.Start(ctx, Command{Shell: treeOf}, &cover{})
	check(t, err, nil)
	printed(t, b.Guard, id, 2)
	cancel() // the turn is over
	checkLines(t, b.Running())
	checkLines(t, b.Kill(t.Context()))
	check(t, b.Background()[0].Running, true)
	b.StopAll()()
	check(t, b.Background()[0].Running, false)
	_, err = b.Start(t.Context(), Command{Argv: []string{"true"}}, &cover{})
	check(t, errors.Is(err, ErrClosed), true)
}

func TestBackgroundEndsWithItsTime(t *testing.T) {
	b := setUp(t, nil)
	_, last := followed(t, b.Guard, launched(t, b, Command{Shell: "exec sleep 1000", Timeout: 50 * time.Millisecond}))
	check(t, last.TimedOut, true)
	check(t, last.Killed, false)
}

func TestWaitingForOutputEndsWithTheTurn(t *testing.T) {
	b := setUp(t, nil)
	id := launched(t, b, Command{Shell: "exec sleep 1000"})
	cause := errors.New("the turn is over")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	_, err := b.Follow(ctx, id, patient)
	check(t, err, cause)
}

func TestBackgroundIsLimited(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	var ids []string
	for range maxBackground {
		id, err := b.Start(t.Context(), Command{Shell: "exec sleep 1000"}, &cover{})
		check(t, err, nil)
		ids = append(ids, id)
	}
	check(t, ids[1], "b2")
	_, err := b.Start(t.Context(), Command{Argv: []string{"true"}}, &cover{})
	check(t, err, ErrTooMany)
	check(t, b.prompts(), maxBackground) // nobody was asked in vain
	check(t, b.admit(&job{}, nil), ErrTooMany)
	for _, id := range ids {
		_, _, err := b.Stop(t.Context(), id)
		check(t, err, nil)
	}
	for range maxEnded + 2 {
		id, err := b.Start(t.Context(), Command{Argv: []string{"true"}}, &cover{})
		check(t, err, nil)
		followed(t, b.Guard, id)
	}
	check(t, len(b.Background()) <= maxEnded+1, true)
}
