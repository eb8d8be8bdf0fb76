package provider

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

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
		s := eventReader{lineReader{in: bufio.NewReader(r)}}
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

type eventReader struct{ lines lineReader }

// next returns the next event that holds data.
func (s *eventReader) next() (ServerEvent, error) {
	var e ServerEvent
	var data strings.Builder
	lines := 0
	for {
		line, err := s.lines.read()
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
