package guard

import "sync"

// Filter takes secrets out of a text that comes in pieces: Write returns what can be shown by now, Close the rest.
type Filter interface {
	Write(piece string) string
	Close() string
}

// tape keeps what a background command prints until it is read: the beginning and the end of it, in memory that does not grow with the rest.
type tape struct {
	// filter belongs to the goroutine that writes.
	filter Filter
	// mu guards what follows.
	mu         sync.Mutex
	head, tail []byte
	cut        int64
	added      chan struct{} // closed, and made anew, when something is added
}

func newTape(f Filter) *tape { return &tape{filter: f, added: make(chan struct{})} }

// add takes the next piece.
func (t *tape) add(piece string) { t.keep(t.filter.Write(piece)) }

// close lets go of what the filter held back.
func (t *tape) close() { t.keep(t.filter.Close()) }

func (t *tape) keep(text string) {
	if text == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	room := min(headBytes-len(t.head), len(text))
	t.head = append(t.head, text[:room]...)
	t.tail = append(t.tail, text[room:]...)
	// Twice as much may pile up, so that not every piece moves all of it.
	if len(t.tail) > 2*tailBytes {
		t.trim()
	}
	close(t.added)
	t.added = make(chan struct{})
}

// trim drops what lies between head and tail. The caller holds the mutex.
func (t *tape) trim() {
	if over := len(t.tail) - tailBytes; over > 0 {
		t.cut += int64(over)
		t.tail = append(t.tail[:0], t.tail[over:]...)
	}
}

// news returns what is closed when something is added, and reports whether there is something already.
func (t *tape) news() (added <-chan struct{}, already bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.added, len(t.head) > 0
}

// take returns what was printed since the last time, and how much of it was left out.
func (t *tape) take() (text string, cut int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.trim()
	text, cut = joinCut(t.head, t.tail, t.cut)
	t.head, t.tail, t.cut = nil, nil, 0
	return text, cut
}
