package main

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestEightSessions runs eight sessions at once in one repository, each with a turn that writes: they finish apart from each other, and land one after the other.
func TestEightSessions(t *testing.T) {
	t.Parallel()
	s, err := newScenario(t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.model.close)
	if err := s.startEight(); err != nil {
		t.Fatal(err, s.abandon())
	}
	errs := make([]error, len(s.ids))
	var turns sync.WaitGroup
	for i, id := range s.ids {
		turns.Go(func() { errs[i] = s.oneOfEight(i, id) })
	}
	turns.Wait()
	for i, id := range s.ids {
		if errs[i] != nil {
			t.Errorf("session %d: %v", i, errs[i])
			continue
		}
		if _, err := s.call("session/land", object("session", id)); err != nil {
			t.Errorf("land session %d: %v", i, err)
		}
		checkFile(t, filepath.Join(s.repo(), fmt.Sprintf("note-%d.txt", i)), fmt.Sprintf("from %d\n", i))
	}
	if t.Failed() {
		t.Fatal(s.abandon())
	}
	if err := s.finish(); err != nil {
		t.Fatal(err)
	}
}

// startEight starts the server, the sessions and the script of each.
func (s *scenario) startEight() error {
	if err := s.configure("[guard]\nwrite = \"session-worktree\"\n"); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	if err := s.initialize(every...); err != nil {
		return err
	}
	for i := range 8 {
		if _, err := s.newSession(map[string]any{}); err != nil {
			return err
		}
		text := fmt.Sprintf("call file-write {\"path\": \"note-%d.txt\", \"content\": \"from %[1]d\\n\"}\n\nsay Note %[1]d.\n", i)
		if err := s.play(fmt.Sprintf("task number %d", i), "reply.txt", text); err != nil {
			return err
		}
	}
	return nil
}

// oneOfEight runs the turn of one session and compares what came of it.
func (s *scenario) oneOfEight(i int, id string) error {
	result, err := s.call("session/prompt", object("session", id, "text", fmt.Sprintf("task number %d", i)))
	if err != nil {
		return err
	}
	var end turnEnd
	if err := json.Unmarshal(result, &end); err != nil {
		return err
	}
	got := [...]string{end.Outcome, end.Text}
	if want := [...]string{"completed", fmt.Sprintf("Note %d.", i)}; got != want {
		return fmt.Errorf("got %q, want %q", got, want)
	}
	return nil
}

func checkFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != want {
		t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
	}
}
