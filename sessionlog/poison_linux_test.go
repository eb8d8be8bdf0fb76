package sessionlog

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// checkPoisoned appends to a log on f, whose file does not take it, and again; f is left to the caller.
func checkPoisoned(t *testing.T, f *os.File, want error) {
	t.Helper()
	var applied []event.Event
	w := start(f, session, 0, Options{Applied: func(e event.Event) { applied = append(applied, e) }})
	receipts := []*Receipt{w.Enqueue(note("one")), w.Enqueue(note("two")), w.Enqueue(note("three"))}
	for _, r := range receipts {
		_, err := r.Wait()
		check(t, "a pending append", errors.Is(err, want), true)
	}
	poison := w.Err()
	w.Buffer(chunk("four"))
	_, err := w.Append(note("five"))
	check(t, "a later append", err, poison)
	check(t, "flush", w.Flush(), poison)
	check(t, "applied", applied, []event.Event(nil))
	check(t, "close", errors.Is(w.Close(), want), true)
}

func TestFailedWritePoisons(t *testing.T) {
	f, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	must(t, err)
	checkPoisoned(t, f, unix.ENOSPC)
}

// A pipe takes a write and refuses its sync, as a dying disk does; a full pipe holds the write up, so that appends queue behind it.
func TestFailedSyncPoisons(t *testing.T) {
	r, f, err := os.Pipe()
	must(t, err)
	defer r.Close()
	checkPoisoned(t, f, unix.EINVAL)
}

func TestNothingIsWrittenBehindAFailedSync(t *testing.T) {
	r, f, err := os.Pipe()
	must(t, err)
	defer r.Close()
	w := start(f, session, 0, Options{})
	first := w.Enqueue(note(strings.Repeat("x", 1<<20)))
	got := make([]byte, 1)
	_, err = io.ReadFull(r, got) // from here on the first batch is being written
	must(t, err)
	second := w.Enqueue(note("second"))
	rest := make(chan []byte)
	go func() {
		b, _ := io.ReadAll(r)
		rest <- b
	}()
	for _, receipt := range []*Receipt{first, second} {
		_, err := receipt.Wait()
		check(t, "append", errors.Is(err, unix.EINVAL), true)
	}
	w.Close()
	es, _, err := scan(append(got, <-rest...))
	check(t, "end", err, io.EOF)
	check(t, "lines that reached the file", len(es), 1)
}

func TestPoisonedLogIsResumed(t *testing.T) {
	w, path := newLog(t, Options{})
	_, err := w.Append(note("one"))
	must(t, err)
	must(t, errors.Join(release(w.file), w.file.Close()))
	_, err = w.Append(note("two"))
	check(t, "append", errors.Is(err, os.ErrClosed), true)
	check(t, "close", errors.Is(w.Close(), os.ErrClosed), true)
	again, err := Open(filepath.Dir(path), session, Options{})
	must(t, err)
	_, err = again.Append(note("three"))
	must(t, errors.Join(err, again.Close()))
	check(t, "log", texts(events(t, path)), []string{"one", "three"})
}

// A child that another goroutine forks holds a copy of the descriptor until its exec.
func TestClosedLogIsFreeThoughACopyOfItsDescriptorIsOpen(t *testing.T) {
	w, path := newLog(t, Options{})
	var kept int
	must(t, withFD(w.file, func(fd int) (err error) {
		kept, err = unix.Dup(fd)
		return err
	}))
	defer unix.Close(kept)
	must(t, w.Close())
	live, err := Live(path)
	must(t, err)
	check(t, "live", live, false)
	again, err := Open(filepath.Dir(path), session, Options{})
	must(t, err)
	must(t, again.Close())
}

func TestChildrenDoNotInheritTheLog(t *testing.T) {
	w, _ := newLog(t, Options{})
	must(t, withFD(w.file, func(fd int) error {
		flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
		check(t, "close on exec", flags&unix.FD_CLOEXEC, unix.FD_CLOEXEC)
		return err
	}))
}
