package guard

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestMain lets the test binary be its own supervisor, as the program is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		syscall.Exit(Supervise(os.Args[2:])) // not os.Exit, which waits a second under the race detector
	}
	os.Exit(m.Run())
}

func check(t *testing.T, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %#v\nwant %#v", got, want)
	}
}

// checkLines compares texts line by line, for records and the like.
func checkLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// bench is a guard with everything around it: a tree, a log in memory and a person who answers by a function.
type bench struct {
	*Guard
	root   string
	cfg    Config
	answer func(ctx context.Context, p Prompt) (Answer, error)

	mu      sync.Mutex
	asked   []Prompt
	records []string
	left    int // appends until the log breaks; negative never
}

var errBroken = errors.New("the disk is gone")

// setUp makes a guard for call c7-1 of turn 7 over the given files.
func setUp(t *testing.T, files map[string]string, change ...func(*Config)) *bench {
	t.Helper()
	b := &bench{root: t.TempDir(), left: -1}
	for name, content := range files {
		put(t, filepath.Join(b.root, name), content)
	}
	b.cfg = Config{
		Session: "s1", Root: b.root, Asker: b, Recorder: b, Supervisor: []string{os.Args[0], "supervise"},
		StateDir: filepath.Join(t.TempDir(), "state"), Repository: "/repo",
		Env: func() []string { return []string{"PATH=" + os.Getenv("PATH")} },
	}
	for _, f := range change {
		f(&b.cfg)
	}
	b.Guard = b.another(t)
	return b
}

// another is a second guard with the same configuration, as another session would have.
func (b *bench) another(t *testing.T) *Guard {
	t.Helper()
	g, err := New(b.cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g.ForCall(7, "c7-1")
}

func put(t *testing.T, name, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// write writes a file as a caller does that has just read it.
func write(g *Guard, ctx context.Context, name string, content []byte) error {
	full := name
	if !filepath.IsAbs(name) {
		full = filepath.Join(g.cfg.Root, name)
	}
	var seen Seen
	if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() {
		seen.Exists = true
		seen.Content, _ = os.ReadFile(full)
	}
	return g.WriteFile(ctx, name, seen, content)
}

// content is what a file of the tree holds, "-" for none.
func (b *bench) content(t *testing.T, name string) string {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(b.root, name))
	if errors.Is(err, os.ErrNotExist) {
		return "-"
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func (b *bench) Ask(ctx context.Context, p Prompt) (Answer, error) {
	b.mu.Lock()
	b.asked = append(b.asked, p)
	answer := b.answer
	b.mu.Unlock()
	if answer == nil {
		return Answer{}, ErrNobody
	}
	return answer(ctx, p)
}

func (b *bench) Record(ps ...event.Payload) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.left == 0 {
		return errBroken
	}
	b.left--
	for _, p := range ps {
		b.records = append(b.records, line(p))
	}
	return nil
}

// log returns what was recorded since the last call.
func (b *bench) log() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	was := b.records
	b.records = nil
	return was
}

func (b *bench) prompts() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.asked)
}

// line shows a record with what matters in it.
func line(p event.Payload) string {
	switch p := p.(type) {
	case event.PromptOpen:
		return fmt.Sprintf("open %s %s %s %q", p.PromptID, p.Type, p.Op, p.Action+p.Text)
	case event.PromptClose:
		return fmt.Sprintf("close %s %s by %q", p.PromptID, p.Answer, p.Actor)
	case event.GuardDecision:
		text := fmt.Sprintf("%s %s %s: %s", p.Decision, p.Op, p.Target, p.Rule)
		for _, extra := range []string{p.Scope, p.PromptID, p.Actor} {
			if extra != "" {
				text += " " + extra
			}
		}
		if p.Dropped > 0 {
			text += fmt.Sprintf(" dropped %d", p.Dropped)
		}
		if p.Turn != 7 || p.ID != "c7-1" {
			text += fmt.Sprintf(" of turn %d call %q", p.Turn, p.ID)
		}
		return text
	case event.ApprovalChange:
		return fmt.Sprintf("approve %s %s %v%s by %s at %s", p.Scope, p.Op, p.Prefix, p.Path, p.Actor, p.PromptID)
	case event.SettingChange:
		return fmt.Sprintf("set %s %.8s %s by %s at %s", p.Key, p.Value, p.State, p.Actor, p.PromptID)
	case event.EgressCheck:
		return fmt.Sprintf("egress %s %s %d %v", p.Host, p.Purpose, p.Bytes, p.Allowed)
	}
	return fmt.Sprintf("%s %+v", event.KindOf(p), p)
}

// says answers every prompt the same.
func says(option string) func(context.Context, Prompt) (Answer, error) {
	return func(context.Context, Prompt) (Answer, error) {
		return Answer{Option: option, Text: option, Actor: "ann"}, nil
	}
}

// rule is the rule of a denial; "" for none, and the error's text for another error.
func rule(err error) string {
	if err == nil {
		return ""
	}
	if d, ok := errors.AsType[*DeniedError](err); ok {
		return d.Rule
	}
	return err.Error()
}
