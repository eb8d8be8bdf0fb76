package tool

import (
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/index"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TestMain lets the test binary stand in for the program that guards start as the supervisor of commands.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "supervise" {
		os.Exit(guard.Supervise(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// harness is a folder with a guard, an index and a person, in which tools run for real.
type harness struct {
	t    *testing.T
	root string
	env  Env
	// answer is what the person says to the next prompts.
	answer func(guard.Prompt) (guard.Answer, error)
	mu     sync.Mutex
	// asked are the prompts in order, updates what the index reported.
	asked   []guard.Prompt
	updates []index.Update
}

func newHarness(t *testing.T, files map[string]string) *harness {
	t.Helper()
	h := &harness{t: t, root: t.TempDir(), answer: say(guard.AllowOnce)}
	for name, content := range files {
		h.write(name, content)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := guard.New(guard.Config{
		Session: "s1", Root: h.root, Asker: h, Recorder: h, Repository: h.root, Env: os.Environ,
		// The supervisor starts with no environment; without these two, a test binary built for -race takes a second to exit, and one built for -cover prints a warning.
		Supervisor: []string{"env", "GORACE=atexit_sleep_ms=0", "GOCOVERDIR=" + t.TempDir(), exe, "supervise"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	h.env = Env{
		Guard: g.ForCall(1, "c1-1"),
		Index: index.New(h, index.Options{Root: h.root, MaxFile: 1000}),
		Indexed: func(u index.Update) error {
			h.updates = append(h.updates, u)
			return nil
		},
		Filter:   func() guard.Filter { return asIs{} },
		Redacted: func(s string) bool { return strings.Contains(s, "[redacted:") },
	}
	return h
}

// asIs is a filter that finds no secrets.
type asIs struct{}

func (asIs) Write(piece string) string { return piece }
func (asIs) Close() string             { return "" }

func say(option string) func(guard.Prompt) (guard.Answer, error) {
	return func(guard.Prompt) (guard.Answer, error) {
		return guard.Answer{Option: option, Actor: "person"}, nil
	}
}

// Ask is the person.
func (h *harness) Ask(_ context.Context, p guard.Prompt) (guard.Answer, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.asked = append(h.asked, p)
	return h.answer(p)
}

// Record is the log. What the guard records is its own tests' matter.
func (h *harness) Record(...event.Payload) error { return nil }

// Files lists the tree for the index.
func (h *harness) Files(ctx context.Context) ([]index.File, error) {
	files, err := h.env.Guard.Files(ctx)
	out := make([]index.File, len(files))
	for i, f := range files {
		out[i] = index.File(f)
	}
	return out, err
}

// Read reads for the index.
func (h *harness) Read(ctx context.Context, paths []string, yield func(string, []byte, error) error) error {
	return h.env.Guard.ReadBatch(ctx, paths, yield)
}

func (h *harness) write(name, content string) {
	h.t.Helper()
	file := filepath.Join(h.root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) read(name string) string {
	h.t.Helper()
	content, err := os.ReadFile(filepath.Join(h.root, filepath.FromSlash(name)))
	if err != nil {
		h.t.Fatal(err)
	}
	return string(content)
}

// args are the arguments of a call.
type args map[string]any

// call runs a tool and fails the test on an error that is none of the model's.
func (h *harness) call(name string, a args) Result {
	h.t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		h.t.Fatal(err)
	}
	return h.callRaw(name, string(raw))
}

func (h *harness) callRaw(name, raw string) Result {
	h.t.Helper()
	tool, ok := Find(name)
	if !ok {
		h.t.Fatalf("there is no tool %q", name)
	}
	r, err := tool.Run(h.t.Context(), h.env, []byte(raw))
	if err != nil {
		h.t.Fatalf("%s %s: %v", name, raw, err)
	}
	return r
}

func (h *harness) check(name string, a args, want Result) {
	h.t.Helper()
	if got := h.call(name, a); !reflect.DeepEqual(got, want) {
		h.t.Errorf("%s %v\n got %+v\nwant %+v", name, a, got, want)
	}
}

// checkRefused looks at the word of a refusal and at parts of its text.
func (h *harness) checkRefused(name string, a args, word string, says ...string) {
	h.t.Helper()
	got := h.call(name, a)
	missing := slices.DeleteFunc(says, func(s string) bool { return strings.Contains(got.Text, s) })
	if got.OK || got.Error != word || len(missing) > 0 {
		h.t.Errorf("%s %v\n got %+v\nwant %q saying %q", name, a, got, word, missing)
	}
}

func (h *harness) checkFile(name, want string) {
	h.t.Helper()
	if got := h.read(name); got != want {
		h.t.Errorf("%s holds %q, want %q", name, got, want)
	}
}
