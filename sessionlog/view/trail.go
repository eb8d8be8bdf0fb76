package view

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TrailStep is something that a turn did or is doing, in plain words.
type TrailStep struct {
	// Text says what: "read 3 files", "running go test ./...".
	Text string
	// State is "running", "done" or "failed".
	State string
	// Calls are the ids of the calls it stands for; the output of each is there on demand.
	Calls []string
}

// Trail folds events into what each turn did. Neighbours of one sort are one step: ten reads are "read 10 files".
type Trail struct {
	turn  int
	steps map[int][]*trailStep
	calls map[string]*trailStep
	seen  []int
	// checks are the runs of closeout items.
	checks checks
}

// trailStep is a step while it grows.
type trailStep struct {
	sort            string // what joins with its like; a command stands alone
	subject         string
	calls           []string
	running, failed int
	skipped         bool
}

// Apply takes the next event of the log.
func (t *Trail) Apply(e event.Event) {
	t.cut(t.checks.lost(e))
	switch p := e.Payload.(type) {
	case event.GuardDecision:
		if id, ok := t.checks.begin(e); ok {
			t.begun(p.Turn, "check", p.Target, id)
		}
	case event.UserMsg:
		if p.Turn != t.turn {
			t.turn, t.seen = p.Turn, append(t.seen, p.Turn)
		}
	case event.ToolCall:
		t.call(p)
	case event.ToolResult:
		t.result(p)
	case event.CloseoutItem:
		t.item(e.Seq, p)
	}
}

// Turn returns the steps of a turn in order.
func (t *Trail) Turn(turn int) []TrailStep {
	out := []TrailStep{}
	for _, s := range t.steps[turn] {
		out = append(out, s.view())
	}
	return out
}

// Last is the number of the last turn; 0 before the first.
func (t *Trail) Last() int {
	if len(t.seen) == 0 {
		return 0
	}
	return t.seen[len(t.seen)-1]
}

func (t *Trail) call(p event.ToolCall) {
	sort, subject := trailSort(p)
	t.begun(p.Turn, sort, subject, p.ID)
}

// begun adds a call that runs.
func (t *Trail) begun(turn int, sort, subject, id string) {
	s := t.step(turn, sort, subject)
	s.calls = append(s.calls, id)
	s.running++
	t.calls[id] = s
}

func (t *Trail) result(p event.ToolResult) {
	s, ok := t.calls[p.ID]
	if !ok || s.running == 0 {
		return
	}
	s.running--
	if !p.OK {
		s.failed++
	}
}

// item ends a check. Until then it went by its command; its name is what the project calls it.
func (t *Trail) item(seq int64, p event.CloseoutItem) {
	id, begun := t.checks.end(seq)
	if !begun {
		t.begun(p.Turn, "check", p.Name, id)
	}
	s := t.calls[id]
	s.running, s.subject = 0, p.Name
	switch p.Outcome {
	case "passed":
	case "skipped":
		s.skipped = true
	default:
		s.failed++
	}
}

// cut ends a check that has no record; calls get theirs when the session is resumed.
func (t *Trail) cut(id string) {
	if s := t.calls[id]; s != nil {
		s.running, s.failed = 0, 1
	}
}

// step returns the turn's last step when the two join, else a new one.
func (t *Trail) step(turn int, sort, subject string) *trailStep {
	if t.steps == nil {
		t.steps, t.calls = make(map[int][]*trailStep), make(map[string]*trailStep)
	}
	if steps := t.steps[turn]; len(steps) > 0 && joins(sort) {
		if last := steps[len(steps)-1]; last.sort == sort {
			return last
		}
	}
	s := &trailStep{sort: sort, subject: subject}
	t.steps[turn] = append(t.steps[turn], s)
	return s
}

func joins(sort string) bool { return sort == "read" || sort == "list" }

// trailSort sorts a call and finds what it is about. A name that is no tool of ours is shown as the model wrote it.
func trailSort(p event.ToolCall) (sort, subject string) {
	var args struct {
		Path    string   `json:"path"`
		Query   string   `json:"query"`
		Command string   `json:"command"`
		Argv    []string `json:"argv"`
	}
	_ = json.Unmarshal(p.Args, &args) // arguments that make no sense leave the subject empty
	switch p.Name {
	case "file-read":
		return "read", args.Path
	case "file-list":
		return "list", args.Path
	case "code-search":
		return "search", args.Query
	case "file-write", "file-edit":
		return "write", args.Path
	case "shell-exec":
		if args.Command != "" {
			return "run", args.Command
		}
		return "run", strings.Join(args.Argv, " ")
	case "shell-output":
		return "watch", "a command in the background"
	case "shell-kill":
		return "stop", "a command in the background"
	case "ask-person":
		return "ask", ""
	}
	return "other", p.Name
}

// words says a step in the present while it runs and in the past when it is done.
var words = map[string][2]string{
	"read": {"reading", "read"}, "list": {"listing", "listed"}, "search": {"searching for", "searched for"},
	"write": {"changing", "changed"}, "run": {"running", "ran"}, "ask": {"asking you", "asked you"},
	"watch": {"watching", "watched"}, "stop": {"ending", "ended"}, "check": {"checking", "checked"}, "other": {"calling", "called"},
}

func (s *trailStep) view() TrailStep {
	state, tense := "done", 1
	switch {
	case s.running > 0:
		state, tense = "running", 0
	case s.failed > 0:
		state = "failed"
	}
	what := clip(firstLine(s.subject), 100)
	switch {
	case joins(s.sort) && len(s.calls) > 1:
		what = fmt.Sprintf("%d %s", len(s.calls), map[string]string{"read": "files", "list": "folders"}[s.sort])
	case s.sort == "list" && what == "":
		what = "the folder"
	}
	text := strings.TrimSpace(words[s.sort][tense] + " " + what)
	if s.failed > 0 && s.running == 0 {
		text += failedNote(s)
	}
	if s.skipped {
		text += " (skipped)"
	}
	return TrailStep{Text: text, State: state, Calls: slices.Clone(s.calls)}
}

func failedNote(s *trailStep) string {
	if len(s.calls) > 1 {
		return fmt.Sprintf(" (%d failed)", s.failed)
	}
	return " (failed)"
}
