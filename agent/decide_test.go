package agent

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nodwyn/nodwyn/agent/tool"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

func TestNextStep(t *testing.T) {
	calls := []event.ModelCall{{ID: "a"}}
	for name, c := range map[string]struct {
		reply  event.LLMResp
		want   next
		failed bool
	}{
		"calls are run":                   {event.LLMResp{Stop: "tool_calls", ToolCalls: calls}, runCalls, false},
		"the end ends it":                 {event.LLMResp{Stop: "end", Text: "x"}, stopTurn, false},
		"a refusal is an answer":          {event.LLMResp{Stop: "refusal", Text: "no"}, stopTurn, false},
		"a refusal without a word is not": {event.LLMResp{Stop: "refusal"}, stopTurn, true},
		"a filtered one is cut off":       {event.LLMResp{Stop: "refusal", StopRaw: "content_filter", Text: "The first"}, stopTurn, true},
		"an empty reply is none":          {event.LLMResp{Stop: "end"}, stopTurn, true},
		"nor is a blank one":              {event.LLMResp{Stop: "end", Text: " \n\t"}, stopTurn, true},
		"a cut reply fails":               {event.LLMResp{Stop: "length"}, stopTurn, true},
		"calls of a cut reply do not run": {event.LLMResp{Stop: "length", ToolCalls: calls}, stopTurn, true},
		"a full context fails":            {event.LLMResp{Stop: "context"}, stopTurn, true},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := nextStep(c.reply)
			if got != c.want || (err != nil) != c.failed {
				t.Errorf("got %v, %v, want %v, failed %v", got, err, c.want, c.failed)
			}
		})
	}
}

func TestStuck(t *testing.T) {
	step := func(args, result string) []view.Message {
		return []view.Message{
			{Role: view.Assistant, Text: "try", Calls: []event.ModelCall{{ID: args + result, Name: "file-read", Args: event.RawJSON(args)}}},
			{Role: view.Tool, CallID: args + result, Text: result},
		}
	}
	times := func(n int, step []view.Message) []view.Message {
		return slices.Concat(slices.Repeat([][]view.Message{step}, n)...)
	}
	asked, same := []view.Message{{Role: view.User, Text: "read"}}, step(`{"path":"a"}`, "not there")
	for name, c := range map[string]struct {
		window []view.Message
		want   bool
	}{
		"an empty window":           {nil, false},
		"nothing but a request":     {asked, false},
		"a step often":              {slices.Concat(asked, times(maxSame-1, same)), false},
		"a step too often":          {slices.Concat(asked, times(maxSame, same)), true},
		"too often after another":   {slices.Concat(asked, step("{}", "x"), times(maxSame, same)), true},
		"another in between":        {slices.Concat(asked, times(maxSame-1, same), step("{}", "x"), same), false},
		"another result":            {slices.Concat(asked, times(maxSame-1, same), step(`{"path":"a"}`, "there")), false},
		"a person who steers":       {slices.Concat(asked, times(maxSame-1, same), asked, same), false},
		"more calls than the other": {slices.Concat(asked, times(maxSame-1, same), same[:1], same[1:], same[1:]), false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := stuck(c.window); (err != nil) != c.want {
				t.Errorf("got %v, want stuck %t", err, c.want)
			}
		})
	}
}

func TestCompactNow(t *testing.T) {
	for name, c := range map[string]struct {
		tokens int
		limits event.Limits
		fits   bool
	}{
		"no known context":          {1 << 30, event.Limits{}, true},
		"room for window and reply": {600, event.Limits{Context: 1000, MaxOutput: 400}, true},
		"no room for the reply":     {601, event.Limits{Context: 1000, MaxOutput: 400}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if err := compactNow(c.tokens, c.limits); (err == nil) != c.fits {
				t.Errorf("got %v, want fits %v", err, c.fits)
			}
		})
	}
}

func TestPlanGateKeepsAnAskSessionFromChangingThings(t *testing.T) {
	open := map[string]bool{"file-read": true, "file-list": true, "code-search": true, "shell-output": true, "ask-person": true}
	for _, tl := range tool.All() {
		if _, got := planGate("ask", tl); got != open[tl.Name] {
			t.Errorf("%s in an ask session: got %v, want %v", tl.Name, got, open[tl.Name])
		}
		if _, got := planGate("edit", tl); !got {
			t.Errorf("%s is closed in an edit session", tl.Name)
		}
	}
}

