package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/index"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// Session is one conversation with its log and, in a git repository, its worktree.
type Session struct {
	agent    *Agent
	id       string
	log      *sessionlog.Writer
	guard    *guard.Guard
	index    *index.Index
	provider provider.Provider
	model    Model
	// instructions are the files at the root as the opening of the session read them, for the first turn; nil when they have to be read. The turn that runs owns them.
	instructions []event.Attach
	// repo and tree are nil and empty for a session that works in its folder.
	repo *worktree.Repository
	tree worktree.Identity
	// checkout is the new worktree of a session that did not wait for its files, else nil.
	checkout *checkout
	// included says that the ignored files which the repository names were asked about since the worktree was made. The turn that runs owns it.
	included bool

	// turns waits for the goroutine of the running turn.
	turns sync.WaitGroup

	// mu guards everything below. The log's goroutine takes it to apply events; nothing slow happens under it.
	mu       sync.Mutex
	state    view.State
	cards    view.Cards
	messages view.Messages
	totals   view.TurnTotals
	setup    view.Setup
	turn     *Turn                   // nil while no turn runs
	queue    []*Turn                 // what waits for it
	prompted int                     // requests ever made, for the ids of the queue
	held     bool                    // a landing or a change of mode keeps turns away
	cut      context.CancelCauseFunc // ends what is asked or checked while held; nil when nothing is
	leaving  error                   // why that would not begin any more; nil while it may
	freed    chan struct{}           // closed when held ends
	gone     chan struct{}           // closed when the session is closed
	closing  bool
	folders  map[string]bool // folders whose instruction files were looked for
	subs     map[*Subscription]struct{}
	named    bool                    // somebody was asked for a title
	naming   context.CancelCauseFunc // ends that request; nil before it
	status   Status                  // as last told to subscribers
	overlaps []Overlap               // with other open sessions of the repository
	live     map[string]*live        // the output of the calls that run
}

func (a *Agent) newSession(id string) *Session {
	return &Session{agent: a, id: id, subs: make(map[*Subscription]struct{}), folders: make(map[string]bool), gone: make(chan struct{})}
}

// logOptions let the session's folds follow its log.
func (s *Session) logOptions() sessionlog.Options {
	return sessionlog.Options{Redactor: s.agent.cfg.Redactor, Now: s.agent.cfg.Now, Applied: s.apply}
}

// ID returns the session's id.
func (s *Session) ID() string { return s.id }

// State returns what the session is now.
func (s *Session) State() view.State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.Clone()
}

// Cards returns the cards and their revision.
func (s *Session) Cards() ([]view.Card, int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cards.All(), s.cards.Revision()
}

// SetTitle names the session; an empty title takes the name back.
func (s *Session) SetTitle(actor, title string) error {
	return s.record(event.SessionTitle{Actor: actor, Title: title})
}

// Record appends events durably. It makes the session the guard's recorder.
func (s *Session) Record(ps ...event.Payload) error { return s.record(ps...) }

func (s *Session) record(ps ...event.Payload) error {
	_, err := s.append(ps...)
	return err
}

// append returns the events as a reader of the file would read them.
func (s *Session) append(ps ...event.Payload) ([]event.Event, error) {
	evs, err := s.log.Append(ps...)
	if err != nil {
		return nil, fmt.Errorf("record %s in session %s: %w", event.KindOf(ps[0]), s.id, err)
	}
	return evs, nil
}

// apply runs on the log's goroutine, in seq order, once an event is on disk.
func (s *Session) apply(e event.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Apply(e)
	s.messages.Apply(e)
	s.totals.Apply(e)
	s.setup.Apply(e)
	card, changed := s.cards.Apply(e)
	if _, chunk := e.Payload.(event.LLMChunk); chunk {
		return
	}
	status := s.statusLocked()
	moved := !status.equal(s.status)
	s.status = status
	for sub := range s.subs {
		sub.eventLocked(e)
		if changed {
			sub.cardLocked(card, e.Seq)
		}
		if moved {
			sub.statusLocked(status)
		}
	}
}

// brokenLocked tells everyone that a session whose log cannot be written does nothing any more; there is no event to say so.
func (s *Session) brokenLocked() {
	if s.log.Err() == nil {
		return
	}
	for len(s.queue) > 0 {
		s.dropLocked(0)
	}
	s.status = Status{Status: "closed"}
	for sub := range s.subs {
		sub.statusLocked(s.status)
	}
}

// Closed says what closing a session came to.
type Closed struct {
	// WorktreeRemoved says that worktree and branch are gone.
	WorktreeRemoved bool
	// Unlanded are the paths whose work is kept on the session's branch.
	Unlanded []string
}

// Close cancels a running turn, removes the worktree when everything in it has landed or discard says so, and closes the log.
func (s *Session) Close(ctx context.Context, discard bool) (Closed, error) {
	if !s.stop(ErrCancelled) {
		return Closed{}, fmt.Errorf("close session %s: %w", s.id, ErrClosed)
	}
	closed, err := s.leaveTree(ctx, discard)
	if err != nil {
		err = errors.Join(err, s.record(event.Note{Code: "worktree_kept", Text: err.Error()}))
	}
	return closed, errors.Join(err, s.finishLog("closed"))
}

// end closes the session without touching its worktree. When somebody else is closing it, their end is waited for: it is on record then.
func (s *Session) end(cause error, reason string) error {
	if !s.stop(cause) {
		<-s.gone
		return nil
	}
	return s.finishLog(reason)
}

// stop refuses new turns, cancels the running one, waits for its end to be on record, and ends the commands that run beside the turns. It reports whether the caller is the first, who has to close what is left. A landing that is under way comes to its end before.
func (s *Session) stop(cause error) bool {
	s.mu.Lock()
	for s.held {
		s.leaving = cause
		s.cutLocked(cause)
		freed := s.freed
		s.mu.Unlock()
		<-freed
		s.mu.Lock()
	}
	if s.closing {
		s.mu.Unlock()
		return false
	}
	s.closing = true
	for len(s.queue) > 0 {
		s.dropLocked(0)
	}
	turn := s.turn
	if s.naming != nil {
		s.naming(cause)
	}
	s.mu.Unlock()
	if s.checkout != nil {
		s.checkout.stop(cause)
	}
	if turn != nil {
		turn.Cancel(cause)
	}
	if s.guard != nil {
		gone := s.guard.StopAll()
		defer gone() // before the worktree is looked at, in which they may write
	}
	s.turns.Wait()
	return true
}

// finishLog writes the last event and lets go of everything. The session is forgotten even when that fails: what is on disk is what counts.
func (s *Session) finishLog(reason string) error {
	err := s.record(event.SessionEnd{Reason: reason})
	err = errors.Join(err, s.release())
	s.agent.forget(s.id)
	s.meetLater() // the others have one less to meet
	close(s.gone)
	return err
}

// release closes guard, log and subscriptions.
func (s *Session) release() error {
	var err error
	if s.guard != nil {
		err = s.guard.Close()
	}
	err = errors.Join(err, s.log.Close())
	s.mu.Lock()
	defer s.mu.Unlock()
	for sub := range s.subs {
		sub.closeLocked()
	}
	return err
}
