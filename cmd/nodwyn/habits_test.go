package main

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/nodwyn/nodwyn/agent/provider/script"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// habit is something that real models do, and what must come of it. $REPO, $TREE, $HOME and $TOKEN stand for the scenario's own in all its texts.
type habit struct {
	name string
	// repo are files of the repository beside those that every habit finds.
	repo map[string]string
	// model is what the model says, reply by reply.
	model []streamed
	// answer is what the person says to every prompt; empty allows once.
	answer string
	// results are the beginnings and, behind " … ", further parts of what each call came to, in the order of the calls.
	results []string
	upshot
}

// upshot is what a turn came to, for the person.
type upshot struct {
	// outcome is empty for a turn that completed.
	outcome string
	// says is the text of the result card.
	says string
	// asked counts the prompts.
	asked int
	// left is what git sees changed in the worktree: the content of each file, or removed.
	left map[string]string
}

// removed stands for the content of a file that is gone.
const removed = "(removed)"

// habitRepo is what every habit finds in the repository.
func habitRepo() map[string]string {
	return map[string]string{
		"README.md":     "# A project\n\nIt greets.\n",
		"main.go":       "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n",
		"docs/guide.md": "# Guide\n",
		"logo.bin":      "\x00\x01\x02",
	}
}

// TestHabits runs each habit in a world of its own, through the real server, and holds it to the checks that follow every scenario: no habit hangs, crashes or loses a change.
func TestHabits(t *testing.T) {
	t.Parallel()
	for _, h := range slices.Concat(habitsOfTalk(), habitsOfCalls(), habitsOfPaths(), habitsOfEdits(), habitsOfReads(), habitsOfCommands(), habitsOfAsking()) {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			h.run(t)
		})
	}
}

func (h habit) run(t *testing.T) {
	s, err := newScenario(t.TempDir(), os.Environ())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.model.close)
	got, results, err := s.live(h)
	if err != nil {
		t.Fatal(err, s.abandon())
	}
	want := h.upshot
	want.says = s.insert(want.says)
	if want.outcome == "" {
		want.outcome = "completed"
	}
	if want.left == nil {
		want.left = map[string]string{}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %.4000q\nwant %.4000q", fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
	}
	for i, text := range results {
		if i >= len(h.results) || !fits(text, s.insert(h.results[i])) {
			t.Errorf("call %d came to %.4000q, want another of %q", i+1, text, h.results)
		}
	}
	if len(results) != len(h.results) {
		t.Errorf("got %d results, want %d", len(results), len(h.results))
	}
	if err := s.finish(); err != nil {
		t.Errorf("after the habit: %v%s", err, s.report())
	}
}

// fits reports whether a text begins with the first part of what is wanted and holds the others.
func fits(text, want string) bool {
	parts := strings.Split(want, " … ")
	for _, p := range parts {
		if !strings.Contains(text, p) {
			return false
		}
	}
	return strings.HasPrefix(text, parts[0])
}

// insert replaces what stands for the scenario's own.
func (s *scenario) insert(text string) string {
	return strings.NewReplacer("$REPO", s.repo(), "$TREE", s.tree(s.session), "$HOME", filepath.Join(s.work, "home"), "$TOKEN", s.secrets[1]).Replace(text)
}

// live runs one turn to its end and says what came of it.
func (s *scenario) live(h habit) (upshot, []string, error) {
	for _, files := range []map[string]string{habitRepo(), h.repo} {
		for name, content := range files {
			if err := writeFile(filepath.Join(s.repo(), name), s.insert(content)); err != nil {
				return upshot{}, nil, err
			}
		}
	}
	if err := s.start(); err != nil {
		return upshot{}, nil, err
	}
	if err := s.initialize(every...); err != nil {
		return upshot{}, nil, err
	}
	if _, err := s.newSession(map[string]any{}); err != nil {
		return upshot{}, nil, err
	}
	for _, r := range h.model {
		said := slices.Clone(r)
		for i, chunk := range said {
			said[i] = s.insert(chunk)
		}
		s.model.play("", []streamed{said})
	}
	if err := s.prompt("do it"); err != nil {
		return upshot{}, nil, err
	}
	asked, err := s.answerAll(h.answer)
	if err != nil {
		return upshot{}, nil, err
	}
	end, _, err := s.outcome()
	if err != nil {
		return upshot{}, nil, err
	}
	return s.cameTo(upshot{outcome: end.Outcome, asked: asked})
}

