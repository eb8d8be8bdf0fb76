package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.lsp.dev/jsonrpc2"
)

// pipes joins a child's two pipes into the stream of a connection.
type pipes struct {
	io.ReadCloser
	w io.WriteCloser
}

func (p pipes) Write(b []byte) (int, error) { return p.w.Write(b) }

// Close ends the child by the end of its input.
func (p pipes) Close() error { return p.w.Close() }

// peer is a child that speaks JSON-RPC on its pipes.
type peer struct {
	cmd  *exec.Cmd
	conn jsonrpc2.Conn
	end  io.Closer
}

// hear is told each notification of a peer; nil hears nothing.
type hear func(method string, params jsonrpc2.RawMessage)

func startPeer(env []string, heard hear, argv ...string) (*peer, error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env, cmd.Stderr = env, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(pipes{out, in}))
	conn.Go(context.Background(), func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		if heard != nil {
			heard(req.Method(), req.Params())
		}
		return nil, nil
	})
	return &peer{cmd: cmd, conn: conn, end: in}, nil
}

// stop ends the child and waits for it; its exit code after a missing shutdown is not of interest.
func (p *peer) stop() {
	p.end.Close()
	_ = p.cmd.Wait()
}

func (p *peer) call(method string, params any) (jsonrpc2.RawMessage, error) {
	var result jsonrpc2.RawMessage
	if _, err := p.conn.Call(context.Background(), method, params, &result); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return result, nil
}

// serveEcho answers every call with its own params: what the library costs by itself.
func serveEcho() {
	conn := jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(pipes{os.Stdin, os.Stdout}))
	conn.Go(context.Background(), func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		return jsonrpc2.RawMessage(append([]byte(nil), req.Params()...)), nil
	})
	<-conn.Done()
}

type object = map[string]any

// home gives the server folders of its own with a configuration and a script for a scripted model, so that nothing of the person's is read or written.
func (b bench) home(config, script string) ([]string, error) {
	dir := filepath.Join(b.dir, "config", "nodwyn")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	for name, text := range map[string]string{"model.txt": script, "config.toml": config} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			return nil, err
		}
	}
	return append(os.Environ(), "XDG_CONFIG_HOME="+filepath.Join(b.dir, "config"),
		"XDG_DATA_HOME="+filepath.Join(b.dir, "data"), "XDG_STATE_HOME="+filepath.Join(b.dir, "state")), nil
}

// scripted is the configuration of a session with the script.
const scripted = "[control]\nserver = \"s\"\n[servers.s]\napi = \"script\"\nurl = \"model.txt\"\n"

// initialize starts a server for a client that can show what ours can.
func (b bench) initialize(env []string, heard hear) (*peer, error) {
	p, err := startPeer(env, heard, b.nodwyn, "serve")
	if err != nil {
		return nil, err
	}
	shows := object{"experimental": object{"nodwyn": object{"deltas": heard != nil}}}
	_, err = p.call("initialize", object{"processId": nil, "rootUri": nil, "capabilities": shows})
	return p, err
}

// start measures from the spawn to the answer to initialize, against an empty Go program from its spawn to its end.
func (b bench) start() (row, error) {
	env, err := b.home(scripted, "say hello\n")
	if err != nil {
		return row{}, err
	}
	ours := func() (time.Duration, error) {
		begin := time.Now()
		p, err := b.initialize(env, nil)
		took := time.Since(begin)
		if p != nil {
			p.stop()
		}
		return took, err
	}
	empty := func() (time.Duration, error) {
		begin := time.Now()
		err := exec.Command(b.empty).Run()
		return time.Since(begin), err
	}
	r := row{name: "initialize / empty Go program", bar: "≤ peer + 15 ms"}
	r.ours, r.peer, err = inTurn(b.rounds, ours, empty)
	return r, err
}

// roundTrip measures session/view of an open session against the library's echo of a message of the same size.
func (b bench) roundTrip() (row, error) {
	env, err := b.home(scripted, "say hello\n")
	if err != nil {
		return row{}, err
	}
	p, err := b.initialize(env, nil)
	if err != nil {
		return row{}, err
	}
	defer p.stop()
	session, err := openSession(p, filepath.Join(b.dir, "folder"))
	if err != nil {
		return row{}, err
	}
	self, err := os.Executable()
	if err != nil {
		return row{}, err
	}
	echo, err := startPeer(env, nil, self, "-echo")
	if err != nil {
		return row{}, err
	}
	defer echo.stop()
	params := object{"session": session}
	view, err := p.call("session/view", params)
	if err != nil {
		return row{}, err
	}
	timed := func(p *peer, method string, params any) func() (time.Duration, error) {
		return func() (time.Duration, error) {
			begin := time.Now()
			_, err := p.call(method, params)
			return time.Since(begin), err
		}
	}
	r := row{name: "session/view / jsonrpc2 echo", bar: "≤ 1.5x"}
	r.ours, r.peer, err = inTurn(b.rounds*200, timed(p, "session/view", params), timed(echo, "echo", view))
	return r, err
}

// openSession starts a session in a folder.
func openSession(p *peer, folder string) (string, error) {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return "", err
	}
	if err := p.conn.Notify(context.Background(), "initialized", object{}); err != nil {
		return "", err
	}
	var made struct {
		Session string `json:"session"`
	}
	_, err := p.conn.Call(context.Background(), "session/new", object{"repo": folder}, &made)
	return made.Session, err
}
