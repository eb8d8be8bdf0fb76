package guard

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestRun(t *testing.T) {
	for _, tc := range []struct {
		name    string
		command Command
		exit    int
		text    string
		log     string
	}{
		{"argv", Command{Argv: []string{"echo", "a  b", "$HOME"}}, 0, "a  b $HOME\n", "allow exec echo 'a  b' '$HOME': answer once p1 ann"},
		{"shell text", Command{Shell: "echo out; exit 3"}, 3, "out\n", "allow exec echo out; exit 3: answer once p1 ann"},
		{"folder", Command{Shell: "basename $PWD; pwd", Cwd: "sub"}, 0, "sub\nROOT/sub\n", "allow exec basename $PWD; pwd: answer once p1 ann"},
		{"not there", Command{Argv: []string{"no-such-program"}}, 127, "cannot start: exec: \"no-such-program\": executable file not found in $PATH\n", "allow exec no-such-program: answer once p1 ann"},
		{"hidden output", Command{Shell: `printf '\033[31mred\r\n\377\0end\n'`}, 0, "\\x1b[31mred\n\uFFFD\\x00end\n", `allow exec printf '\033[31mred\r\n\377\0end\n': answer once p1 ann`},
		{"environment", Command{Shell: "echo $TERM $NODWYN_SESSION $GIT_DIR.$MY_TOKEN."}, 0, "dumb s1 ..\n", "allow exec echo $TERM $NODWYN_SESSION $GIT_DIR.$MY_TOKEN.: answer once p1 ann"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, map[string]string{"sub/x": ""}, func(c *Config) {
				c.Env = func() []string {
					return []string{"PATH=" + os.Getenv("PATH"), "GIT_DIR=/x", "MY_TOKEN=x", "TERM=xterm"}
				}
			})
			b.answer = says(AllowOnce)
			out, err := b.Run(t.Context(), tc.command)
			if err != nil {
				t.Fatal(err)
			}
			check(t, *out.Exit, tc.exit)
			check(t, strings.ReplaceAll(out.Text, b.root, "ROOT"), tc.text)
			log := b.log()
			check(t, log[len(log)-1], tc.log)
		})
	}
}

func TestPromptShowsTheCommand(t *testing.T) {
	b := setUp(t, map[string]string{"sub/x": ""})
	b.answer = says(DenyOnce)
	_, err := b.Run(t.Context(), Command{Shell: "rm -rf .\u202e # \x1b[2K", Cwd: "sub"})
	check(t, rule(err), "answer")
	p := b.asked[0]
	check(t, p.Action, `Run rm -rf .\u202e # \x1b[2K`)
	checkLines(t, p.Argv, "sh", "-c", "rm -rf .\u202e # \x1b[2K")
	check(t, p.Cwd, filepath.Join(b.root, "sub"))
}

func TestRunRefusesItsArguments(t *testing.T) {
	b := setUp(t, map[string]string{"file": ""})
	b.answer = says(AllowOnce)
	for name, tc := range map[string]struct {
		command Command
		want    string
	}{
		"nothing":          {Command{}, "exactly one"},
		"both":             {Command{Argv: []string{"ls"}, Shell: "ls"}, "exactly one"},
		"empty program":    {Command{Argv: []string{""}}, "empty"},
		"folder outside":   {Command{Shell: "ls", Cwd: ".."}, `working folder ".." cannot be used: it leads out`},
		"folder is a file": {Command{Shell: "ls", Cwd: "file"}, "is no folder"},
		"folder not there": {Command{Shell: "ls", Cwd: "none"}, "no such file"},
	} {
		_, err := b.Run(t.Context(), tc.command)
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: got error %v, want one with %q", name, err, tc.want)
		}
	}
	check(t, b.prompts(), 0)
}

func TestTrustedCommandAsksNobody(t *testing.T) {
	b := setUp(t, nil)
	out, err := b.RunTrusted(t.Context(), Command{Argv: []string{"echo", "ok"}}, "closeout")
	check(t, err, nil)
	check(t, out.Text, "ok\n")
	checkLines(t, b.log(), "allow exec echo ok: closeout")
	_, err = b.RunTrusted(t.Context(), Command{Argv: []string{"echo"}}, "")
	check(t, err != nil, true)
}

