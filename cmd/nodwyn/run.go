package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"os/user"
	"slices"
	"strings"
	"syscall"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// task is what the command line of `nodwyn run` says.
type task struct {
	text, repo, model, title, yes string
	session                       string // to go on with; empty begins one
	asJSON                        bool
}

func runTask(ctx context.Context, c *console, args []string) error {
	t, err := parseTask(c, args)
	if err != nil {
		return err
	}
	sc := newDisplay(c)
	asker := newTerminal(c, sc, t.yes)
	if asker.lines == nil && t.yes == "" {
		return misuse{"stdin is no terminal, so nobody could be asked: say with --yes reads, --yes edits or --yes all what may happen unasked"}
	}
	p, err := assemble()
	if err != nil {
		return err
	}
	defer p.close()
	if err := p.vault.hide(ctx); err != nil {
		sc.say("nodwyn: %v\n", err)
	}
	p.config.Asker = asker
	p.config.Side = agent.Model{} // the session closes with the turn, so a title would only be asked for to be cancelled
	a := agent.New(p.config)
	if t.session != "" {
		if t.session, err = resumable(ctx, a, t); err != nil {
			return err
		}
	}
	return perform(a, &job{task: t, screen: sc, asker: asker})
}

// parseTask reads the flags, and says where quotes are missing.
func parseTask(c *console, args []string) (task, error) {
	var t task
	set := flag.NewFlagSet("run", flag.ContinueOnError)
	set.StringVar(&t.session, "continue", "", "go on in `SESSION`: with TASK in a new turn, without one where its last turn was cut off")
	set.StringVar(&t.repo, "repo", "", "work in the repository or folder `DIR`; by default the current one")
	set.StringVar(&t.model, "model", "", "talk to [models.`NAME`] of the configuration; by default [control]")
	set.StringVar(&t.title, "title", "", "call the session `TEXT`; its branch is named after it")
	set.Func("yes", "`WHAT` may happen without asking: reads, edits (and reads) or all (commands too)", func(v string) error {
		t.yes = v
		return checkYes(v)
	})
	set.BoolVar(&t.asJSON, "json", false, "print the events, one a line, in place of the transcript")
	words, err := parse(c, set, args, 0, -1)
	if err != nil {
		return task{}, err
	}
	if len(words) > 1 {
		return task{}, misuse{fmt.Sprintf("the task is more than one word, so it needs quotes: nodwyn run %q", strings.Join(words, " "))}
	}
	t.text = strings.Join(words, "")
	return t, t.check(len(words) == 1)
}

func checkYes(v string) error {
	switch v {
	case "reads", "edits", "all":
		return nil
	}
	return errors.New("it takes reads, edits or all")
}

// check refuses what does not go together.
func (t *task) check(given bool) error {
	if strings.TrimSpace(t.text) == "" && (given || t.session == "") {
		return misuse{"TASK is missing: what is to be done, in quotes"}
	}
	if t.session != "" && t.repo+t.model+t.title != "" {
		return misuse{"a session that goes on keeps its folder, its model and its title: leave --repo, --model and --title out"}
	}
	var err error
	t.repo, err = workFolder(cmp.Or(t.repo, "."))
	return err
}

// resumable finds the session to go on with, and refuses one that has nothing to go on with before anything is recorded.
func resumable(ctx context.Context, a *agent.Agent, t task) (string, error) {
	id, err := whichSession(ctx, a, t.session)
	if err != nil {
		return "", err
	}
	st, err := a.State(id)
	if err != nil {
		return "", err
	}
	if t.text == "" && !st.Unfinished() {
		return "", misuse{fmt.Sprintf("the last turn of session %s came to its end: give a TASK for the next one", id)}
	}
	return id, nil
}

// job is one turn under way, with the terminal that it talks to.
type job struct {
	task
	screen *display
	asker  *terminal
}

// perform runs one turn: the transcript of what is on record goes to stdout, all else to stderr.
func perform(a *agent.Agent, j *job) error {
	interrupted, stop := signal.NotifyContext(context.Background(), stopSignals()...)
	defer stop()
	watch := j.watch()
	defer watch.end()
	watch.set("preparing the session")
	s, from, err := j.open(interrupted, a)
	if err != nil && interrupted.Err() != nil {
		j.screen.say("nodwyn run: stopped before the session had begun\n")
		return ended{exitCancelled}
	}
	if err != nil {
		return err
	}
	f := newFollower(s, from, j.screen)
	f.asJSON, f.activity = j.asJSON, watch.activity
	j.asker.tree, j.asker.told = s.State().Config.Repo, f.told
	printed := make(chan error, 1)
	go func() { printed <- f.run(context.Background()) }() // ends when the session is closed, below
	result, err := j.turn(interrupted, stop, s)
	closed, failed := s.Close(context.Background(), false)
	err = errors.Join(err, failed, <-printed)
	watch.end()
	if err != nil {
		return err
	}
	j.farewell(a, s, closed, result, f.heard)
	return verdict(result)
}

// stopSignals are those that cancel a turn, without the ones that whoever started nodwyn had it ignore, as nohup does.
func stopSignals() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP}
	return slices.DeleteFunc(all, signal.Ignored)
}

// open begins the session or opens it again, and returns the seq from which on what happens is news.
func (j *job) open(ctx context.Context, a *agent.Agent) (*agent.Session, int64, error) {
	if j.session != "" {
		s, found, err := a.Resume(ctx, j.session, fromHere())
		if err != nil {
			return nil, 0, err
		}
		return s, found.From, nil
	}
	s, err := a.Start(ctx, agent.StartSpec{Repo: j.repo, Model: j.model, Title: j.title, Actor: person(), Client: commandLine()})
	if err != nil {
		return nil, 0, err
	}
	if s.State().Config.Worktree == nil {
		j.screen.say("No git repository here, so there is no worktree: the work is done in %s itself.\n", j.repo)
	}
	return s, 1, nil
}

// turn runs one turn. The first interrupt cancels it and lets it end on record, the next one kills.
func (j *job) turn(interrupted context.Context, stop func(), s *agent.Session) (agent.TurnResult, error) {
	turn, err := j.begin(s)
	if err != nil {
		return agent.TurnResult{}, err
	}
	release := context.AfterFunc(interrupted, func() {
		stop()
		j.screen.say("\nStopping: what was done stays on record. A second Ctrl-C ends nodwyn at once.\n")
		turn.Cancel(agent.ErrCancelled)
	})
	defer release()
	return turn.Wait(context.Background())
}

func (j *job) begin(s *agent.Session) (*agent.Turn, error) {
	if j.text == "" {
		return s.Continue(person())
	}
	return s.Prompt(agent.PromptSpec{Text: j.text, Actor: person()})
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

// fromHere resumes a session as this command, which may run where its repository is now.
func fromHere() agent.ResumeSpec {
	dir, err := os.Getwd()
	if err != nil {
		dir = ""
	}
	return agent.ResumeSpec{Client: commandLine(), Repo: dir}
}

func commandLine() *event.Client { return &event.Client{Name: "nodwyn", Version: version()} }
