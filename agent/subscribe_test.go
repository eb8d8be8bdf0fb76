package agent

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// openLog returns a session that has a log and nothing else.
func openLog(t *testing.T) *Session {
	t.Helper()
	a := New(Config{DataDir: t.TempDir()})
	s := a.newSession(sessionlog.NewID(time.Unix(0, 0)))
	log, err := sessionlog.Create(a.SessionsDir(), s.id, s.logOptions())
	if err != nil {
		t.Fatal(err)
	}
	s.log = log
	t.Cleanup(func() { log.Close() })
	return s
}

func note(i int) event.Payload { return event.Note{Code: "n", Text: fmt.Sprint(i)} }

// drain takes everything that is there.
func drain(t *testing.T, u *Subscription) []Item {
	t.Helper()
	items, _, err := u.take()
	if err != nil {
		t.Fatal(err)
	}
	return items
}

func seqs(items []Item) []int64 {
	var out []int64
	for _, it := range items {
		if it.Event != nil {
			out = append(out, it.Event.Seq)
		}
	}
	return out
}

func checkSeqs(t *testing.T, got []int64, first, last int64) {
	t.Helper()
	if len(got) != int(last-first+1) {
		t.Fatalf("got %d events, want %d to %d", len(got), first, last)
	}
	for i, seq := range got {
		if want := first + int64(i); seq != want {
			t.Fatalf("event %d: got seq %d, want %d", i, seq, want)
		}
	}
}

func TestASlowClientGetsEveryEventOnceAndInOrder(t *testing.T) {
	s := openLog(t)
	u := s.Subscribe(0)
	const n = 3*maxQueued + 17
	payloads := make([]event.Payload, n)
	for i := range payloads {
		payloads[i] = note(i)
	}
	if err := s.record(payloads...); err != nil {
		t.Fatal(err)
	}
	checkSeqs(t, seqs(drain(t, u)), 1, n)
	if err := s.record(note(0)); err != nil {
		t.Fatal(err)
	}
	checkSeqs(t, seqs(drain(t, u)), n+1, n+1)
}

func TestASubscriberMayStartInThePast(t *testing.T) {
	s := openLog(t)
	if err := s.record(note(1), note(2), note(3)); err != nil {
		t.Fatal(err)
	}
	u := s.Subscribe(2)
	if err := s.record(note(4)); err != nil {
		t.Fatal(err)
	}
	checkSeqs(t, seqs(drain(t, u)), 2, 4)
}

func TestASlowClientSeesOnlyTheLastStateOfACard(t *testing.T) {
	s := openLog(t)
	u := s.Subscribe(0)
	if err := s.record(event.PromptOpen{PromptID: "p1", Type: "permission", Action: "Run ls"}, event.PromptClose{PromptID: "p1", Answer: "deny"}); err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, it := range drain(t, u) {
		if it.Card != nil {
			lines = append(lines, fmt.Sprint(it.Card.Line(), " at ", it.Revision))
		}
	}
	if want := "permission  Denied run of ls at 2"; len(lines) != 1 || lines[0] != want {
		t.Errorf("got %q, want %q", lines, want)
	}
}

func TestDeltasJoinUntilAnEventParts(t *testing.T) {
	s := openLog(t)
	u := s.Subscribe(0)
	drain(t, u)
	tell := func(d Delta) {
		s.mu.Lock()
		defer s.mu.Unlock()
		u.deltaLocked(d)
	}
	tell(Delta{Turn: 1, Attempt: 1, Text: "a"})
	tell(Delta{Turn: 1, Attempt: 1, Text: "b"})
	if err := s.record(note(1)); err != nil {
		t.Fatal(err)
	}
	tell(Delta{Turn: 1, Attempt: 1, Text: "c"})
	tell(Delta{Turn: 1, Attempt: 2, Text: "d"}) // voids the attempt before
	items := drain(t, u)
	if len(items) != 3 || items[0].Delta.Text != "ab" || items[1].Event == nil || *items[2].Delta != (Delta{Turn: 1, Attempt: 2, Text: "d"}) {
		t.Errorf("got %+v", items)
	}
}

func TestNextEndsWithTheSession(t *testing.T) {
	s := openLog(t)
	u := s.Subscribe(0)
	if err := s.record(note(1)); err != nil {
		t.Fatal(err)
	}
	if err := s.release(); err != nil {
		t.Fatal(err)
	}
	if items, open, err := u.Next(t.Context()); err != nil || !open || len(seqs(items)) != 1 {
		t.Fatalf("got %v, %v, %v, want the last event first", items, open, err)
	}
	if _, open, err := u.Next(t.Context()); err != nil || open {
		t.Errorf("got open %v, %v, want the end", open, err)
	}
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(ErrCancelled)
	if _, _, err := openLog(t).Subscribe(0).Next(cancelled); err != nil { // the first status is there at once
		t.Fatal(err)
	}
}
