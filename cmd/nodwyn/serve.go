package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/rpc"
)

// watchEvery is how often the editor's process is looked for. The end of stdin tells sooner, unless something else holds the pipe.
const watchEvery = 2 * time.Second

// serve speaks to one editor until it is gone, then ends every session on record. A broken configuration does not keep it from starting: session/new says what is wrong.
func serve(ctx context.Context, c *console, args []string) error {
	if _, err := parse(c, flag.NewFlagSet("serve", flag.ContinueOnError), args, 0, 0); err != nil {
		return err
	}
	if isTerminal(c.in) {
		fmt.Fprintln(c.err, "nodwyn serve waits here for an editor that speaks JSON-RPC; `nodwyn run \"TASK\"` is for people. Ctrl-C ends it.")
	}
	p, err := assemble()
	if err != nil && p.config.DataDir == "" {
		return err
	}
	p.openLog()
	defer p.close()
	if err := p.vault.hide(ctx); err != nil {
		p.config.Log.Warn("hide stored credentials", "err", err) // a session that uses one says it again
	}
	server := rpc.New(rpc.Config{
		Version: version(), Log: p.config.Log, Watch: watchProcess,
		Document: documents(filepath.Join(p.dirs.state, "views")), ReadFile: os.ReadFile, Writable: writable(os.Stdout),
	})
	p.config.Asker = server
	a := agent.New(p.config)
	defer sweeping(ctx, a, p.config.Log)()
	in, err := interruptible(os.Stdin)
	if err != nil {
		return fmt.Errorf("prepare stdin: %w", err)
	}
	// A polite end from outside is an editor that goes away: what runs is cancelled and recorded.
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	exit, err := server.Serve(ctx, a, in, os.Stdout)
	if err != nil {
		p.config.Log.Error("serve", "err", err) // the connection is over; nobody reads stderr for it
	}
	if err := a.Close(exit.Reason); err != nil {
		return fmt.Errorf("close the sessions: %w", err)
	}
	return ended{exit.Code}
}

// documents keeps the Markdown view of a session where an editor without our cards can open it.
func documents(dir string) func(session, markdown string) (string, error) {
	return func(session, markdown string) (string, error) {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", fmt.Errorf("keep the view of session %s: %w", session, err)
		}
		path := filepath.Join(dir, session+".md")
		if err := os.WriteFile(path, []byte(markdown), 0o600); err != nil {
			return "", fmt.Errorf("keep the view of session %s: %w", session, err)
		}
		return path, nil
	}
}

// watchProcess returns when the process is gone or ctx ends.
func watchProcess(ctx context.Context, pid int) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for alive(pid) {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}
