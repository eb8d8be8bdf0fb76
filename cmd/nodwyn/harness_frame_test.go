package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// message is whatever stands in one frame: a request, a notification or a response.
type message struct {
	ID     jsontext.Value `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitzero"`
	Result jsontext.Value `json:"result,omitzero"`
	Error  *wireError     `json:"error,omitzero"`

	// raw is the frame's body; for a frame that is no JSON it is all there is.
	raw []byte
}

// wireError is the error member of a response.
type wireError struct {
	Code    int            `json:"code"`
	Message string         `json:"message"`
	Data    jsontext.Value `json:"data,omitzero"`
}

func (e *wireError) Error() string { return fmt.Sprintf("%d %s %s", e.Code, e.Message, e.Data) }

// readFrame reads one frame of the Language Server Protocol.
func readFrame(r *bufio.Reader) ([]byte, error) {
	size := -1
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return nil, err
		}
		line = strings.TrimRight(line, "\r\n")
		if line == "" {
			break
		}
		if v, ok := strings.CutPrefix(line, "Content-Length: "); ok {
			if size, err = strconv.Atoi(v); err != nil {
				return nil, fmt.Errorf("read frame header %q: %w", line, err)
			}
		}
	}
	if size < 0 {
		return nil, fmt.Errorf("read frame: no Content-Length")
	}
	body := make([]byte, size)
	_, err := io.ReadFull(r, body)
	return body, err
}

// encodeMessage returns a request, or with an empty id a notification.
func encodeMessage(id, method string, params jsontext.Value) []byte {
	b := []byte(`{"jsonrpc":"2.0"`)
	if id != "" {
		b = fmt.Appendf(b, `,"id":%s`, id)
	}
	b = fmt.Appendf(b, `,"method":%q`, method)
	if params != nil {
		b = fmt.Appendf(b, `,"params":%s`, params)
	}
	return append(b, '}')
}
