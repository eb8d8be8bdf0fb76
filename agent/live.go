package agent

import (
	"github.com/nodwyn/nodwyn/sessionlog/redact"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// maxLive bounds what is kept of a running command's output.
const maxLive = 64 << 10

// checkCall stands for the call of a closeout item, of which one runs at a time.
const checkCall = "check"

// live is what a running command has printed so far: a preview that the command's result in the log replaces, and that is gone with the process.
type live struct {
	s *Session
	// stream is the command's own: pieces come one after the other.
	stream *redact.Stream
	// The session's mutex guards these.
	text []byte
	cut  bool
}

// follow keeps the output of a call until unfollow.
func (s *Session) follow(call string) *live {
	l := &live{s: s, stream: s.agent.cfg.Redactor.Stream()}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.live == nil {
		s.live = make(map[string]*live)
	}
	s.live[call] = l
	return l
}

func (s *Session) unfollow(call string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.live, call)
}

// add takes the next piece. What could still become a secret is held back.
func (l *live) add(piece string) {
	text := l.stream.Write(piece)
	l.s.mu.Lock()
	defer l.s.mu.Unlock()
	l.text = append(l.text, text...)
	// Twice as much may pile up, so that not every piece moves all of it.
	if len(l.text) > 2*maxLive {
		l.text, l.cut = append(l.text[:0], tail(string(l.text), maxLive)...), true
	}
}

// running returns what a call has printed so far; empty when it does not run.
func (s *Session) running(call string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.live[call]
	if l == nil {
		return ""
	}
	if l.cut {
		return "[earlier output left out]\n" + string(l.text)
	}
	return string(l.text)
}

// liveCall returns what a call of the trail is followed by.
func liveCall(call string) string {
	if view.IsCheck(call) {
		return checkCall
	}
	return call
}
