package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"flag"
	"fmt"
	"io"
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
	clean := set.Bool("clean", false, "delete the folder at the end")
	if _, err := parse(c, set, args, 0, 0); err != nil {
		return err
	}
	home, err := os.MkdirTemp("", "nodwyn-demo-")
	if err != nil {
		return fmt.Errorf("make the demo's folder: %w", err)
	}
	s := &show{c: c, home: home, repo: filepath.Join(home, "greet"), git: guard.NewGit(os.Environ())}
	s.screen = &display{out: io.MultiWriter(c.out, &s.live), err: c.out, style: styleOf(c.out)}
	err = s.play(ctx)
	if *clean && err == nil {
		fmt.Fprintf(c.out, "\n%s is deleted, the log with it.\n", home)
		return os.RemoveAll(home)
	}
	s.kept()
	return err
}

// show is one run of the demo.
type show struct {
	c          *console
	home, repo string
	git        *guard.Git
	screen     *display
	asker      *audience
	live       bytes.Buffer // the transcript as it was printed
}

// kept says where everything is, and where to go from here.
func (s *show) kept() {
	fmt.Fprintf(s.c.out, `
All of this is kept in %s. Look again, then delete it:

  XDG_DATA_HOME=%s nodwyn view last
  rm -rf %s

Next: `+"`nodwyn setup`"+` configures a model, `+"`nodwyn run \"TASK\"`"+` puts it to work in your repository.
`, s.home, filepath.Join(s.home, "data"), s.home)
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
	d := dirs{config: filepath.Join(s.home, "config", "nodwyn"), data: filepath.Join(s.home, "data", "nodwyn"), state: filepath.Join(s.home, "state", "nodwyn")}
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
	s.asker = &audience{screen: s.screen}
	p.config.Asker = s.asker
	return agent.New(p.config), nil
}

// session asks, lands and closes, printing what is recorded as it is recorded.
func (s *show) session(ctx context.Context, a *agent.Agent) (string, error) {
	sess, err := a.Start(ctx, agent.StartSpec{Repo: s.repo, Title: "greet the world", Actor: "demo", Client: commandLine()})
	if err != nil {
		return "", err
	}
	w := sess.State().Config.Worktree
	fmt.Fprintf(s.c.out, "repository  %s\nworktree    %s\nbranch      %s\n\nThis is what `nodwyn run` shows, with somebody who allows everything once:\n\n", w.Repository, w.Path, w.Branch)
	f := newFollower(sess, 1, s.screen)
	s.asker.tree, s.asker.told = w.Path, f.told
	printed := make(chan error, 1)
	go func() { printed <- f.run(ctx) }() // ends when the session is closed, below
	result, err := ask(ctx, sess)
	if err == nil {
		f.reached(ctx, result.Revision)
		err = s.land(ctx, sess, f, result)
	}
	_, closed := sess.Close(ctx, false)
	return sess.ID(), errors.Join(err, closed, <-printed)
}

// ask runs the demo's one turn.
func ask(ctx context.Context, sess *agent.Session) (agent.TurnResult, error) {
	turn, err := sess.Prompt(agent.PromptSpec{Text: demoAsk, Actor: "demo"})
	if err != nil {
		return agent.TurnResult{}, err
	}
	return turn.Wait(ctx)
}

func (s *show) land(ctx context.Context, sess *agent.Session, f *follower, r agent.TurnResult) error {
	if r.Outcome != "completed" {
		return fmt.Errorf("the turn ended %s: %s", r.Outcome, r.Text)
	}
	if got, err := os.ReadFile(filepath.Join(s.repo, "greet.sh")); err != nil || strings.Contains(string(got), "world") {
		return errors.Join(errors.New("the checkout changed before the landing"), err)
	}
	cards, _ := sess.Cards()
	fmt.Fprint(s.c.out, "The same turn as cards, as an editor shows it:\n\n", view.Render(cards), "\n")
	l, err := sess.Land(ctx, agent.LandSpec{Actor: "demo"})
	if err != nil {
		return err
	}
	commit, err := s.git.Run(ctx, s.repo, nil, nil, "log", "--oneline", "--stat", "-1", l.Commit)
	if err != nil {
		return err
	}
	_, revision := sess.Cards()
	f.reached(ctx, revision)
	fmt.Fprintf(s.c.out, "The landed commit:\n\n%s\n", commit)
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

// audience allows everything once, on a screen that shows what a person would see.
type audience struct {
	screen *display
	tree   string
	told   func(ctx context.Context, prompt string)
}

// Ask prints the prompt and answers it.
func (u *audience) Ask(ctx context.Context, p guard.Prompt) (guard.Answer, error) {
	if u.told != nil {
		u.told(ctx, p.ID)
	}
	q := newQuery(p, u.tree)
	wanted := guard.Answer{Option: guard.AllowOnce}
	if p.Type != guard.TypePermission {
		wanted = guard.Answer{Text: "trust"}
	}
	for _, r := range q.answers {
		if r.answer == wanted {
			u.screen.apart(q.text(u.screen.style))
			u.screen.say("%s%s\n", u.screen.style.bold(q.line()), r.key)
		}
	}
	wanted.Actor = "demo"
	return wanted, nil
}
