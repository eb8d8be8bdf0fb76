package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestAnswersToAWrite(t *testing.T) {
	const opened = `open p1 permission write "Replace a.txt"`
	for _, tc := range []struct {
		name    string
		answer  func(context.Context, Prompt) (Answer, error)
		rule    string
		content string
		log     []string
	}{
		{"once", says(AllowOnce), "", "new\n", []string{opened, `close p1 allow_once by "ann"`, "allow write a.txt: answer once p1 ann"}},
		{"session", says(AllowSession), "", "new\n", []string{opened, `close p1 allow_session by "ann"`, "approve session write []a.txt by ann at p1", "allow write a.txt: answer session p1 ann"}},
		{"edits", says(AllowEdits), "", "new\n", []string{opened, `close p1 allow_edits by "ann"`, "approve session write []** by ann at p1", "allow write a.txt: answer edits p1 ann"}},
		{"always", says(AllowAlways), "", "new\n", []string{opened, `close p1 allow_always by "ann"`, "approve always write []a.txt by ann at p1", "allow write a.txt: answer always p1 ann"}},
		{"deny", says(DenyOnce), "answer", "old\n", []string{opened, `close p1 deny by "ann"`, "deny write a.txt: answer p1 ann"}},
		{"deny and stop", says(DenyStop), "answer", "old\n", []string{opened, `close p1 deny_stop by "ann"`, "deny write a.txt: answer p1 ann"}},
		{"unknown option", says("allow"), "invalid-answer", "old\n", []string{opened, `close p1 deny by "ann"`, "deny write a.txt: invalid-answer p1 ann"}},
		{"empty option", says(""), "invalid-answer", "old\n", []string{opened, `close p1 deny by "ann"`, "deny write a.txt: invalid-answer p1 ann"}},
		{"error", func(context.Context, Prompt) (Answer, error) {
			return Answer{Option: AllowOnce, Actor: "ann"}, errors.New("null")
		}, "invalid-answer", "old\n", []string{opened, `close p1 deny by ""`, "deny write a.txt: invalid-answer p1"}},
		{"nobody", nil, "unanswered", "old\n", []string{opened, `close p1 expired by ""`, "deny write a.txt: unanswered p1"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, map[string]string{"a.txt": "old\n"}, func(c *Config) { c.Worktree = true })
			b.answer = tc.answer
			err := write(b.Guard, t.Context(), "a.txt", []byte("new\n"))
			check(t, rule(err), tc.rule)
			check(t, b.content(t, "a.txt"), tc.content)
			checkLines(t, b.log(), tc.log...)
			if d, ok := errors.AsType[*DeniedError](err); ok {
				check(t, d.Stop, tc.name == "deny and stop")
			}
		})
	}
}

func TestPromptShowsTheWrite(t *testing.T) {
	b := setUp(t, map[string]string{"sub/a.txt": "one\ntwo\nthree\n"}, func(c *Config) { c.Worktree = true; c.NextPrompt = 12 })
	b.answer = says(DenyOnce)
	_ = write(b.Guard, t.Context(), "sub/a.txt", []byte("one\n2\nthree\n"))
	p := b.asked[0]
	check(t, p.ID, "p12")
	check(t, p.Path, filepath.Join(b.root, "sub/a.txt"))
	check(t, p.Diff, "--- a/sub/a.txt\n+++ b/sub/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n")
	check(t, *p.Range, *lineRange(2, 1))
	var ids []string
	for _, o := range p.Options {
		ids = append(ids, o.ID)
	}
	checkLines(t, ids, AllowOnce, AllowSession, AllowEdits, AllowAlways, DenyOnce, DenyStop)
}

func TestWhatAPromptDoesNotOffer(t *testing.T) {
	for _, tc := range []struct {
		name   string
		change func(*Config)
		path   string
		want   string
	}{
		{"all edits without a worktree", func(*Config) {}, "a.txt", "allow_once allow_session allow_always deny deny_stop"},
		{"always without a place to keep it", func(c *Config) { c.StateDir = "" }, "a.txt", "allow_once allow_session deny deny_stop"},
		{"anything lasting for a protected file", func(c *Config) { c.Worktree = true; c.Policy.Write = PolicySessionWorktree }, ".envrc", "allow_once deny deny_stop"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, nil, tc.change)
			b.answer = says(AllowSession)
			_ = write(b.Guard, t.Context(), tc.path, []byte("x"))
			var ids []string
			for _, o := range b.asked[0].Options {
				ids = append(ids, o.ID)
			}
			check(t, strings.Join(ids, " "), tc.want)
		})
	}
}

func TestDenialTellsTheModelWhy(t *testing.T) {
	b := setUp(t, nil)
	b.answer = func(context.Context, Prompt) (Answer, error) {
		return Answer{Option: DenyOnce, Actor: "ann", Note: "use b.txt"}, nil
	}
	err := write(b.Guard, t.Context(), "a.txt", nil)
	check(t, err.Error(), `not allowed to write "a.txt": the person said no; the person adds: "use b.txt"`)
}

