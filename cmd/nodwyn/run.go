package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"os/user"
	"path/filepath"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// task is what the flags of `nodwyn run` say.
type task struct {
	text, repo, model, title, yes string
	asJSON                        bool
}

func runTask(ctx context.Context, c *console, args []string) error {
	var t task
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	set.StringVar(&t.repo, "repo", ".", "the repository or folder to work in")
	set.StringVar(&t.model, "model", "", "a [models.NAME] of the configuration; by default [control]")
	set.StringVar(&t.title, "title", "", "the session's title")
	set.StringVar(&t.yes, "yes", "", "answer without asking: reads, edits or all")
	set.BoolVar(&t.asJSON, "json", false, "print the events instead of the transcript")
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	t.text = words[0]
	if t.repo, err = filepath.Abs(t.repo); err != nil {
		return fmt.Errorf("find the repository: %w", err)
	}
	asker, err := terminalAsker(c, t.yes)
	if err != nil {
		return err
	}
	p, err := assemble()
	if err != nil {
		return err
	}
	p.config.Asker = asker
	return perform(ctx, c, agent.New(p.config), t)
}

// perform runs one session with one turn: the transcript of what is on record goes to stdout, all else to stderr.
func perform(ctx context.Context, c *console, a *agent.Agent, t task) error {
	s, err := a.Start(ctx, agent.StartSpec{Repo: t.repo, Model: t.model, Title: t.title, Actor: person(), Client: commandLine()})
	if err != nil {
		return err
	}
	printed := make(chan error, 1)
	go func() { printed <- follow(ctx, c, s.Subscribe(1), t.asJSON) }() // ends when the session is closed, below
	result, err := promptOnce(s, t.text)
	closed, ended := s.Close(ctx, false)
	if err := errors.Join(err, ended, <-printed); err != nil {
		return err
	}
	farewell(c, a, s, closed)
	return verdict(result)
}

// promptOnce runs the turn; an interrupt cancels it and lets it end on record.
func promptOnce(s *agent.Session, text string) (agent.TurnResult, error) {
	interrupted, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	turn, err := s.Prompt(agent.PromptSpec{Text: text, Actor: person()})
	if err != nil {
		return agent.TurnResult{}, err
	}
	release := context.AfterFunc(interrupted, func() { turn.Cancel(agent.ErrCancelled) })
	defer release()
	return turn.Wait(context.Background())
}

// follow prints what is recorded, as it is recorded.
func follow(ctx context.Context, c *console, sub *agent.Subscription, asJSON bool) error {
	defer sub.Close()
	var transcript view.Transcript
	for {
		items, open, err := sub.Next(ctx)
		if err != nil || !open {
			return err
		}
		for _, it := range items {
			if it.Event == nil {
				continue
			}
			text := transcript.Apply(*it.Event)
			if asJSON {
				line, err := event.AppendLine(nil, *it.Event)
				if err != nil {
					return err
				}
				text = string(line)
			}
			if _, err := io.WriteString(c.out, text); err != nil {
				return fmt.Errorf("print the transcript: %w", err)
			}
		}
	}
}

// farewell says where the work is and how to go on.
func farewell(c *console, a *agent.Agent, s *agent.Session, closed agent.Closed) {
	fmt.Fprintf(c.err, "session %s\nlog     %s\n", s.ID(), a.LogPath(s.ID()))
	if len(closed.Unlanded) == 0 {
		return
	}
	fmt.Fprintf(c.err, "branch  %s holds %d changed files\nlook    nodwyn diff %s\nland    nodwyn land %s\n",
		s.State().Config.Worktree.Branch, len(closed.Unlanded), s.ID(), s.ID())
}

// verdict maps the turn's outcome to the exit code.
func verdict(r agent.TurnResult) error {
	switch r.Outcome {
	case "completed":
		return nil
	case "cancelled":
		return ended{exitCancelled}
	}
	return ended{exitFailed}
}

// person names who acts on the command line.
func person() string {
	if u, err := user.Current(); err == nil && u.Username != "" {
		return u.Username
	}
	return "person"
}

func commandLine() *event.Client { return &event.Client{Name: "nodwyn", Version: version()} }
