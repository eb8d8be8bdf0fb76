package rpc

import (
	"context"
	"sync"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc/protocol"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// deltaPause keeps previews under 30 a second, with room for the last ones of a reply, which do not wait.
const deltaPause = 40 * time.Millisecond

// follows holds the followers of the sessions that are open here.
type follows struct {
	mu        sync.Mutex // guards bySession
	bySession map[string]*follower
}

// follower tells the client what happens in one session. Its goroutine is the only one that does, so that the order of the log is the order on the wire.
type follower struct {
	server  *Server
	session *agent.Session
	sub     *agent.Subscription
	work    progress

	// The goroutine owns these: the preview that waits for its time, and that time.
	pending *agent.Delta
	due     time.Time

	// mu guards the fields below. moved is closed and replaced whenever one of them changes.
	mu      sync.Mutex
	seq     int64           // everything up to here was told
	prompts map[string]bool // whose prompt.open was told
	done    bool
	moved   chan struct{}
}

// follow starts to follow a session, from the event with seq from. A session that is followed already stays so.
func (s *Server) follow(session *agent.Session, from int64) *follower {
	s.follows.mu.Lock()
	defer s.follows.mu.Unlock()
	if f := s.follows.bySession[session.ID()]; f != nil && f.session == session {
		return f
	}
	if s.follows.bySession == nil {
		s.follows.bySession = make(map[string]*follower)
	}
	f := &follower{server: s, session: session, sub: session.Subscribe(from), prompts: make(map[string]bool), moved: make(chan struct{})}
	f.work.server, f.work.session = s, session
	s.follows.bySession[session.ID()] = f
	s.work.Go(func() { f.run(s.base, from > 1) })
	return f
}

// of returns the follower of a session, or nil.
func (f *follows) of(session string) *follower {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.bySession[session]
}

// forget removes a follower that ended, unless another took its place.
func (f *follows) forget(ended *follower) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if id := ended.session.ID(); f.bySession[id] == ended {
		delete(f.bySession, id)
	}
}

// settled waits until every follower has told the end of its session.
func (f *follows) settled(ctx context.Context) {
	f.mu.Lock()
	var all []*follower
	for _, one := range f.bySession {
		all = append(all, one)
	}
	f.mu.Unlock()
	for _, one := range all {
		one.wait(ctx, func() bool { return false })
	}
}

// run is the follower's goroutine. It ends with the session or the connection.
func (f *follower) run(ctx context.Context, again bool) {
	defer f.finish()
	err := f.catchUp(ctx, again)
	for open := true; open && err == nil; {
		var items []agent.Item
		if items, open, err = f.next(ctx); err == nil {
			err = f.tell(ctx, items)
		}
	}
	if err != nil && ctx.Err() == nil {
		f.server.cfg.Log.Error("stop following", "session", f.session.ID(), "err", err)
	}
}

func (f *follower) finish() {
	f.sub.Close()
	f.work.end()
	f.server.follows.forget(f)
	f.note(func() { f.done = true })
}

// catchUp shows the cards of a session that was resumed: what an earlier life left, and what recovery changed.
func (f *follower) catchUp(ctx context.Context, again bool) error {
	if !again || !f.server.client.ours.Cards {
		return nil
	}
	cards, revision := f.session.Cards()
	for _, c := range cards {
		if err := f.card(ctx, &c, revision); err != nil {
			return err
		}
	}
	return nil
}

// next waits for something to tell, but no longer than a preview may wait.
func (f *follower) next(ctx context.Context) ([]agent.Item, bool, error) {
	if f.pending == nil {
		return f.sub.Next(ctx)
	}
	timed, stop := context.WithDeadline(ctx, f.due)
	defer stop()
	items, open, err := f.sub.Next(timed)
	if err != nil && ctx.Err() == nil && timed.Err() != nil {
		return nil, true, nil
	}
	return items, open, err
}

// tell sends a batch, then lets those go on who wait for it.
func (f *follower) tell(ctx context.Context, items []agent.Item) error {
	var seq int64
	var opened []string
	for _, it := range items {
		if err := f.item(ctx, it); err != nil {
			return err
		}
		if it.Event == nil {
			continue
		}
		seq = it.Event.Seq
		if p, ok := it.Event.Payload.(event.PromptOpen); ok {
			opened = append(opened, p.PromptID)
		}
	}
	if f.pending != nil && !time.Now().Before(f.due) {
		if err := f.flush(ctx); err != nil {
			return err
		}
	}
	f.note(func() {
		f.seq = max(f.seq, seq)
		for _, id := range opened {
			f.prompts[id] = true
		}
	})
	return nil
}

func (f *follower) item(ctx context.Context, it agent.Item) error {
	switch {
	case it.Event != nil:
		return f.event(ctx, it.Event)
	case it.Card != nil && f.server.client.ours.Cards:
		return f.card(ctx, it.Card, it.Revision)
	case it.Status != nil:
		return f.status(ctx, it.Status)
	case it.Delta != nil && f.server.client.ours.Deltas:
		return f.delta(ctx, it.Delta)
	}
	return nil
}

// told waits until everything that is on record of a session was told, as far as the client follows it: what a request caused comes before its answer.
func (s *Server) told(ctx context.Context, session *agent.Session) {
	if f := s.follows.of(session.ID()); f != nil {
		_, revision := session.Cards()
		f.told(ctx, revision)
	}
}

// told waits until everything up to seq was told.
func (f *follower) told(ctx context.Context, seq int64) {
	f.wait(ctx, func() bool { return f.seq >= seq })
}

// asked waits until the event that opened a prompt was told.
func (f *follower) asked(ctx context.Context, prompt string) {
	f.wait(ctx, func() bool { return f.prompts[prompt] })
}

// wait returns when reached is true, the follower has ended, or ctx has. reached runs under the mutex.
func (f *follower) wait(ctx context.Context, reached func() bool) {
	for {
		f.mu.Lock()
		ok, moved := reached() || f.done, f.moved
		f.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		}
	}
}

func (f *follower) note(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
	close(f.moved)
	f.moved = make(chan struct{})
}

// flush sends the preview that waits.
func (f *follower) flush(ctx context.Context) error {
	d := f.pending
	if d == nil {
		return nil
	}
	f.pending, f.due = nil, time.Now().Add(deltaPause)
	return f.server.notify(ctx, protocol.MethodDelta, protocol.DeltaParams{
		Session: f.session.ID(), Turn: d.Turn, Attempt: d.Attempt, Text: d.Text, Thinking: d.Thinking,
	})
}
