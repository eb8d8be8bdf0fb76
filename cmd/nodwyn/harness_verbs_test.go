package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"
)

// verb is what a line of a scenario does. Its text goes to the stdout that the next stdout or cmp line looks at.
type verb func(ts *testscript.TestScript, s *scenario, args []string) (string, error)

// verbs lists the words that scenarios are written in. testdata/script/README.md explains each.
func verbs() map[string]func(*testscript.TestScript, bool, []string) {
	list := map[string]verb{
		"answer":   verbAnswer,
		"await":    verbAwait,
		"call":     verbCall,
		"cancel":   verbCancel,
		"cards":    verbCards,
		"close":    verbClose,
		"config":   verbConfig,
		"deaf":     verbDeaf,
		"editor":   verbEditor,
		"error":    verbError,
		"frame":    verbFrame,
		"hangup":   verbHangUp,
		"crash":    verbCrash,
		"land":     verbLand,
		"leave":    verbLeave,
		"listen":   verbListen,
		"log":      verbLog,
		"model":    verbModel,
		"new":      verbNew,
		"notify":   verbNotify,
		"outcome":  verbOutcome,
		"prompt":   verbPrompt,
		"steer":    verbSteer,
		"repo":     verbRepo,
		"requests": verbRequests,
		"resume":   verbResume,
		"serve":    verbServe,
	}
	cmds := make(map[string]func(*testscript.TestScript, bool, []string), len(list))
	for name, v := range list {
		cmds[name] = func(ts *testscript.TestScript, neg bool, args []string) { runVerb(ts, name, v, neg, args) }
	}
	return cmds
}

// runVerb runs a verb. A negated one must be refused by the server, or, where it looks at what is recorded, not find it.
func runVerb(ts *testscript.TestScript, name string, v verb, neg bool, args []string) {
	s := of(ts)
	text, err := v(ts, s, args)
	fmt.Fprint(ts.Stdout(), text)
	ts.Setenv("SESSION", s.session)
	if s.session != "" {
		ts.Setenv("LOG", s.log(s.session))
		ts.Setenv("TREE", s.tree(s.session))
	}
	refused, isRefused := errors.AsType[*wireError](err)
	if name != "error" {
		s.failed = refused
	}
	switch {
	case err != nil && !neg:
		ts.Fatalf("%s: %v", name, err)
	case err == nil && neg:
		ts.Fatalf("%s: succeeded, and must not", name)
	case err != nil && !isRefused && !errors.Is(err, errNotThere):
		ts.Fatalf("%s: must be refused, and did not get so far: %v", name, err)
	}
}

// errNotThere marks a look that found something else; only such a look may be negated.
var errNotThere = errors.New("not there")

func verbModel(ts *testscript.TestScript, s *scenario, args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: model FILE [NAME] | model stall | model release | model break | model error STATUS")
	}
	switch args[0] {
	case "stall":
		s.model.fail(fault{stalls: true})
	case "release":
		s.model.letGo()
	case "break":
		s.model.fail(fault{breaks: true})
	case "error":
		status, err := strconv.Atoi(args[1])
		if err != nil {
			return "", err
		}
		s.model.fail(fault{status: status})
	default:
		name := strings.Join(args[1:], " ")
		return "", s.play(name, args[0], ts.ReadFile(args[0]))
	}
	return "", nil
}

func verbRepo(_ *testscript.TestScript, s *scenario, _ []string) (string, error) {
	return "", s.commit()
}

func verbConfig(ts *testscript.TestScript, s *scenario, args []string) (string, error) {
	var more strings.Builder
	for _, file := range args {
		more.WriteString(ts.ReadFile(file))
	}
	return "", s.configure(more.String())
}

func verbServe(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	if err := s.start(); err != nil {
		return "", err
	}
	switch {
	case len(args) == 0:
		args = every
	case args[0] == "silent": // the scenario speaks for itself
		return "", nil
	}
	return "", s.initialize(args...)
}

// verbEditor turns to another of the editors, by its number from 1.
func verbEditor(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > len(s.editors) {
		return "", fmt.Errorf("there is no editor %s of %d", args[0], len(s.editors))
	}
	s.editor = s.editors[n-1]
	return "", nil
}

func verbNew(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	params := map[string]any{}
	for _, a := range args {
		name, text, _ := strings.Cut(a, "=")
		params[name] = text
		if v := jsontext.Value(text); v.IsValid() {
			params[name] = v
		}
	}
	result, err := s.newSession(params)
	return lineOf(result), err
}

