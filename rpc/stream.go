package rpc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"

	"go.lsp.dev/jsonrpc2"
)

const (
	// maxFrame is the largest body that is read into memory.
	maxFrame = 64 << 20
	// maxSkip is the largest body that is read past; a header that promises more is taken for garbage.
	maxSkip = 1 << 30
	// keepBody is the largest read buffer kept from one frame to the next.
	keepBody = 1 << 20
	// bodyStep is the first allocation for a body, so that memory follows the bytes that came and not the header.
	bodyStep = 64 << 10
)

// stream frames messages as the Language Server Protocol does. Unlike the stream of jsonrpc2 it bounds memory, answers what is malformed instead of ending the connection, and never blocks a writer for ever.
type stream struct {
	header header
	in     io.Closer
	out    *outbox
	// body is the read buffer. What ReadFrame returned is valid until the next call.
	body []byte
	// ended is told why nothing more can be read. Only the first reason counts.
	ended context.CancelCauseFunc
	// closed keeps the second Close, of jsonrpc2 or of Serve, from closing the input twice.
	closed sync.Once
	// scratch holds buffers for messages on their way to the outbox.
	scratch sync.Pool
	// wire gives an error its form on the wire.
	wire func(error) *jsonrpc2.Error
}

func newStream(in io.ReadCloser, out *outbox, ended context.CancelCauseFunc, wire func(error) *jsonrpc2.Error) *stream {
	s := &stream{in: in, ended: ended, out: out, wire: wire}
	s.header = header{in: bufio.NewReaderSize(in, maxHeader), garbage: func(why string) {
		s.refuse(jsonrpc2.ID{}, fmt.Errorf("read header: %s: %w", why, errHeader))
	}}
	s.scratch.New = func() any { return new([]byte) }
	return s
}

// ReadFrame returns the body of the next well-formed message. It makes stream the frame stream that jsonrpc2 looks for.
func (s *stream) ReadFrame(ctx context.Context) ([]byte, int64, error) {
	for {
		if ctx.Err() != nil {
			return nil, 0, context.Cause(ctx)
		}
		body, err := s.next()
		if err != nil {
			s.ended(fmt.Errorf("read from client: %w", err))
			return nil, 0, err
		}
		if body = s.check(body); body != nil {
			return body, int64(len(body)), nil
		}
	}
}

// next reads one frame. It returns an empty body for one that was refused.
func (s *stream) next() ([]byte, error) {
	n, err := s.header.read()
	if err != nil {
		return nil, err
	}
	if n > maxFrame {
		s.refuse(jsonrpc2.ID{}, malformed(fmt.Sprintf("%d bytes are more than the limit of %d", n, maxFrame), errTooLarge))
		_, err := io.CopyN(io.Discard, s.header.in, n)
		return nil, midFrame(err)
	}
	return s.readBody(int(n))
}

func (s *stream) readBody(n int) ([]byte, error) {
	if cap(s.body) > keepBody {
		s.body = nil
	}
	buf := s.body[:0]
	for len(buf) < n {
		step := min(n-len(buf), max(bodyStep, len(buf)))
		buf = slices.Grow(buf, step)
		_, err := io.ReadFull(s.header.in, buf[len(buf):len(buf)+step])
		if err != nil {
			return nil, midFrame(err)
		}
		buf = buf[:len(buf)+step]
	}
	s.body = buf
	return buf, nil
}

// midFrame says that an end of input came inside a message.
func midFrame(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Read decodes the next message, for the parts of jsonrpc2 that do not look for frames.
func (s *stream) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	body, n, err := s.ReadFrame(ctx)
	if err != nil {
		return nil, 0, err
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	return msg, n, err
}

// Write queues msg. It waits only while the outbox is full, and then no longer than ctx.
func (s *stream) Write(ctx context.Context, msg jsonrpc2.Message) (int64, error) {
	buf := s.scratch.Get().(*[]byte)
	defer s.recycle(buf)
	*buf = jsonrpc2.AppendMessage((*buf)[:0], msg)
	return s.WriteFrame(ctx, *buf)
}

// WriteFrame queues an encoded message, on the terms of Write.
func (s *stream) WriteFrame(ctx context.Context, body []byte) (int64, error) {
	if err := s.out.put(ctx, body); err != nil {
		return 0, err
	}
	return int64(len(body)), nil
}

func (s *stream) recycle(buf *[]byte) {
	if cap(*buf) <= keepBody {
		s.scratch.Put(buf)
	}
}

// Close ends reading and takes nothing more to write; what is queued still goes out. It does not block: jsonrpc2 calls it under its lock.
func (s *stream) Close() (err error) {
	s.closed.Do(func() {
		s.out.close()
		err = s.in.Close()
	})
	return err
}

// flush waits until everything queued is written, the client is gone, or ctx ends.
func (s *stream) flush(ctx context.Context) error { return s.out.flush(ctx) }

// refuse answers something malformed. The answer is dropped when the client does not read: waiting here would stop the reader.
func (s *stream) refuse(id jsonrpc2.ID, why error) {
	s.out.offer(jsonrpc2.AppendResponse(nil, id, nil, s.wire(why)))
}
