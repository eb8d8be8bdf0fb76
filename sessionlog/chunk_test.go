package sessionlog

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// settled says what the log holds once the writer has nothing more to do at this time.
func settled(t *testing.T, path string) []string {
	t.Helper()
	synctest.Wait()
	return texts(events(t, path))
}

func TestChunksWaitForCompany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, path := newLog(t, Options{})
		defer w.Close()
		w.Buffer(chunk("a"))
		<-time.After(chunkDelay - 1)
		w.Buffer(chunk("b"))
		check(t, "just before 250 ms", settled(t, path), []string(nil))
		<-time.After(1)
		check(t, "after 250 ms", settled(t, path), []string{"a", "b"})
		w.Buffer(chunk("c"))
		<-time.After(chunkDelay - 1)
		check(t, "a later chunk waits anew", settled(t, path), []string{"a", "b"})
		<-time.After(1)
		check(t, "and no longer", settled(t, path), []string{"a", "b", "c"})
	})
}

func TestChunksGoBeforeTheNextDurableEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var applied []event.Event
		w, path := newLog(t, Options{Applied: func(e event.Event) { applied = append(applied, e) }})
		defer w.Close()
		w.Buffer(chunk("a"))
		w.Buffer(chunk("b"))
		_, err := w.Append(note("c"))
		must(t, err)
		check(t, "at the append", settled(t, path), []string{"a", "b", "c"})
		w.Buffer(chunk("d"))
		<-time.After(chunkDelay / 2)
		must(t, w.Flush())
		check(t, "at the flush", settled(t, path), []string{"a", "b", "c", "d"})
		check(t, "applied", applied, events(t, path))
	})
}

func TestManyChunksStopWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, path := newLog(t, Options{})
		defer w.Close()
		big := strings.Repeat("x", chunkBatch)
		w.Buffer(chunk(big))
		check(t, "written without a timer", settled(t, path), []string{big})
	})
}

func TestStalledDiskHoldsChunksBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		stall := make(chan struct{})
		w, path := newLog(t, Options{Applied: func(event.Event) { <-stall }})
		defer w.Close()
		first := w.Enqueue(note("in the way"))
		synctest.Wait()
		sent, big := 0, strings.Repeat("x", 1<<20)
		go func() {
			for range 12 {
				w.Buffer(chunk(big))
				sent++
			}
		}()
		synctest.Wait()
		check(t, "accepted while nothing is taken", sent, chunkLimit>>20)
		close(stall)
		synctest.Wait()
		_, err := first.Wait()
		must(t, err)
		must(t, w.Flush())
		check(t, "all of it", len(events(t, path)), 13)
	})
}

func TestChunkThatCannotBeKeptPoisons(t *testing.T) {
	w, path := newLog(t, Options{})
	_, err := w.Append(note("one"))
	must(t, err)
	w.Buffer(chunk(strings.Repeat("x", MaxLine)))
	_, err = w.Append(note("two"))
	if err == nil || w.Err() == nil || err.Error() != w.Err().Error() {
		t.Errorf("got %v and poison %v; want the same error", err, w.Err())
	}
	check(t, "log", texts(events(t, path)), []string{"one"})
}
