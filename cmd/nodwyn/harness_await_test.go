package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/testscript"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// verbAwait waits for the next thing of a kind; its raw text goes to stdout.
func verbAwait(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	if len(args) == 0 {
		return "", errors.New("usage: await KIND [WORD] [TEXT…]")
	}
	kind, rest := args[0], args[1:]
	switch kind {
	case "permission":
		return s.awaitAsked("session/requestPermission", rest)
	case "question":
		return s.awaitAsked("session/ask", rest)
	case "message":
		return s.awaitAsked("window/showMessageRequest", rest)
	case "event":
		return s.awaitEvent(rest[0], rest[1:])
	case "status":
		return s.awaitNotification("session/status", append([]string{fmt.Sprintf(`"status":%q`, rest[0])}, rest[1:]...))
	case "delta":
		return s.awaitNotification("session/delta", rest)
	case "notification":
		return s.awaitNotification(rest[0], rest[1:])
	case "error":
		return s.awaitError(rest)
	case "request":
		n, err := strconv.Atoi(rest[0])
		if err != nil {
			return "", err
		}
		return "", s.model.awaitRequests(n)
	case "file":
		path := filepath.Join(s.tree(s.session), rest[0])
		return "", awaitState("file "+path, func() bool {
			_, err := os.Stat(path)
			return err == nil
		})
	case "output":
		return s.awaitOutput(rest)
	case "reply":
		result, err := s.editor.reply(s.pending)
		s.pending = ""
		return lineOf(result), err
	case "log":
		return "", awaitState("log "+rest[0], func() bool { return s.logged(rest[0]) })
	case "exit":
		return "", s.awaitExit(rest)
	}
	return "", fmt.Errorf("nothing of kind %q can be awaited", kind)
}

func holds(m message, texts []string) bool {
	for _, t := range texts {
		if !strings.Contains(string(m.raw), t) {
			return false
		}
	}
	return true
}

// awaitAsked waits for a request of the server to the person; answer answers it.
func (s *scenario) awaitAsked(method string, texts []string) (string, error) {
	m, err := s.editor.await(method, func(m message) bool {
		return m.ID != nil && m.Method == method && holds(m, texts)
	})
	s.asked = m
	return lineOf(m.raw), err
}

// awaitEvent waits for a logged event of the kind that holds the texts.
func (s *scenario) awaitEvent(kind string, texts []string) (string, error) {
	m, err := s.editor.await("event "+s.session, func(m message) bool {
		e, ok := announced(m)
		return ok && e.Session == s.session && e.Event.Kind == kind && holds(m, texts)
	})
	return lineOf(m.raw), err
}

func (s *scenario) awaitNotification(method string, texts []string) (string, error) {
	m, err := s.editor.await(method, func(m message) bool {
		return m.ID == nil && m.Method == method && holds(m, texts)
	})
	return lineOf(m.raw), err
}

// awaitError waits for an error that answers no request of the scenario's.
func (s *scenario) awaitError(args []string) (string, error) {
	m, err := s.editor.await("error", func(m message) bool {
		return m.Error != nil && strconv.Itoa(m.Error.Code) == args[0] && holds(m, args[1:])
	})
	return lineOf(m.raw), err
}

// awaitState waits for a state of the disk that no message tells of: a file that a command has made is the sign by which a scenario knows that the command runs.
func awaitState(what string, reached func() bool) error {
	look := time.NewTicker(5 * time.Millisecond)
	defer look.Stop()
	deadline := time.NewTimer(patience)
	defer deadline.Stop()
	for !reached() {
		select {
		case <-look.C:
		case <-deadline.C:
			return fmt.Errorf("await %s: not within %s", what, patience)
		}
	}
	return nil
}

// logged reports whether the session's log holds the kind by now.
func (s *scenario) logged(kind string) bool {
	events, err := s.events(s.session)
	return err == nil && slices.ContainsFunc(events, func(e event.Event) bool { return string(e.Kind()) == kind })
}

// awaitExit waits for the server's end, and for its exit code where one is given.
func (s *scenario) awaitExit(args []string) error {
	if err := s.editor.waitExit(); err != nil {
		return err
	}
	if got := s.editor.cmd.ProcessState.ExitCode(); len(args) == 1 && strconv.Itoa(got) != args[0] {
		return fmt.Errorf("got exit code %d, want %s; stderr: %s", got, args[0], s.editor.stderr)
	}
	return nil
}

// announcement is the content of session/event.
type announcement struct {
	Session string         `json:"session"`
	Event   announcedEvent `json:"event"`
}

// announcedEvent is a logged event as it stands on the wire.
type announcedEvent struct {
	Seq     int64          `json:"seq"`
	Session string         `json:"session"`
	Kind    string         `json:"kind"`
	Payload jsontext.Value `json:"payload"`
}

// announced decodes m when it announces an event.
func announced(m message) (announcement, bool) {
	var a announcement
	if m.Method != "session/event" {
		return a, false
	}
	return a, json.Unmarshal(m.Params, &a) == nil
}

// verbAnswer answers the request that was awaited last: answer OPTION [NOTE], or one of the wrong forms -error, -null, -form.
func verbAnswer(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	m := s.asked
	if m.ID == nil {
		return "", errors.New("nothing was asked: await permission, question or message first")
	}
	s.asked = message{}
	switch args[0] {
	case "-error":
		s.editor.respondError(m, -32603, "the editor is confused")
	case "-null":
		s.editor.respond(m, jsontext.Value("null"))
	case "-form":
		s.editor.respond(m, jsontext.Value(`{"choice":42}`))
	default:
		s.editor.respond(m, answerOf(m.Method, args))
	}
	return "", nil
}

func answerOf(method string, args []string) jsontext.Value {
	switch {
	case method == "window/showMessageRequest":
		return object("title", args[0])
	case method == "session/ask":
		return object("answer", args[0])
	case len(args) > 1:
		return object("option", args[0], "actor", "ada", "note", args[1])
	}
	return object("option", args[0], "actor", "ada")
}

// awaitOutput looks at the trail until its last call has printed the texts: no message tells of a running command's output.
func (s *scenario) awaitOutput(texts []string) (string, error) {
	var line string
	err := awaitState("output "+strings.Join(texts, " "), func() bool {
		result, err := s.call("session/trail", object("session", s.session, "call", s.lastCall()))
		line = lineOf(result)
		return err == nil && holds(message{raw: result}, texts)
	})
	return line, err
}

// lastCall is the id of the last call of the trail; empty before the first.
func (s *scenario) lastCall() string {
	var trail struct {
		Steps []struct {
			Calls []string `json:"calls"`
		} `json:"steps"`
	}
	result, err := s.call("session/trail", object("session", s.session))
	if err != nil || json.Unmarshal(result, &trail) != nil || len(trail.Steps) == 0 {
		return ""
	}
	calls := trail.Steps[len(trail.Steps)-1].Calls
	return calls[len(calls)-1]
}