// answerAll answers whatever the person is asked until the turn is over.
func (s *scenario) answerAll(answer string) (asked int, err error) {
	if answer == "" {
		answer = "allow_once"
	}
	for {
		m, err := s.editor.await("answer or end", func(m message) bool {
			question := m.Method == "session/requestPermission" || m.Method == "session/ask"
			return m.ID != nil && (question || m.Method == "" && string(m.ID) == s.pending)
		})
		if err != nil || m.Method == "" {
			return asked, err
		}
		asked++
		s.editor.respond(m, answerOf(m.Method, []string{answer}))
	}
}

// cameTo adds what the log and the worktree say, and returns what the model read of its calls.
func (s *scenario) cameTo(end upshot) (upshot, []string, error) {
	events, err := s.events(s.session)
	if err != nil {
		return end, nil, err
	}
	var asked []event.ModelCall
	results := map[string]string{}
	for _, e := range events {
		switch p := e.Payload.(type) {
		case event.SessionStart:
			end.left, err = s.left(*p.Worktree)
		case event.LLMResp:
			asked = append(asked, p.ToolCalls...)
		case event.ToolResult:
			results[p.ID] = fmt.Sprintf("%s: %s", p.Error, p.Text)
			if p.OK {
				results[p.ID] = "ok: " + p.Text
			}
		}
	}
	var texts []string
	for _, c := range asked {
		if text, ran := results[c.ID]; ran {
			texts = append(texts, text)
		}
	}
	cards, folded := s.folded(s.session)
	for _, c := range cards {
		if r, ok := c.Body.(view.Result); ok {
			end.says = r.Text
		}
	}
	if err == nil {
		err = folded
	}
	return end, texts, err
}

// left reads the files of a worktree that differ from its base.
func (s *scenario) left(w event.Worktree) (map[string]string, error) {
	left := map[string]string{}
	paths, err := s.changed(w, w.BaseCommit)
	for _, p := range paths {
		content, err := os.ReadFile(filepath.Join(w.Path, p))
		left[p] = string(content)
		if err != nil {
			left[p] = removed
		}
	}
	return left, err
}

// says is a reply of words alone.
func says(text string) streamed { return streamOf(script.Reply{Say: text}) }

// calls is a reply with one call. The arguments are sent as they are, whatever they are.
func calls(name, args string) streamed {
	return callsAll(script.Call{Name: name, Args: jsontext.Value(args)})
}

func callsAll(calls ...script.Call) streamed { return streamOf(script.Reply{Calls: calls}) }

// called is one of the calls of callsAll.
func called(name, args string) script.Call {
	return script.Call{Name: name, Args: jsontext.Value(args)}
}

// swap changes every chunk of the reply that holds old.
func (r streamed) swap(old, with string) streamed {
	out := slices.Clone(r)
	for i := range out {
		out[i] = strings.ReplaceAll(out[i], old, with)
	}
	return out
}

// ends gives the reply another finish reason.
func (r streamed) ends(reason string) streamed {
	out := slices.Clone(r)
	for i := range out {
		out[i] = regexp.MustCompile(`"finish_reason":"\w+"`).ReplaceAllString(out[i], `"finish_reason":"`+reason+`"`)
	}
	return out
}

// late adds a text behind the finish reason.
func (r streamed) late(text string) streamed {
	piece := encodeChunk(chatChunk{Choices: []chatChoice{{Delta: chatDelta{Content: text}}}})
	return slices.Insert(slices.Clone(r), len(r)-2, piece)
}