func TestCommandsAreRememberedExactly(t *testing.T) {
	b := setUp(t, map[string]string{"sub/x": ""})
	b.answer = says(AllowAlways)
	run := func(g *Guard, c Command) {
		t.Helper()
		if _, err := g.Run(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	run(b.Guard, Command{Argv: []string{"echo", "a"}})
	run(b.Guard, Command{Argv: []string{"echo", "a"}})
	check(t, b.prompts(), 1)
	b.cfg.Root = t.TempDir() // the repository's next worktree
	next := b.another(t)
	run(next, Command{Argv: []string{"echo", "a"}})
	check(t, b.prompts(), 1)
	run(b.Guard, Command{Argv: []string{"echo", "a"}, Cwd: "sub"})
	check(t, b.prompts(), 2)
}

func TestOutputKeepsHeadAndTail(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	out, err := b.Run(t.Context(), Command{Shell: "echo begin; yes 0123456789 | head -c 1000000; echo; echo end"})
	if err != nil {
		t.Fatal(err)
	}
	check(t, strings.HasPrefix(out.Text, "begin\n"), true)
	check(t, strings.HasSuffix(out.Text, "\nend\n"), true)
	check(t, out.Cut, int64(1_000_011-headBytes-tailBytes))
	check(t, strings.Contains(out.Text, "\n[934475 bytes of output left out]\n"), true)
}

// held is a command that runs until it is ended, and a function that waits until it does run.
func held(t *testing.T, b *bench) (c Command, started func()) {
	t.Helper()
	fifo := filepath.Join(b.root, "started")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	return Command{Shell: "echo up; : > started; exec sleep 1000"}, func() {
		if _, err := os.ReadFile(fifo); err != nil {
			t.Error(err)
		}
	}
}

type outcome struct {
	out Output
	err error
}

func start(ctx context.Context, b *bench, c Command) chan outcome {
	done := make(chan outcome, 1)
	go func() {
		out, err := b.Run(ctx, c)
		done <- outcome{out, err}
	}()
	return done
}

func TestCancelEndsTheCommand(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	cause := errors.New("cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	c, started := held(t, b)
	done := start(ctx, b, c)
	started()
	checkLines(t, b.Running(), c.Shell)
	cancel(cause)
	r := <-done
	check(t, r.err, cause)
	check(t, r.out.Text, "up\n")
	check(t, r.out.Signal, "SIGTERM")
	checkLines(t, b.Running())
}

func TestKillNamesWhatItEnded(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	c, started := held(t, b)
	done := start(t.Context(), b, c)
	started()
	checkLines(t, b.Kill(t.Context()), c.Shell)
	r := <-done
	check(t, r.err, nil)
	check(t, r.out.Signal, "SIGTERM")
	checkLines(t, b.Kill(t.Context()))
}

func TestCloseEndsTheCommand(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	c, started := held(t, b)
	done := start(t.Context(), b, c)
	started()
	check(t, b.Close(), nil)
	check(t, errors.Is((<-done).err, ErrClosed), true)
	_, err := b.Run(t.Context(), c)
	check(t, errors.Is(err, ErrClosed), true)
}

func TestTimeoutIsNoError(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	out, err := b.Run(t.Context(), Command{Shell: "exec sleep 1000", Timeout: 50 * time.Millisecond})
	check(t, err, nil)
	check(t, out.TimedOut, true)
	check(t, out.Signal, "SIGTERM")
}

// TestFolderIsTheOneThatWasAskedAbout replaces the command's folder while the person is asked.
func TestFolderIsTheOneThatWasAskedAbout(t *testing.T) {
	for _, tc := range []struct {
		name, cwd string
		swap      func(root, elsewhere string) error
	}{
		{"by a link outside", "sub", func(root, elsewhere string) error {
			return errors.Join(os.RemoveAll(filepath.Join(root, "sub")), os.Symlink(elsewhere, filepath.Join(root, "sub")))
		}},
		{"by a link inside", "sub", func(root, _ string) error {
			return errors.Join(os.RemoveAll(filepath.Join(root, "sub")), os.Symlink("other", filepath.Join(root, "sub")))
		}},
		{"by another folder", "sub", func(root, _ string) error {
			return errors.Join(os.Rename(filepath.Join(root, "sub"), filepath.Join(root, "was")), os.Mkdir(filepath.Join(root, "sub"), 0o700))
		}},
		{"by nothing", "sub", func(root, _ string) error { return os.RemoveAll(filepath.Join(root, "sub")) }},
		{"with the whole tree", "", func(root, elsewhere string) error {
			return errors.Join(os.Rename(root, root+"2"), os.Symlink(elsewhere, root))
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			elsewhere := t.TempDir()
			b := setUp(t, map[string]string{"sub/x": "", "other/x": ""})
			b.answer = func(context.Context, Prompt) (Answer, error) {
				if err := tc.swap(b.root, elsewhere); err != nil {
					t.Error(err)
				}
				return Answer{Option: AllowOnce, Actor: "ann"}, nil
			}
			_, err := b.Run(t.Context(), Command{Shell: "echo > ran", Cwd: tc.cwd})
			check(t, rule(err), "stale")
			for _, dir := range []string{elsewhere, b.root, filepath.Join(b.root, "sub"), filepath.Join(b.root, "other"), filepath.Join(b.root, "was"), b.root + "2"} {
				if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
					t.Errorf("it ran in %s", dir)
				}
			}
		})
	}
}

// TestCommandCannotOutliveItsTurnByKillingItsParent is a command that would write after its turn.
func TestCommandCannotOutliveItsTurnByKillingItsParent(t *testing.T) {
	b := setUp(t, nil)
	b.answer = says(AllowOnce)
	fifo := filepath.Join(b.root, "started")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	done := start(t.Context(), b, Command{Shell: `setsid sh -c 'echo $$ > started; while :; do sleep 1000; done' & cat started > pid; kill -9 $PPID; sleep 1000`})
	if err := (<-done).err; err == nil || !strings.Contains(err.Error(), "without a report") {
		t.Errorf("got error %v", err)
	}
	pid := strings.TrimSpace(b.content(t, "pid"))
	if _, err := os.Stat("/proc/" + pid); err == nil {
		t.Errorf("process %s is still there", pid)
	}
}
