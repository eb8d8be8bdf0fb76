package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// demoFiles are the demo's repository and what its scripted model says.
//
//go:embed all:demo
var demoFiles embed.FS

const demoAsk = "Greet the world when nobody is named."

// demoNote is work of the person's that nobody committed; it must come through unchanged.
const demoNote = "A line that nobody has committed yet.\n"

// demo runs the main job end to end in a folder of its own: a real git repository, the real agent, and a model that reads from a script.
func demo(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("demo", flag.ContinueOnError)
	keep := set.Bool("keep", false, "keep the folder, to look at the log and the repository")
	if _, err := parse(c, set, args, 0, 0); err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "nodwyn-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	s := &show{c: c, home: home, repo: filepath.Join(home, "greet"), git: guard.NewGit(os.Environ())}
	err = s.play(ctx)
	if *keep || err != nil {
		fmt.Fprintf(c.out, "\nkept in %s\n", home)
		return err
	}
	return os.RemoveAll(home)
}

// show is one run of the demo.
type show struct {
	c          *console
	home, repo string
	git        *guard.Git
	live       bytes.Buffer
}

func (s *show) play(ctx context.Context) error {
	if err := s.prepare(ctx); err != nil {
		return fmt.Errorf("prepare the demo: %w", err)
	}
	a, err := s.agent()
	if err != nil {
		return err
	}
	id, err := s.session(ctx, a)
	if err != nil {
		return err
	}
	return s.prove(ctx, a, id)
}

// prepare makes the repository, with one commit and one line of uncommitted work.
func (s *show) prepare(ctx context.Context) error {
	if err := s.unpack(); err != nil {
		return err
	}
	me := []string{"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.test", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.test"}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Demo"}, {"config", "user.email", "demo@example.test"},
		{"add", "-A"}, {"commit", "-q", "-m", "a greeting"},
	} {
		if _, err := s.git.Run(ctx, s.repo, me, nil, args...); err != nil {
			return err
		}
	}
	readme, err := os.OpenFile(filepath.Join(s.repo, "README.md"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = readme.WriteString(demoNote)
	return errors.Join(err, readme.Close())
}

// unpack writes the embedded files.
func (s *show) unpack() error {
	return fs.WalkDir(demoFiles, "demo", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := demoFiles.ReadFile(name)
		if err != nil {
			return err
		}
		to := filepath.Join(s.home, filepath.FromSlash(strings.TrimPrefix(name, "demo/")))
		if rest, ok := strings.CutPrefix(name, "demo/repo/"); ok {
			to = filepath.Join(s.repo, filepath.FromSlash(rest))
		}
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o600)
	})
}

// agent is configured as anyone's would be, from a file, with everything under the demo's folder.
func (s *show) agent() (*agent.Agent, error) {
	d := dirs{config: filepath.Join(s.home, "config"), data: filepath.Join(s.home, "data"), state: filepath.Join(s.home, "state")}
	script := filepath.ToSlash(filepath.Join(s.home, "model.txt"))
	text := fmt.Sprintf("[control]\nserver = \"demo\"\n\n[servers.demo]\napi = \"script\"\nurl = %q\n", script)
	if err := os.MkdirAll(d.config, 0o700); err != nil {
		return nil, err
	}
	if err := os.WriteFile(d.configFile(), []byte(text), 0o600); err != nil {
		return nil, err
	}
	p, err := assembleIn(d)
	if err != nil {
		return nil, err
	}
	p.config.Asker = &audience{c: s.c}
	return agent.New(p.config), nil
}

// session asks, lands and closes, printing what is recorded as it is recorded.
func (s *show) session(ctx context.Context, a *agent.Agent) (string, error) {
	sess, err := a.Start(ctx, agent.StartSpec{Repo: s.repo, Title: "greet the world", Actor: "demo", Client: commandLine()})
	if err != nil {
		return "", err
	}
	w := sess.State().Config.Worktree
	fmt.Fprintf(s.c.out, "repository  %s\nworktree    %s\nbranch      %s\n\n", w.Repository, w.Path, w.Branch)
	printed := make(chan error, 1)
	go func() { printed <- follow(ctx, &console{out: &s.live}, sess.Subscribe(1), false) }() // ends when the session is closed, below
	result, err := promptOnce(sess, demoAsk)
	if err == nil {
		err = s.land(ctx, sess, result)
	}
	_, closed := sess.Close(ctx, false)
	return sess.ID(), errors.Join(err, closed, <-printed)
}

func (s *show) land(ctx context.Context, sess *agent.Session, r agent.TurnResult) error {
	if r.Outcome != "completed" {
		return fmt.Errorf("the turn ended %s: %s", r.Outcome, r.Text)
	}
	if got, err := os.ReadFile(filepath.Join(s.repo, "greet.sh")); err != nil || strings.Contains(string(got), "world") {
		return errors.Join(errors.New("the checkout changed before the landing"), err)
	}
	cards, _ := sess.Cards()
	fmt.Fprint(s.c.out, "\n", view.Render(cards), "\n")
	l, err := sess.Land(ctx, agent.LandSpec{Actor: "demo"})
	if err != nil {
		return err
	}
	commit, err := s.git.Run(ctx, s.repo, nil, nil, "log", "--oneline", "--stat", "-1", l.Commit)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.c.out, "landed on %s\n%s\n", l.Into, commit)
	return nil
}

// prove checks what was promised: the uncommitted line is still there and still uncommitted, and the log replays what was shown.
func (s *show) prove(ctx context.Context, a *agent.Agent, id string) error {
	status, err := s.git.Run(ctx, s.repo, nil, nil, "status", "--porcelain")
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join(s.repo, "README.md"))
	if err != nil {
		return err
	}
	if string(status) != " M README.md\n" || !strings.HasSuffix(string(readme), demoNote) {
		return fmt.Errorf("uncommitted work was touched: git status says %q", status)
	}
	replayed, err := a.Transcript(id)
	if err != nil {
		return err
	}
	if replayed != s.live.String() {
		return errors.New("the replay differs from what was shown")
	}
	events, err := a.Verify(id)
	if err != nil {
		return err
	}
	fmt.Fprintf(s.c.out, "uncommitted work  untouched (README.md is still modified, nothing staged)\nreplay            equal to the live transcript, %d bytes\nlog               %d events, intact: %s\n",
		len(replayed), events, a.LogPath(id))
	return nil
}

// audience allows everything once, and shows what it was asked.
type audience struct{ c *console }

// Ask prints the prompt and answers it.
func (u *audience) Ask(_ context.Context, p guard.Prompt) (guard.Answer, error) {
	if p.Type == "choice" {
		fmt.Fprintf(u.c.out, "asked    %s\nanswered trust\n\n", p.Text)
		return guard.Answer{Text: "trust", Actor: "demo"}, nil
	}
	fmt.Fprintf(u.c.out, "asked    %s\n", p.Action)
	if len(p.Argv) > 0 {
		fmt.Fprintf(u.c.out, "         $ %s\n", quoteArgv(p.Argv))
	}
	for _, line := range strings.Split(strings.TrimRight(p.Diff, "\n"), "\n") {
		if p.Diff != "" {
			fmt.Fprintf(u.c.out, "         %s\n", line)
		}
	}
	fmt.Fprint(u.c.out, "answered Allow once\n\n")
	return guard.Answer{Option: "allow_once", Actor: "demo"}, nil
}
