package ollama

import (
	"fmt"
	"io"
	"strings"

	"github.com/nodwyn/nodwyn/agent/provider"
)

// decoder turns one stream into chunks.
type decoder struct {
	emit  provider.Emit
	calls int
	// said is whether anything of a reply arrived.
	said bool
}

// run reads the stream to the line that is done.
func (d *decoder) run(r io.Reader) error {
	for line, err := range provider.Lines(r) {
		if err != nil {
			return broken(line, err)
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if done, err := d.line(line); done || err != nil {
			return err
		}
	}
	return provider.Broken("the stream ended without a line that is done")
}

// broken returns the error of a stream that ended inside a line. An error needs no end of line to be understood.
func broken(line string, err error) error {
	if f := provider.ReadFailure([]byte(line)); f.Found {
		return failed(f)
	}
	return provider.Broken(err.Error())
}

// failed returns the error that a server sent inside a stream. It gives no code, and what cannot be helped it refuses before the stream begins; so the next attempt may do better, unless the window is too long.
func failed(f provider.Failure) error {
	e := provider.StreamError(f.Code, f.Message)
	e.Retry = !e.Overflow()
	return e
}

// line handles one line and reports whether it was the last.
func (d *decoder) line(line string) (done bool, err error) {
	var p piece
	if err := provider.Decode([]byte(line), &p); err != nil {
		if f := provider.ReadFailure([]byte(line)); f.Found {
			return false, failed(f)
		}
		return false, provider.Broken(fmt.Sprintf("the stream holds what is no line of a reply: %v", err))
	}
	if p.Error.Kind() == '"' || p.Error.Kind() == '{' {
		return false, failed(provider.ReadFailure([]byte(line)))
	}
	if err := d.message(&p.Message); err != nil || !p.Done {
		return false, err
	}
	return true, d.done(&p)
}

func (d *decoder) message(m *said) error {
	d.said = d.said || m.Content != "" || m.Thinking != "" || len(m.ToolCalls) > 0
	if err := d.emit(provider.Chunk{Thinking: string(m.Thinking)}); err != nil {
		return err
	}
	if err := d.emit(provider.Chunk{Text: string(m.Content)}); err != nil {
		return err
	}
	for _, c := range m.ToolCalls {
		err := d.emit(provider.Chunk{Call: &provider.CallPiece{
			Index: d.calls, ID: string(c.ID), Name: string(c.Function.Name), Args: string(c.Function.Arguments),
		}})
		if err != nil {
			return err
		}
		d.calls++
	}
	return nil
}

// done ends a reply whose last line has come.
func (d *decoder) done(p *piece) error {
	reason := string(p.DoneReason)
	if (reason == "load" || reason == "unload") && !d.said {
		return provider.Broken(fmt.Sprintf("the server did not answer: it reported only %q", reason))
	}
	if err := d.emit(provider.Chunk{Usage: new(p.usage())}); err != nil {
		return err
	}
	return d.emit(provider.Chunk{Stop: d.stop(reason), StopRaw: reason})
}

// stop returns the log's word for the reason. The server says "stop" after calls as well.
func (d *decoder) stop(reason string) string {
	switch {
	case reason == "length":
		return "length"
	case d.calls > 0:
		return "tool_calls"
	}
	return "end"
}
