package main

import (
	"context"
	"sync"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// follower prints what a session records, as it is recorded, and remembers what the person has to hear of at the end.
type follower struct {
	sub      *agent.Subscription
	from     int64 // what stands before is in the log already, and was printed then
	asJSON   bool
	screen   *display
	activity *activity // nil says nothing
	heard    heard

	// mu guards the fields below. moved is closed and replaced whenever one of them changes.
	mu      sync.Mutex
	seq     int64           // everything up to here was printed
	prompts map[string]bool // those whose opening was printed
	done    bool
	moved   chan struct{}
}

// heard is what a run leaves to be said.
type heard struct {
	// alone counts the permissions that nobody was there to give; untrusted says that the project's checks lacked one's trust.
	alone     int
	untrusted bool
	trustAsks map[string]bool
}

// newFollower starts from the event with seq from; the transcript of those before is folded and not printed.
func newFollower(s *agent.Session, from int64, sc *display) *follower {
	return &follower{
		sub: s.Subscribe(1), from: from, screen: sc,
		heard: heard{trustAsks: make(map[string]bool)}, prompts: make(map[string]bool), moved: make(chan struct{}),
	}
}

// run follows until the session is closed.
func (f *follower) run(ctx context.Context) error {
	defer f.note(func() { f.done = true })
	defer f.sub.Close()
	var transcript view.Transcript
	for {
		items, open, err := f.sub.Next(ctx)
		if err != nil || !open {
			return err
		}
		for _, it := range items {
			if err := f.item(&transcript, it); err != nil {
				return err
			}
		}
	}
}

func (f *follower) item(transcript *view.Transcript, it agent.Item) error {
	if it.Event != nil {
		text := transcript.Apply(*it.Event)
		if it.Event.Seq < f.from {
			return nil
		}
		if err := f.print(text, *it.Event); err != nil {
			return err
		}
		f.heard.take(it.Event.Payload)
	}
	if f.activity != nil {
		f.activity.take(it)
	}
	if it.Event == nil {
		return nil
	}
	f.note(func() {
		f.seq = it.Event.Seq
		if p, ok := it.Event.Payload.(event.PromptOpen); ok {
			f.prompts[p.PromptID] = true
		}
	})
	return nil
}

func (f *follower) print(text string, e event.Event) error {
	if !f.asJSON {
		return f.screen.print(text)
	}
	line, err := event.AppendLine(nil, e)
	if err != nil {
		return err
	}
	return f.screen.print(string(line))
}

// told waits until everything that led to a prompt was printed.
func (f *follower) told(ctx context.Context, prompt string) {
	f.wait(ctx, func() bool { return f.prompts[prompt] })
}

// reached waits until the event with that seq was printed.
func (f *follower) reached(ctx context.Context, seq int64) {
	f.wait(ctx, func() bool { return f.seq >= seq })
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

func (h *heard) take(p event.Payload) {
	switch p := p.(type) {
	case event.GuardDecision:
		if p.Rule == "unanswered" && p.Decision == "deny" {
			h.alone++
		}
	case event.PromptOpen:
		h.trustAsks[p.PromptID] = p.Type == "choice" && p.Op == "trust"
	case event.PromptClose:
		h.untrusted = h.untrusted || h.trustAsks[p.PromptID] && p.Answer == "expired"
	}
}
