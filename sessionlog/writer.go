// Package sessionlog is the file of a session's log: it creates, opens, appends, flushes, reads, locks and repairs it.
//
// Invariant: an event is on disk before anyone is told of it. A batch is written with one write, made durable with one sync, given to Options.Applied in seq order, and only then are those who wait for it woken.
//
// Invariant: after the first write or sync that fails, nothing more is written and every append gets that error. A sync is never tried again: the kernel may have dropped the pages and report success.
//
// Invariant: there is one reader. Open, Read and the append itself decode lines with the same code, so nobody can hold an event that a reader of the file would see differently.
package sessionlog

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// Options are what a Writer needs from its owner. The zero value is useful.
type Options struct {
	// Redactor takes secrets out of every payload before it is placed in the log; nil takes nothing out.
	Redactor *redact.Redactor
	// Now is the clock of the events' ts; nil is time.Now.
	Now func() time.Time
	// Applied is told of each event in seq order: by Open, before it returns, of those that the file holds, and then by the writer's goroutine of those that are on disk, before their waiters wake. It must not wait for the writer. Nil tells nobody.
	Applied func(event.Event)
}

// Writer appends to the log of one session. Its methods may be called from any goroutine.
type Writer struct {
	file    *os.File
	session string
	options Options

	// wake tells the goroutine that something waits which cannot stay for the timer.
	wake chan struct{}
	// delay runs out when the oldest buffered chunk has waited long enough.
	delay *time.Timer
	// done is closed when the goroutine has ended.
	done  chan struct{}
	close func() error

	// mu guards what follows. Nothing slow happens under it.
	mu sync.Mutex
	// room is signalled when the goroutine has taken what was pending.
	room *sync.Cond
	// seq is the last seq given out.
	seq int64
	// pending is the next batch.
	pending batch
	// delayed says that delay is running.
	delayed bool
	// poison is the first error of the file; nil while the log is sound.
	poison error
	// closing says that nothing more is accepted.
	closing bool
}

// Path returns where the log of a session stands in the folder dir.
func Path(dir, session string) string {
	return filepath.Join(dir, session+suffix)
}

// Create starts the log of a new session and makes the folder when it is missing. A log that exists is never touched: ErrExist.
func Create(dir, session string, o Options) (*Writer, error) {
	w, err := create(dir, session, o)
	if err != nil {
		return nil, fmt.Errorf("create log of session %q: %w", session, err)
	}
	return w, nil
}

func create(dir, session string, o Options) (*Writer, error) {
	if !ValidID(session) {
		return nil, errID
	}
	if err := makeFolder(dir); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(Path(dir, session), os.O_RDWR|os.O_APPEND|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil, ErrExist
	}
	if err != nil {
		return nil, err
	}
	if err := acquire(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	// Without this the name itself may be gone after a power cut, with every acknowledged event in it.
	if err := syncFolder(dir); err != nil {
		return nil, errors.Join(err, release(f), f.Close())
	}
	return start(f, session, 0, o), nil
}

// Open goes on with the log of a session: it reads all of it strictly and repairs an end that a crash tore. After a repair it returns the Writer together with a *TruncatedError. A log that is open elsewhere is refused with ErrOpen, one that is not there with ErrNotExist, and damage with a *DamageError.
func Open(dir, session string, o Options) (*Writer, error) {
	w, err := open(dir, session, o)
	if err != nil {
		err = fmt.Errorf("open log of session %q: %w", session, err)
	}
	return w, err
}

func open(dir, session string, o Options) (*Writer, error) {
	if !ValidID(session) {
		return nil, errID
	}
	f, err := os.OpenFile(Path(dir, session), os.O_RDWR|os.O_APPEND, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrNotExist
	}
	if err != nil {
		return nil, err
	}
	if err := acquire(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	last, torn, err := restore(f, o.Applied)
	if err != nil {
		return nil, errors.Join(err, release(f), f.Close())
	}
	w := start(f, session, last, o)
	if torn != nil {
		return w, torn
	}
	return w, nil
}

// start runs a Writer on a locked file whose last event is seq.
func start(f *os.File, session string, seq int64, o Options) *Writer {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Applied == nil {
		o.Applied = func(event.Event) {}
	}
	w := &Writer{
		file:    f,
		session: session,
		options: o,
		wake:    make(chan struct{}, 1),
		delay:   time.NewTimer(chunkDelay),
		done:    make(chan struct{}),
		seq:     seq,
	}
	w.delay.Stop()
	w.room = sync.NewCond(&w.mu)
	w.close = sync.OnceValue(w.shut)
	go w.run()
	return w
}

// Err returns the error that poisoned the writer, and nil while the log is sound.
func (w *Writer) Err() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.poison
}

// Close writes what is pending, ends the writer's goroutine, gives the lock back and closes the file. It returns the error that poisoned the writer, if any. Closing again returns the same.
func (w *Writer) Close() error {
	return w.close()
}

func (w *Writer) shut() error {
	w.mu.Lock()
	w.closing = true
	w.room.Broadcast()
	w.mu.Unlock()
	w.signal()
	<-w.done
	// The lock is released before the file is closed: a child that another goroutine forks meanwhile holds a copy of the descriptor, and with it the lock, until its exec.
	return errors.Join(w.Err(), release(w.file), w.file.Close())
}
