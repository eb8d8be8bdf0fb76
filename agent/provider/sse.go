package provider

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// maxEvent bounds a line and an event of a stream, so that a server cannot take all memory.
const maxEvent = 16 << 20

// ServerEvent is one event of a text/event-stream.
type ServerEvent struct {
	// Name is the event's type; empty for a plain message.
	Name string
	// Data is its lines, joined with LF.
	Data string
}

// ServerEvents reads a text/event-stream. An event counts once the empty line behind it has arrived; what the stream breaks off in the middle of is never passed on. The sequence ends with the stream; any other error is its last element.
func ServerEvents(r io.Reader) iter.Seq2[ServerEvent, error] {
	return func(yield func(ServerEvent, error) bool) {
		s := eventReader{in: bufio.NewReader(r)}
		for {
			e, err := s.next()
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

type eventReader struct {
	in *bufio.Reader
	// line is reused.
	line []byte
	// begun says that the byte order mark is behind us.
	begun bool
}

// next returns the next event that holds data.
func (s *eventReader) next() (ServerEvent, error) {
	var e ServerEvent
	var data strings.Builder
	lines := 0
	for {
		line, err := s.read()
		if err != nil {
			return ServerEvent{}, err
		}
		if line == "" {
			if lines > 0 {
				e.Data = data.String()
				return e, nil
			}
			e = ServerEvent{}
			continue
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "event":
			e.Name = value
		case "data":
			if lines++; lines > 1 {
				data.WriteByte('\n')
			}
			data.WriteString(value)
		}
		if data.Len() > maxEvent {
			return ServerEvent{}, fmt.Errorf("read stream: an event is longer than %d bytes", maxEvent)
		}
	}
}

// read returns the next line without its end. A line that the stream breaks off in is an io.EOF.
func (s *eventReader) read() (string, error) {
	s.line = s.line[:0]
	for {
		part, err := s.in.ReadSlice('\n')
		s.line = append(s.line, part...)
		if len(s.line) > maxEvent {
			return "", fmt.Errorf("read stream: a line is longer than %d bytes", maxEvent)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return "", err
		}
	}
	line := strings.TrimSuffix(strings.TrimSuffix(string(s.line), "\n"), "\r")
	if !s.begun {
		s.begun, line = true, strings.TrimPrefix(line, "\ufeff")
	}
	return line, nil
}