// verbPrompt starts a turn, queues one behind the running one, or takes an interrupted one up: prompt [-next | -continue] [TEXT].
func verbPrompt(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	switch {
	case len(args) > 0 && args[0] == "-next":
		return "", s.promptNext(strings.Join(args[1:], " "))
	case len(args) == 1 && args[0] == "-continue":
		return "", s.goOn()
	}
	return "", s.prompt(strings.Join(args, " "))
}

func verbSteer(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	s.steer(strings.Join(args, " "))
	return "", nil
}

// verbOutcome compares the end of the turn: outcome WORD [REASON].
func verbOutcome(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	end, result, err := s.outcome()
	if err != nil {
		return lineOf(result), err
	}
	got := strings.TrimSpace(end.Outcome + " " + end.Reason)
	if want := strings.Join(args, " "); got != want {
		return lineOf(result), fmt.Errorf("got %s, want %s: %s", got, want, result)
	}
	return lineOf(result), nil
}

func verbCancel(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	if len(args) == 1 && args[0] == "request" {
		s.editor.notify("$/cancelRequest", jsontext.Value(`{"id":`+s.pending+`}`))
		return "", nil
	}
	result, err := s.call("session/cancel", object("session", s.session))
	return lineOf(result), err
}

func verbResume(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	if len(args) == 1 {
		s.session = args[0]
	}
	result, err := s.call("session/resume", object("session", s.session))
	return lineOf(result), err
}

func verbClose(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	params := object("session", s.session)
	if len(args) == 1 && args[0] == "discard" {
		params = object("session", s.session, "discard", true)
	}
	result, err := s.call("session/close", params)
	return lineOf(result), err
}

func verbLand(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	params := map[string]any{"session": s.session}
	for _, a := range args {
		if a == "preview" {
			params["preview"] = true
			continue
		}
		params["strategy"] = a
	}
	b, err := json.Marshal(params)
	if err != nil {
		return "", err
	}
	result, err := s.call("session/land", b)
	return lineOf(result), err
}

// verbCall sends any request: call [-later] METHOD [JSON]. $SESSION, $REPO, $WORK and $TOKEN stand for themselves inside the JSON.
func verbCall(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	later := args[0] == "-later"
	if later {
		args = args[1:]
	}
	var params jsontext.Value
	if len(args) > 1 {
		params = jsontext.Value(s.expand(args[1]))
	}
	if later {
		s.pending = s.editor.send(args[0], params)
		return "", nil
	}
	result, err := s.editor.call(args[0], params)
	return lineOf(result), err
}

func verbNotify(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	s.editor.notify(args[0], jsontext.Value(s.expand(args[1])))
	return "", nil
}

func (s *scenario) expand(text string) string {
	return strings.NewReplacer("$SESSION", s.session, "$REPO", s.repo(), "$WORK", s.work, "$TOKEN", s.secrets[1]).Replace(text)
}

// verbError looks at the last response that was an error: error CODE [TEXT…].
func verbError(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	last := s.failed
	if last == nil {
		return "", errors.New("no request failed before")
	}
	if got := strconv.Itoa(last.Code); got != args[0] {
		return "", fmt.Errorf("got code %s, want %s: %s", got, args[0], last.Message)
	}
	for _, text := range args[1:] {
		if !strings.Contains(last.Error(), text) {
			return "", fmt.Errorf("got %v, want %q in it", last, text)
		}
	}
	return "", nil
}

func verbCrash(_ *testscript.TestScript, s *scenario, _ []string) (string, error) {
	s.pending = ""
	return "", s.editor.kill()
}

func verbHangUp(_ *testscript.TestScript, s *scenario, _ []string) (string, error) {
	s.pending = ""
	s.editor.hangUp()
	return "", nil
}

// verbDeaf makes the editor read nothing more, from the next frame on, until it listens again.
func verbDeaf(_ *testscript.TestScript, s *scenario, _ []string) (string, error) {
	<-s.editor.hearing
	return "", nil
}

func verbListen(_ *testscript.TestScript, s *scenario, _ []string) (string, error) {
	s.editor.listen()
	return "", nil
}

func verbLeave(_ *testscript.TestScript, s *scenario, _ []string) (string, error) {
	return "", s.leave()
}

// verbFrame sends TEXT as the body of one frame, or with -raw as the bytes themselves, in which \r\n stands for a line's end.
func verbFrame(ts *testscript.TestScript, s *scenario, args []string) (string, error) {
	if args[0] == "-raw" {
		text := strings.ReplaceAll(args[1], `\r\n`, "\r\n")
		s.editor.writeRaw([]byte(text))
		return "", nil
	}
	s.editor.write([]byte(args[0]))
	return "", nil
}

// lineOf is a result as one line of stdout.
func lineOf(result jsontext.Value) string {
	if result == nil {
		return ""
	}
	return string(result) + "\n"
}
