package agent

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func TestSetupResult(t *testing.T) {
	code := func(n int) *int { return &n }
	c := SetupCommand{Run: []string{"make"}, Timeout: time.Minute}
	cancelled, cancel := context.WithCancelCause(t.Context())
	cancel(ErrCancelled)
	denied := fmt.Errorf("run: %w", &guard.DeniedError{Op: guard.OpExec, Target: "make", Rule: "configured", Reason: "no"})
	for _, r := range []struct {
		name string
		ctx  context.Context
		out  guard.Output
		err  error
		ok   bool
		word string
		text string
	}{
		{"well", t.Context(), guard.Output{Exit: code(0), Text: "made\n"}, nil, true, "", "exit 0\nmade\n"},
		{"with a code", t.Context(), guard.Output{Exit: code(2), Text: "no rule\n"}, nil, false, "exit", "exit 2\nno rule\n"},
		{"by a signal", t.Context(), guard.Output{Signal: "killed"}, nil, false, "signal", "ended by signal killed\n"},
		{"too late", t.Context(), guard.Output{TimedOut: true, Text: "slow\n"}, nil, false, "timeout", "stopped after 1m0s, with all it had started\nslow\n"},
		{"denied", t.Context(), guard.Output{}, denied, false, "denied", denied.Error() + "\n"},
		{"not run", t.Context(), guard.Output{}, errors.New("no supervisor"), false, "failed", "no supervisor\n"},
		{"cancelled", cancelled, guard.Output{Text: "half\n"}, ErrCancelled, false, "cancelled", "cancelled before it finished: cancelled\nhalf\n"},
	} {
		t.Run(r.name, func(t *testing.T) {
			got := setupResult(r.ctx, c, r.out, r.err)
			if got.OK != r.ok || got.Error != r.word || got.Text != r.text {
				t.Errorf("got %v %q %q, want %v %q %q", got.OK, got.Error, got.Text, r.ok, r.word, r.text)
			}
		})
	}
}

// TestSetupText: everything that decides what runs is in what a person trusts, so that no two set-ups look alike.
func TestSetupText(t *testing.T) {
	base := []SetupCommand{{Run: []string{"npm", "ci"}, Timeout: time.Minute}, {Run: []string{"make"}, Timeout: time.Minute}}
	const want = "[worktree]\nsetup = [\n  { run = [\"npm\", \"ci\"], timeout = \"1m0s\" },\n  { run = [\"make\"], timeout = \"1m0s\" },\n]\n"
	if got := string(setupText(base)); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	seen := map[string]string{want: "the first"}
	for name, other := range map[string][]SetupCommand{
		"one word more":       {{Run: []string{"npm", "ci", ""}, Timeout: time.Minute}, base[1]},
		"words joined":        {{Run: []string{"npm ci"}, Timeout: time.Minute}, base[1]},
		"words split":         {{Run: []string{`npm", "ci`}, Timeout: time.Minute}, base[1]},
		"another order":       {base[1], base[0]},
		"one command":         {base[0]},
		"another time":        {{Run: base[0].Run, Timeout: time.Hour}, base[1]},
		"a line of their own": {{Run: []string{"npm", "ci\"], timeout = \"1m0s\" },\n  { run = [\"make"}, Timeout: time.Minute}},
	} {
		text := string(setupText(other))
		if before, known := seen[text]; known {
			t.Errorf("%s looks like %s:\n%s", name, before, text)
		}
		seen[text] = name
	}
}

// TestPendingSetups: what came to its end is not run again, and nothing runs behind a failure.
func TestPendingSetups(t *testing.T) {
	list := func(by string, n int) setup {
		s := setup{by: by}
		for i := range n {
			s.commands = append(s.commands, SetupCommand{Run: []string{fmt.Sprint(by, i)}, Timeout: time.Minute})
		}
		return s
	}
	person, project := list("person", 2), list("project", 1)
	ran := func(s setup, locks, end string) []event.Payload {
		id := s.by + fmt.Sprint(end)
		args := fmt.Sprintf(`{"argv":[],"timeout":"","by":%q,"digest":%q}`, s.by, digestOf(s.commands, locks))
		return []event.Payload{
			event.ToolCall{ID: "setup-" + id, Args: event.RawJSON(args), Origin: "strategy"},
			event.ToolResult{ID: "setup-" + id, OK: end == "", Error: end},
		}
	}
	well, failed := ran(person, "l", ""), ran(person, "l", "exit")
	for _, c := range []struct {
		name    string
		known   [][]event.Payload
		locks   string
		want    string
		stopped bool
	}{
		{"nothing ran", nil, "l", "person0 person1 project0", false},
		{"one ran", [][]event.Payload{well}, "l", "person1 project0", false},
		{"all of the person's ran", [][]event.Payload{well, well}, "l", "project0", false},
		{"all ran", [][]event.Payload{well, well, ran(project, "l", "")}, "l", "", false},
		{"a lock file changed", [][]event.Payload{well, well, ran(project, "l", "")}, "m", "person0 person1 project0", false},
		{"the second failed", [][]event.Payload{well, failed}, "l", "", true},
		{"the second failed and a lock file changed", [][]event.Payload{well, failed}, "m", "person0 person1 project0", false},
		{"the second was cancelled", [][]event.Payload{well, ran(person, "l", "cancelled")}, "l", "person1 project0", false},
		{"the project's failed", [][]event.Payload{well, well, ran(project, "l", "exit")}, "l", "", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			var known view.Setup
			for _, p := range c.known {
				known.Apply(event.Event{Payload: p[0]})
				known.Apply(event.Event{Payload: p[1]})
			}
			pending, stopped := pendingSetups(&known, c.locks, person, project)
			var got []string
			for _, list := range pending {
				for _, c := range list.commands[list.done:] {
					got = append(got, c.Run[0])
				}
			}
			if strings.Join(got, " ") != c.want || stopped != c.stopped {
				t.Errorf("got %q, %v; want %q, %v", got, stopped, c.want, c.stopped)
			}
		})
	}
}