func TestSessionAnswersAreRemembered(t *testing.T) {
	b := setUp(t, nil, func(c *Config) { c.Worktree = true })
	b.answer = says(AllowSession)
	for range 2 {
		check(t, rule(write(b.Guard, t.Context(), "a.txt", []byte(time.Now().String()))), "")
	}
	check(t, b.prompts(), 1)
	b.answer = says(AllowEdits)
	for _, name := range []string{"b.txt", "c.txt", "a.txt"} {
		check(t, rule(write(b.Guard, t.Context(), name, []byte("x"))), "")
	}
	check(t, b.prompts(), 2)
	b.answer = says(DenyOnce)
	check(t, rule(write(b.Guard, t.Context(), ".envrc", []byte("x"))), "answer")
	check(t, len(b.Approvals()), 2)
	other := b.another(t)
	check(t, rule(write(other, t.Context(), "a.txt", []byte("y"))), "answer")
}

func TestReadsAskOncePerPath(t *testing.T) {
	b := setUp(t, map[string]string{"a.txt": "a", "b.txt": "b"}, func(c *Config) { c.Policy.Read = PolicyAsk })
	b.answer = says(AllowOnce)
	for _, name := range []string{"a.txt", "a.txt", "./a.txt", "b.txt"} {
		if _, err := b.ReadFile(t.Context(), name, 9); err != nil {
			t.Fatal(err)
		}
	}
	check(t, b.prompts(), 2)
}

func TestOnePromptAtATime(t *testing.T) {
	b := setUp(t, nil, func(c *Config) { c.Worktree = true })
	opened, answered := make(chan string), make(chan string)
	b.answer = func(_ context.Context, p Prompt) (Answer, error) {
		opened <- p.ID
		return Answer{Option: <-answered, Actor: "ann"}, nil
	}
	results := make(chan error, 3)
	for _, name := range []string{"a", "b", "c"} {
		go func() { results <- write(b.Guard, t.Context(), name, []byte("x")) }()
	}
	check(t, <-opened, "p1")
	answered <- AllowOnce
	check(t, <-opened, "p2")
	answered <- AllowEdits // stands for the one that waits behind it, too
	for range 3 {
		check(t, rule(<-results), "")
	}
	check(t, b.prompts(), 2)
}

func TestDeadlineDenies(t *testing.T) {
	root := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		b := &bench{left: -1}
		b.answer = func(ctx context.Context, p Prompt) (Answer, error) {
			<-ctx.Done()
			return Answer{Option: AllowOnce, Actor: "ann"}, nil // late, however good
		}
		g, err := New(Config{Root: root, Asker: b, Recorder: b, Policy: Policy{PromptTimeout: 90 * time.Second}})
		if err != nil {
			t.Fatal(err)
		}
		start := time.Now()
		err = write(g, t.Context(), "a.txt", []byte("x"))
		check(t, rule(err), "unanswered")
		check(t, time.Since(start), 90*time.Second)
		check(t, b.asked[0].Timeout, 90*time.Second)
		checkLines(t, b.log(), `open p1 permission write "Create a.txt"`, `close p1 expired by ""`, `deny write a.txt: unanswered p1 of turn 0 call ""`)
		if err := g.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := os.Stat(filepath.Join(root, "a.txt")); err == nil {
		t.Error("the file was written")
	}
}

func TestCancelledPromptExpires(t *testing.T) {
	cause := errors.New("the person cancelled the turn")
	for _, tc := range []struct {
		name   string
		finish func(b *bench, cancel context.CancelCauseFunc)
		want   error
	}{
		{"with its turn", func(_ *bench, cancel context.CancelCauseFunc) { cancel(cause) }, cause},
		{"with the guard", func(b *bench, _ context.CancelCauseFunc) { b.end(ErrClosed) }, ErrClosed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, nil)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			b.answer = func(ctx context.Context, _ Prompt) (Answer, error) {
				tc.finish(b, cancel)
				<-ctx.Done()
				return Answer{Option: AllowOnce}, nil
			}
			err := write(b.Guard, ctx, "a.txt", []byte("x"))
			if !errors.Is(err, tc.want) {
				t.Errorf("got error %v, want %v", err, tc.want)
			}
			check(t, b.content(t, "a.txt"), "-")
			checkLines(t, b.log(), `open p1 permission write "Create a.txt"`, `close p1 expired by ""`, "deny write a.txt: unanswered p1")
		})
	}
}

