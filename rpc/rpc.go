// Package rpc serves an agent to one editor in the framing of the Language Server Protocol.
//
// Invariant: the read path accepts requests in the order of their arrival and does nothing slow; what takes time happens behind jsonrpc2.Async, which is called in one place (handle). What is in memory is answered on the read path, but only while nothing waits for the client, so that no answer ever stops the reader. A notification never returns an error, since jsonrpc2 would end the connection. Errors get their wire codes and reasons in one function (wireError), also those about messages that cannot be read. No message, however malformed, ends the connection or the process. Nothing here does I/O but on the two streams that Serve is given.
package rpc

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"go.lsp.dev/jsonrpc2"

	"github.com/nodwyn/nodwyn/agent"
)

// Config is what a Server works with.
type Config struct {
	// Version is the program's version, for initialize.
	Version string
	// Log takes details for developers; nil discards them.
	Log *slog.Logger
	// Watch returns when the process is gone or ctx ends. It is called with the client's processId; nil watches nothing.
	Watch func(ctx context.Context, pid int)
	// Document keeps a Markdown view of a session where the editor can open it, and returns its absolute path; nil shows results as messages.
	Document func(session, markdown string) (string, error)
	// ReadFile reads a file of the person's checkout that a landing changed, for editors that have it open; nil leaves their buffers to them.
	ReadFile func(path string) ([]byte, error)
	// Writable reports that the output takes 4 KiB without blocking, which systems can say of pipes and sockets that nobody else writes to. Short answers are then written without the way through a goroutine; nil sends all of them that way.
	Writable func() bool
}

// Exit says how serving ended.
type Exit struct {
	// Code is the exit code that the Language Server Protocol asks for: 0 after shutdown, else 1.
	Code int
	// Reason is "shutdown" or "editor_exit", as session.end spells it.
	Reason string
}

// Server is the connection to one editor. It is the agent's asker, too.
type Server struct {
	cfg     Config
	methods map[string]method

	// Serve sets these before anything is read.
	agent  *agent.Agent
	stream *stream
	conn   jsonrpc2.Conn
	base   context.Context // ends with the connection; its cause says why
	end    context.CancelCauseFunc

	// The read path sets client in initialize. Everything that looks at client was started later.
	phase  phase
	client client

	// work waits for followers, watchers and whatever else the server started.
	work tally

	requests requests
	follows  follows
	asks     asks
	buffers  buffers
}

// Causes that end a connection.
var (
	errExit       = errors.New("the client asked for the exit")
	errParentGone = errors.New("the client's process is gone")
)

const (
	// grace bounds the wait for what is in flight once the connection has ended: the sessions have to be closed soon, and whoever has not read by then is gone.
	grace = time.Second
	// closing bounds the wait for the sessions in shutdown, which the client waits for.
	closing = 5 * time.Second
)

// New returns a server that Serve connects to an editor.
func New(cfg Config) *Server {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	return &Server{cfg: cfg, methods: methodTable()}
}

// Serve speaks to one editor until it is gone, asks for the exit, or ctx ends. Closing in must end a read that is under way, or Serve waits for it in vain for a second. The sessions stay open: it is for the caller to close the agent with the reason of the exit.
func (s *Server) Serve(ctx context.Context, a *agent.Agent, in io.ReadCloser, out io.WriteCloser) (Exit, error) {
	s.agent = a
	s.base, s.end = context.WithCancelCause(ctx)
	defer s.end(nil)
	s.stream = newStream(in, newOutbox(out, s.cfg.Writable, s.end), s.end, func(err error) *jsonrpc2.Error { return wireError(err, a.Redact) })
	s.conn = jsonrpc2.NewConn(s.stream, jsonrpc2.WithCodec(codec{}))
	s.conn.Go(s.base, s.handle)
	<-s.base.Done()
	a.CancelTurns(agent.ErrEditorExit) // before anything is drained: nothing new begins for an editor that is gone
	s.cfg.Log.Info("connection ends", "cause", context.Cause(s.base))
	late, stop := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer stop()
	return s.exit(), errors.Join(s.drain(late), s.stream.flush(late))
}

// drain waits for the handlers and for everything else that the server started. Their context has ended.
func (s *Server) drain(ctx context.Context) error {
	err := s.stream.Close()
	select {
	case <-s.conn.Done():
	case <-ctx.Done():
		return errors.Join(err, errors.New("stop serving: a request or the read of the input did not end in time"))
	}
	if !s.work.none(ctx) {
		return errors.Join(err, errors.New("stop serving: what the client was being told did not end in time"))
	}
	return err
}

// exit is called when nothing is read any more, so that the phase stands still.
func (s *Server) exit() Exit {
	if s.phase.load() == stopped {
		return Exit{Code: 0, Reason: "shutdown"}
	}
	return Exit{Code: 1, Reason: "editor_exit"}
}