func TestOutcomeOf(t *testing.T) {
	boom := errors.New("boom")
	for name, c := range map[string]struct {
		cause, err error
		want       [3]string
	}{
		"nothing went wrong":                     {nil, nil, [3]string{"completed", "", ""}},
		"cancelled after it was done":            {ErrCancelled, nil, [3]string{"completed", "", ""}},
		"cancelled":                              {ErrCancelled, boom, [3]string{"cancelled", "", ""}},
		"the editor is gone":                     {ErrEditorExit, boom, [3]string{"cancelled", "editor_exit", ""}},
		"denied and stopped":                     {nil, errors.Join(errDenyStop), [3]string{"cancelled", "deny_stop", ""}},
		"an error":                               {nil, boom, [3]string{"failed", "", "boom"}},
		"denied and stopped while others failed": {nil, errors.Join(boom, errDenyStop), [3]string{"cancelled", "deny_stop", ""}},
	} {
		t.Run(name, func(t *testing.T) {
			o, r, text := outcomeOf(c.cause, c.err)
			if got := [3]string{o, r, text}; got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestReadersRunSideBySide(t *testing.T) {
	names := func(s string) []event.ModelCall {
		var calls []event.ModelCall
		for _, n := range strings.Fields(s) {
			calls = append(calls, event.ModelCall{Name: n})
		}
		return calls
	}
	for calls, want := range map[string]int{
		"file-read file-list file-write file-read": 2,
		"file-write file-read":                     1,
		"no-such-tool file-read":                   1,
		"file-read":                                1,
		strings.Repeat("file-read ", 12):           maxSideBySide,
	} {
		if got := readers(names(calls)); got != want {
			t.Errorf("%s: got %d, want %d", calls, got, want)
		}
	}
}

func TestParseCloseout(t *testing.T) {
	for name, c := range map[string]struct{ content, wrong string }{
		"the whole form":        {"[[item]]\nname = \"t\"\nkind = \"command\"\nrun = [\"go\"]\ntimeout = \"1m\"\nwhen = \"land\"\nretry = 1\n", ""},
		"an unknown key":        {"[[item]]\nname = \"t\"\nrun = [\"go\"]\nrum = 1\n", `unknown key "item.rum"`},
		"no name":               {"[[item]]\nrun = [\"go\"]\n", "item 1: name is missing"},
		"no command":            {"[[item]]\nname = \"t\"\n", "run is missing"},
		"a kind that is none":   {"[[item]]\nname = \"t\"\nkind = \"x\"\nrun = [\"go\"]\n", `kind "x"`},
		"a time that is none":   {"[[item]]\nname = \"t\"\nrun = [\"go\"]\ntimeout = \"soon\"\n", "positive duration"},
		"a moment that is none": {"[[item]]\nname = \"t\"\nrun = [\"go\"]\nwhen = \"never\"\n", `when "never"`},
		"not TOML":              {"[[item\n", "read .nodwyn/closeout.toml"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := parseCloseout(c.content)
			if (err == nil) != (c.wrong == "") || (err != nil && !strings.Contains(err.Error(), c.wrong)) {
				t.Errorf("got %v, want %q", err, c.wrong)
			}
		})
	}
	items, err := parseCloseout("[[item]]\nname = \"t\"\nrun = [\"go\"]\n")
	want := []item{{Name: "t", Kind: "command", Run: []string{"go"}, Timeout: duration(closeoutTimeout), When: "turn"}}
	if err != nil || !reflect.DeepEqual(items, want) {
		t.Errorf("got %+v, %v, want %+v", items, err, want)
	}
}

func TestLandingMessage(t *testing.T) {
	asked := func(title string, asks ...string) view.State {
		var st view.State
		seq := int64(0)
		apply := func(p event.Payload) {
			seq++
			st.Apply(event.Event{Seq: seq, Payload: p})
		}
		if title != "" {
			apply(event.SessionTitle{Title: title})
		}
		for i, a := range asks {
			apply(event.UserMsg{Turn: i + 1, Text: a})
			apply(event.WorktreeCheckpoint{Turn: i + 1, Commit: a})
		}
		return st
	}
	for name, c := range map[string]struct {
		st   view.State
		want string
	}{
		"one ask":                     {asked("", "fix it\nplease"), "fix it\n"},
		"a title":                     {asked("Fix the build", "fix it"), "Fix the build\n"},
		"several asks":                {asked("", "one", "two"), "one\n\n- one\n- two\n"},
		"edits of the person's alone": {asked(""), "Changes by nodwyn\n"},
		"a long ask":                  {asked("", strings.Repeat("é", 100)), strings.Repeat("é", 71) + "…\n"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := landingMessage(c.st); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestBranch(t *testing.T) {
	a := New(Config{Branch: "nodwyn/{slug}-{id}"})
	for title, want := range map[string]string{
		"":                          "nodwyn/s1",
		"Fix: the Build!":           "nodwyn/fix-the-build-s1",
		"日本":                        "nodwyn/s1",
		strings.Repeat("long ", 20): "nodwyn/long-long-long-long-long-long-long-long-s1",
	} {
		if got := a.branch("s1", StartSpec{Title: title}); got != want {
			t.Errorf("%q: got %s, want %s", title, got, want)
		}
	}
}
