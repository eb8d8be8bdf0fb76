package sessionlog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// MaxLine is the longest line in bytes that a log may hold. It bounds the memory of a reader, which never holds more than one line.
const MaxLine = 64 << 20

// lookAgain is how long a reader gives the end of a log that nobody writes: its writer may have closed between two looks.
const lookAgain = 100 * time.Millisecond

// Read returns the events of a log in order. It takes no lock and may run beside a writer: bytes behind the last line end of a live log are not there yet, and it stops before them. Of a log that is not live it looks at such bytes again once after 100 ms. The first error ends the sequence; damage and a torn end are a *DamageError.
func Read(path string) iter.Seq2[event.Event, error] {
	return func(yield func(event.Event, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(event.Event{}, readError(path, err))
			return
		}
		defer f.Close()
		s := newScanner(f, path)
		for {
			e, err := s.nextOrLive(f)
			if err == io.EOF || !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// Live says whether a writer, in this process or another, has the log open. It does not touch the lock.
func Live(path string) (bool, error) {
	f, err := os.Open(path)
	if err != nil {
		return false, readError(path, err)
	}
	defer f.Close()
	live, err := held(f)
	if err != nil {
		return false, readError(path, err)
	}
	return live, nil
}

func readError(path string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		err = ErrNotExist
	}
	return fmt.Errorf("read log %q: %w", path, err)
}

// scanner reads the lines of a log strictly. Its position moves only over events that it returned, so after an error it stands where it stood.
type scanner struct {
	source  io.ReadSeeker
	buf     *bufio.Reader
	path    string
	session string
	// long collects a line that is larger than buf.
	long []byte
	// seq is the seq, and so the line number, of the last event.
	seq int64
	// end is the offset behind the last event.
	end int64
}

// tail is an end of the file that a crash explains: bytes without a line end, or a last line that is no JSON object.
type tail struct {
	partial bool
	damage  DamageError
}

func (t *tail) Error() string { return t.damage.Error() }

func newScanner(source io.ReadSeeker, path string) *scanner {
	session := strings.TrimSuffix(filepath.Base(path), suffix)
	return &scanner{source: source, buf: bufio.NewReaderSize(source, 64<<10), path: path, session: session}
}

// nextOrLive is next for a reader that holds no lock: it decides what a torn end means.
func (s *scanner) nextOrLive(f *os.File) (event.Event, error) {
	e, err := s.next()
	if t, torn := errors.AsType[*tail](err); !torn || !t.partial {
		return e, refused(err)
	}
	live, err := held(f)
	if err != nil {
		return event.Event{}, readError(s.path, err)
	}
	if live {
		return event.Event{}, io.EOF
	}
	time.Sleep(lookAgain)
	if err := s.rewind(); err != nil {
		return event.Event{}, readError(s.path, err)
	}
	e, err = s.next()
	return e, refused(err)
}

// refused turns a torn end into damage: without the lock nobody may repair it.
func refused(err error) error {
	if t, torn := errors.AsType[*tail](err); torn {
		return &t.damage
	}
	return err
}

// rewind goes back behind the last event.
func (s *scanner) rewind() error {
	_, err := s.source.Seek(s.end, io.SeekStart)
	s.buf.Reset(s.source)
	return err
}

// next returns the next event. At the end it returns io.EOF, or a *tail.
func (s *scanner) next() (event.Event, error) {
	line, err := s.line()
	if err == io.EOF && len(line) > 0 {
		return event.Event{}, s.torn(true, fmt.Sprintf("torn: %d bytes stand behind the last line end", len(line)))
	}
	if err != nil {
		return event.Event{}, err
	}
	e, err := event.DecodeLine(line)
	if err != nil && !isObject(line) && s.atEnd() {
		return event.Event{}, s.torn(false, "torn: the last line is no JSON object")
	}
	if err != nil {
		return event.Event{}, s.damage(err.Error())
	}
	if e.Session != s.session {
		return event.Event{}, s.damage(fmt.Sprintf("event belongs to session %q", e.Session))
	}
	if e.Seq != s.seq+1 {
		return event.Event{}, s.damage(fmt.Sprintf("seq is %d where %d must follow", e.Seq, s.seq+1))
	}
	s.seq++
	s.end += int64(len(line)) + 1
	return e, nil
}

// line returns the next line without its end, valid until the next call. At the end of the file it returns what is left and io.EOF.
func (s *scanner) line() ([]byte, error) {
	s.long = s.long[:0]
	for {
		part, err := s.buf.ReadSlice('\n')
		if len(s.long)+len(part) > MaxLine {
			return nil, s.damage(fmt.Sprintf("line is longer than %d bytes", MaxLine))
		}
		if err == nil && len(s.long) == 0 {
			return part[:len(part)-1], nil
		}
		s.long = append(s.long, part...)
		switch err {
		case nil:
			return s.long[:len(s.long)-1], nil
		case io.EOF:
			return s.long, io.EOF
		case bufio.ErrBufferFull:
		default:
			return nil, readError(s.path, err)
		}
	}
}

func (s *scanner) atEnd() bool {
	_, err := s.buf.Peek(1)
	return err == io.EOF
}

// isObject says whether line is one well-formed JSON object. What it accepts is wider than what an event may be, so that an event which is refused for another reason is never taken for a torn line.
func isObject(line []byte) bool {
	v := jsontext.Value(line)
	return v.Kind() == '{' && v.IsValid(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}

func (s *scanner) damage(reason string) *DamageError {
	return &DamageError{File: s.path, Line: int(s.seq) + 1, Reason: reason + "; the file is left as it is: read it with the version that wrote it, or put a good copy in its place"}
}

func (s *scanner) torn(partial bool, reason string) *tail {
	d := DamageError{File: s.path, Line: int(s.seq) + 1, Reason: reason + "; resuming the session repairs it"}
	return &tail{partial: partial, damage: d}
}
