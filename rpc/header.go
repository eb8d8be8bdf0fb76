package rpc

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"
)

// maxHeader is the most bytes that the header of one message may take.
const maxHeader = 8 << 10

// headerName is the only header that matters; others are ignored.
const headerName = "content-length"

// header reads the headers of messages. Lines that cannot be part of one are skipped up to the next that says Content-Length, so that a stray line on stdin costs no connection.
type header struct {
	in *bufio.Reader
	// garbage is told once of each stretch that is skipped, and why.
	garbage func(why string)

	// length is what the header said so far; -1 before it said anything.
	length int64
	// size counts the bytes of the header so far.
	size int
	// lost is set while a stretch is being skipped.
	lost bool
}

// read returns the length of the next body. An end of input before any header is io.EOF.
func (h *header) read() (int64, error) {
	h.length, h.size, h.lost = -1, 0, false
	for {
		line, err := h.line()
		if err != nil {
			return 0, err
		}
		if len(line) > 0 {
			h.take(line)
			continue
		}
		if h.length >= 0 {
			return h.length, nil
		}
		h.skip("it has no Content-Length")
	}
}

// line returns the next line without its end. Of a line that is too long it keeps the end, since a header may be glued to a body that was not expected.
func (h *header) line() ([]byte, error) {
	var tail []byte
	for {
		line, err := h.in.ReadSlice('\n')
		h.size += len(line)
		if errors.Is(err, bufio.ErrBufferFull) {
			h.skip("a line is too long")
			tail = append(tail[:0], line[max(0, len(line)-64):]...)
			continue
		}
		if err != nil {
			return nil, h.end(err)
		}
		if tail != nil {
			line = append(tail, line...)
		}
		return bytes.TrimRight(line, "\r\n"), nil
	}
}

func (h *header) end(err error) error {
	if errors.Is(err, io.EOF) && h.size > 0 {
		return io.ErrUnexpectedEOF
	}
	return err
}

func (h *header) take(line []byte) {
	name, value, ok := bytes.Cut(line, []byte(":"))
	if !ok || !isToken(name) {
		h.skip("a line is not \"Name: value\"")
		if name, value, ok = glued(line); !ok {
			return
		}
	}
	if h.size > maxHeader && !h.lost {
		h.skip("it is too long")
		return
	}
	if !equalFold(name, headerName) {
		return
	}
	n, err := strconv.ParseInt(string(bytes.TrimSpace(value)), 10, 64)
	if err != nil || n <= 0 || n > maxSkip {
		h.skip("Content-Length is " + strconv.Quote(string(bytes.TrimSpace(value))))
		return
	}
	h.length = n
}

// skip drops what was read of the header.
func (h *header) skip(why string) {
	if !h.lost {
		h.garbage(why)
	}
	h.lost, h.length = true, -1
}

// glued finds a Content-Length behind other text. Inside a valid JSON text no line can end in one, so a body never passes for a header.
func glued(line []byte) (name, value []byte, ok bool) {
	i := bytes.LastIndexByte(line, ':')
	if i < len(headerName) || !equalFold(line[i-len(headerName):i], headerName) {
		return nil, nil, false
	}
	return line[i-len(headerName) : i], line[i+1:], true
}

// isToken reports whether b can be the name of a header.
func isToken(b []byte) bool {
	for _, c := range b {
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' {
			return false
		}
	}
	return len(b) > 0
}

func equalFold(b []byte, lower string) bool {
	return len(b) == len(lower) && bytes.EqualFold(b, []byte(lower))
}
