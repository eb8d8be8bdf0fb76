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

// Lines reads the lines of a stream without their ends. A line counts once its LF has arrived: what the stream breaks off in comes last, with io.ErrUnexpectedEOF, as does any other error with what was read before it.
func Lines(r io.Reader) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		l := lineReader{in: bufio.NewReader(r)}
		for {
			line, err := l.read()
			if errors.Is(err, io.EOF) {
				if line != "" {
					yield(line, io.ErrUnexpectedEOF)
				}
				return
			}
			if !yield(line, err) || err != nil {
				return
			}
		}
	}
}

// lineReader reads lines that end in LF or in CR and LF.
type lineReader struct {
	in *bufio.Reader
	// line is reused.
	line []byte
	// begun says that the byte order mark is behind us.
	begun bool
}

// read returns the next line without its end, or what there is of it and the error that cut it.
func (l *lineReader) read() (string, error) {
	l.line = l.line[:0]
	for {
		part, err := l.in.ReadSlice('\n')
		l.line = append(l.line, part...)
		if len(l.line) > maxEvent {
			return "", fmt.Errorf("read stream: a line is longer than %d bytes", maxEvent)
		}
		if err == nil {
			return l.text(), nil
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return l.text(), err
		}
	}
}

func (l *lineReader) text() string {
	line := strings.TrimSuffix(strings.TrimSuffix(string(l.line), "\n"), "\r")
	if !l.begun {
		l.begun, line = true, strings.TrimPrefix(line, "\ufeff")
	}
	return line
}