func TestCancelWhileAnotherPromptIsOpen(t *testing.T) {
	b := setUp(t, nil)
	opened, answered := make(chan bool), make(chan bool)
	b.answer = func(context.Context, Prompt) (Answer, error) {
		opened <- true
		<-answered
		return Answer{Option: AllowOnce}, nil
	}
	first := make(chan error)
	go func() { first <- write(b.Guard, t.Context(), "a", []byte("x")) }()
	<-opened
	cause := errors.New("over")
	ctx, cancel := context.WithCancelCause(t.Context())
	second := make(chan error)
	go func() { second <- write(b.Guard, ctx, "b", []byte("x")) }()
	cancel(cause)
	check(t, errors.Is(<-second, cause), true)
	answered <- true
	check(t, <-first, nil)
}

// TestNoRecordNoEffect breaks the log at each append in turn: whatever was answered, nothing may happen after it.
func TestNoRecordNoEffect(t *testing.T) {
	for _, tc := range []struct {
		name    string
		effect  func(b *bench) error
		appends int
	}{
		{"asked write", func(b *bench) error { return write(b.Guard, t.Context(), "made", []byte("x")) }, 2},
		{"asked command", func(b *bench) error {
			_, err := b.Run(t.Context(), Command{Shell: "echo x > made"})
			return err
		}, 2},
		{"trusted command", func(b *bench) error {
			_, err := b.RunTrusted(t.Context(), Command{Shell: "echo x > made"}, "closeout")
			return err
		}, 1},
	} {
		for _, option := range []string{AllowOnce, AllowAlways} {
			for n := range tc.appends {
				b := setUp(t, nil)
				b.answer, b.left = says(option), n
				err := tc.effect(b)
				if !errors.Is(err, errBroken) {
					t.Errorf("%s, log broken at append %d: got error %v", tc.name, n+1, err)
				}
				check(t, b.content(t, "made"), "-")
				check(t, len(b.Approvals()), 0)
				if kept, err := os.ReadDir(b.cfg.StateDir); err == nil {
					t.Errorf("%s: remembered without a record: %v", tc.name, kept)
				}
			}
		}
		b := setUp(t, nil)
		b.answer, b.left = says(AllowOnce), tc.appends
		if err := tc.effect(b); err != nil {
			t.Errorf("%s needs more than %d appends: %v", tc.name, tc.appends, err)
		}
		check(t, strings.TrimSpace(b.content(t, "made")), "x")
	}
}

func TestReadWithoutRecordReturnsNothing(t *testing.T) {
	b := setUp(t, map[string]string{"a.txt": "secret"})
	b.left = 0
	got, err := b.ReadFile(t.Context(), "a.txt", 99)
	if !errors.Is(err, errBroken) || got != nil {
		t.Errorf("got %q, %v", got, err)
	}
	err = b.ReadBatch(t.Context(), []string{"a.txt"}, func(string, []byte, error) error {
		t.Error("read without a record")
		return nil
	})
	check(t, errors.Is(err, errBroken), true)
}

func TestQuestionsAndChoices(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says("blue")
	a, err := b.Question(t.Context(), "Which?", []string{"red", "green"})
	check(t, a.Text, "blue")
	check(t, err, nil)
	checkLines(t, b.log(), `open p1 question  "Which?"`, `close p1 blue by "ann"`)

	choice := Prompt{Type: TypeChoice, Op: "setup", Text: "Use it?", Choices: []string{"use", "skip"}}
	_, err = b.inquire(t.Context(), choice, nil)
	check(t, errors.Is(err, ErrNobody), true)
	checkLines(t, b.log(), `open p2 choice setup "Use it?"`, `close p2 expired by "ann"`)

	b.answer = says("use")
	a, err = b.inquire(t.Context(), choice, nil)
	check(t, a.Text, "use")
	check(t, err, nil)

	b.answer = nil
	_, err = b.Question(t.Context(), "Which?", nil)
	check(t, errors.Is(err, ErrNobody), true)
}

// TestPromptsShowWhatTerminalsWouldObey has text of a model and of files that would draw something else than it says.
func TestPromptsShowWhatTerminalsWouldObey(t *testing.T) {
	b := setUp(t, map[string]string{"a.txt": "one\r\n\x1b[2J\n"})
	b.answer = says(DenyOnce)
	_ = write(b.Guard, t.Context(), "a.txt", []byte("one\r\n\u202etwo\x07\n"))
	check(t, b.asked[0].Diff, "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\r\n-\\x1b[2J\n+\\u202etwo\\a\n")
	b.answer = says("\\x1b[31mred")
	a, err := b.Question(t.Context(), "Which\x1b]0;x\x07\nof them?", []string{"\x1b[31mred"})
	check(t, err, nil)
	check(t, a.Text, "\\x1b[31mred")
	check(t, b.asked[1].Text, "Which\\x1b]0;x\\a\nof them?")
	checkLines(t, b.asked[1].Choices, "\\x1b[31mred")
}
