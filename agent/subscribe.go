package agent

import (
	"context"
	"fmt"
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// Status is what a session does at the moment.
type Status struct {
	// Status is "idle", "running", "waiting" or "closed".
	Status string
	// Waits says what it waits for: "permission", "question" or "model".
	Waits []string
	// Turn is the running turn, 0 outside turns.
	Turn int
	// Step counts the running turn's requests to the model; 0 outside turns.
	Step int
	// Ready is true in the one status that says that the files of the worktree are there.
	Ready bool
	// Overlaps are the files that another open session of the repository changes too.
	Overlaps []Overlap
}

func (s Status) equal(o Status) bool {
	return s.Status == o.Status && s.Turn == o.Turn && s.Step == o.Step && slices.Equal(s.Waits, o.Waits) && slices.EqualFunc(s.Overlaps, o.Overlaps, Overlap.equal)
}

func (s *Session) statusLocked() Status {
	st := Status{Status: s.state.Status(), Waits: s.state.Waits(), Overlaps: s.overlaps}
	if s.state.Running {
		st.Turn, st.Step = s.state.Turn, s.state.Step
	}
	return st
}

// Delta is a piece of the live stream. It is a preview: the event that follows replaces it.
type Delta struct {
	Turn, Attempt  int
	Text, Thinking string
}

// Item is one thing to tell a client. Exactly one pointer is set.
type Item struct {
	Event *event.Event
	// Card is the latest state of a new or changed card, Revision the seq it has seen.
	Card     *view.Card
	Revision int64
	Status   *Status
	Delta    *Delta
}

// maxQueued bounds the events that wait in memory for a slow client; the rest is read from the log again.
const maxQueued = 4096

// Subscription is a client's place in a session. Its items stand in log order; a slow client skips intermediate states of cards and status, never final ones.
type Subscription struct {
	session *Session
	wake    chan struct{} // holds a token when there may be something to take

	// The session's mutex guards the fields below.
	queue  []Item
	latest map[string]Item // state of each queued card
	queued int             // events in the queue
	behind [2]int64        // seqs that must be read from the file, first and last; zero when none
	closed bool
}

// Subscribe starts to follow the session. Events from seq from on that are already in the log come first; 0 starts with the next event.
func (s *Session) Subscribe(from int64) *Subscription {
	u := &Subscription{session: s, wake: make(chan struct{}, 1), latest: make(map[string]Item)}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.subs[u] = struct{}{}
	if last := s.cards.Revision(); from > 0 && from <= last {
		u.behind = [2]int64{from, last}
	}
	s.status = s.statusLocked()
	u.statusLocked(s.status)
	return u
}

// Next waits until there is something to tell. It returns false when the session is closed and everything was told.
func (u *Subscription) Next(ctx context.Context) ([]Item, bool, error) {
	for {
		items, closed, err := u.take()
		if err != nil || len(items) > 0 {
			return items, true, err
		}
		if closed {
			return nil, false, nil
		}
		select {
		case <-u.wake:
		case <-ctx.Done():
			return nil, false, context.Cause(ctx)
		}
	}
}

// Close stops following.
func (u *Subscription) Close() {
	u.session.mu.Lock()
	defer u.session.mu.Unlock()
	delete(u.session.subs, u)
	u.closeLocked()
}

func (u *Subscription) take() ([]Item, bool, error) {
	u.session.mu.Lock()
	items, behind, closed := u.queue, u.behind, u.closed
	for i, it := range items {
		if it.Card != nil {
			items[i] = u.latest[it.Card.ID]
		}
	}
	u.queue, u.queued, u.behind = nil, 0, [2]int64{}
	clear(u.latest)
	u.session.mu.Unlock()
	if behind[0] == 0 {
		return items, closed, nil
	}
	late, err := u.readLog(behind)
	return append(late, items...), closed, err
}

// readLog fetches the events that did not fit the queue.
func (u *Subscription) readLog(span [2]int64) ([]Item, error) {
	var items []Item
	for e, err := range sessionlog.Read(u.session.agent.LogPath(u.session.id)) {
		if err != nil {
			return nil, fmt.Errorf("catch up with session %s: %w", u.session.id, err)
		}
		if e.Seq > span[1] {
			break
		}
		if _, chunk := e.Payload.(event.LLMChunk); !chunk && e.Seq >= span[0] {
			items = append(items, Item{Event: &e})
		}
	}
	return items, nil
}

// eventLocked queues an event. When too many wait, they are dropped from memory: the file has them.
func (u *Subscription) eventLocked(e event.Event) {
	if u.queued >= maxQueued {
		u.spillLocked()
	}
	u.queue = append(u.queue, Item{Event: &e})
	u.queued++
	u.signalLocked()
}

// spillLocked keeps what only memory has and a slow client still needs: the state of each card and the last status. Previews are over by now.
func (u *Subscription) spillLocked() {
	kept := u.queue[:0]
	var status *Item
	for _, it := range u.queue {
		switch {
		case it.Card != nil:
			kept = append(kept, it)
		case it.Status != nil:
			it.Status.Ready = it.Status.Ready || status != nil && status.Status.Ready
			status = &it
		case it.Event != nil:
			if u.behind[0] == 0 {
				u.behind[0] = it.Event.Seq
			}
			u.behind[1] = it.Event.Seq
		}
	}
	if status != nil {
		kept = append(kept, *status)
	}
	u.queue, u.queued = kept, 0
}

func (u *Subscription) cardLocked(c view.Card, revision int64) {
	_, waiting := u.latest[c.ID]
	it := Item{Card: &c, Revision: revision}
	u.latest[c.ID] = it
	if !waiting {
		u.queue = append(u.queue, it)
	}
	u.signalLocked()
}

func (u *Subscription) statusLocked(st Status) {
	if n := len(u.queue); n > 0 && u.queue[n-1].Status != nil {
		st.Ready = st.Ready || u.queue[n-1].Status.Ready
		u.queue = u.queue[:n-1]
	}
	u.queue = append(u.queue, Item{Status: &st})
	u.signalLocked()
}

// deltaLocked joins pieces that no event separates.
func (u *Subscription) deltaLocked(d Delta) {
	if n := len(u.queue); n > 0 && u.queue[n-1].Delta != nil {
		last := *u.queue[n-1].Delta
		if last.Turn == d.Turn && last.Attempt == d.Attempt {
			d.Text, d.Thinking = last.Text+d.Text, last.Thinking+d.Thinking
		}
		u.queue[n-1] = Item{Delta: &d}
	} else {
		u.queue = append(u.queue, Item{Delta: &d})
	}
	u.signalLocked()
}

func (u *Subscription) closeLocked() {
	u.closed = true
	u.signalLocked()
}

func (u *Subscription) signalLocked() {
	select {
	case u.wake <- struct{}{}:
	default:
	}
}
