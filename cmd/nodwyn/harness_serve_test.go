package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// every is what our own editors can show.
var every = []string{"permission", "question", "events", "deltas", "cards"}

// start makes what the scenario did not make itself, starts the server, and does not say hello.
func (s *scenario) start() error {
	if !s.configured {
		if err := s.configure(""); err != nil {
			return err
		}
	}
	if !s.committed {
		if err := s.commit(); err != nil {
			return err
		}
	}
	e, err := startEditor(s.work, s.environ)
	if err != nil {
		return err
	}
	s.editor = e
	s.editors = append(s.editors, e)
	return nil
}

// initialize opens the connection with the capabilities: "lsp" alone is a client that knows nothing of ours, "mute" adds that it cannot show a message either.
func (s *scenario) initialize(capabilities ...string) error {
	ours := map[string]bool{}
	standard := slices.Equal(capabilities, []string{"lsp"})
	for _, c := range capabilities {
		if slices.Contains(every, c) {
			ours[c] = true
		}
	}
	client := map[string]any{}
	if s.editor.mute = slices.Contains(capabilities, "mute"); !s.editor.mute {
		client["window"] = map[string]any{
			"workDoneProgress": true,
			"showMessage":      map[string]any{"messageActionItem": map[string]any{"additionalPropertiesSupport": true}},
			"showDocument":     map[string]any{"support": true},
		}
	}
	if !standard {
		client["experimental"] = map[string]any{"nodwyn": ours}
	}
	s.editor.standard, s.editor.capabilities = standard, capabilities
	params := object("processId", os.Getpid(), "rootUri", "file://"+s.repo(), "capabilities", client,
		"clientInfo", map[string]any{"name": "scenario", "version": "1"})
	if _, err := s.editor.call("initialize", params); err != nil {
		return fmt.Errorf("initialize: %w", err)
	}
	s.editor.notify("initialized", jsontext.Value("{}"))
	return nil
}

// call calls a session method as the client reaches it, and waits.
func (s *scenario) call(method string, params jsontext.Value) (jsontext.Value, error) {
	return s.editor.reply(s.send(method, params))
}

// send sends a session method; a client without capabilities of ours sends its twin command.
func (s *scenario) send(method string, params jsontext.Value) string {
	if !s.editor.standard {
		return s.editor.send(method, params)
	}
	command := "nodwyn." + strings.ReplaceAll(method, "/", ".")
	return s.editor.send("workspace/executeCommand", object("command", command, "arguments", []jsontext.Value{params}))
}

// newSession makes a session in the repository and makes it the current one.
func (s *scenario) newSession(params map[string]any) (jsontext.Value, error) {
	if _, ok := params["repo"]; !ok {
		params["repo"] = s.repo()
	}
	b, err := json.Marshal(params, json.Deterministic(true))
	if err != nil {
		return nil, err
	}
	result, err := s.call("session/new", b)
	if err != nil {
		return nil, err
	}
	var made struct {
		Session string `json:"session"`
	}
	if err := json.Unmarshal(result, &made); err != nil || made.Session == "" {
		return nil, fmt.Errorf("session/new: no session in %s", result)
	}
	s.session = made.Session
	s.ids = append(s.ids, made.Session)
	return result, nil
}

// prompt sends a prompt and does not wait for its turn.
func (s *scenario) prompt(text string) error {
	if err := s.readyToPrompt(); err != nil {
		return err
	}
	s.pending = s.send("session/prompt", object("session", s.session, "text", text))
	return nil
}

// promptNext queues a request behind the pending one.
func (s *scenario) promptNext(text string) error {
	if s.pending == "" {
		return errors.New("prompt -next: no prompt is pending")
	}
	s.queued = append(s.queued, s.send("session/prompt", object("session", s.session, "text", text, "when", "next")))
	return nil
}

// steer sends a message to the first turn and does not wait: it is answered at the turn's next step.
func (s *scenario) steer(text string) {
	s.send("session/steer", object("session", s.session, "turn", 1, "text", text))
}

// goOn takes an interrupted turn up.
func (s *scenario) goOn() error {
	if err := s.readyToPrompt(); err != nil {
		return err
	}
	s.pending = s.send("session/continue", object("session", s.session))
	return nil
}

// readyToPrompt makes a session if there is none, and remembers the checkout.
func (s *scenario) readyToPrompt() error {
	if s.session == "" {
		if _, err := s.newSession(map[string]any{}); err != nil {
			return err
		}
	}
	if s.pending != "" {
		return errors.New("prompt: the outcome of the one before was not awaited")
	}
	var err error
	s.before, err = s.checkout()
	return err
}

// outcome waits for the end of the pending prompt's turn. The person's checkout is then as it was.
func (s *scenario) outcome() (turnEnd, jsontext.Value, error) {
	if s.pending == "" {
		return turnEnd{}, nil, errors.New("outcome: no prompt is pending")
	}
	result, err := s.editor.reply(s.pending)
	s.pending = ""
	if len(s.queued) > 0 {
		s.pending, s.queued = s.queued[0], s.queued[1:]
	}
	if err != nil {
		return turnEnd{}, nil, err
	}
	var end turnEnd
	if err := json.Unmarshal(result, &end); err != nil {
		return end, result, fmt.Errorf("session/prompt answered %s: %w", result, err)
	}
	after, err := s.checkout()
	if err != nil {
		return end, result, err
	}
	if after != s.before {
		return end, result, fmt.Errorf("the turn changed the person's checkout: got %q, want %q", after, s.before)
	}
	return end, result, nil
}

// turnEnd is what a scenario looks at in the result of session/prompt.
type turnEnd struct {
	Turn     int    `json:"turn"`
	Outcome  string `json:"outcome"`
	Reason   string `json:"reason"`
	Text     string `json:"text"`
	Revision int64  `json:"revision"`
}

// leave ends every server as an editor does that quits, and waits for it.
func (s *scenario) leave() error {
	for _, e := range s.editors {
		select {
		case <-e.done: // the scenario ended it, and looked at the exit if it cared
			continue
		default:
		}
		if err := s.quit(e); err != nil {
			return err
		}
	}
	return nil
}

func (s *scenario) quit(e *editor) error {
	s.editor = e
	if err := s.keepTranscripts(); err != nil {
		return err
	}
	if _, err := e.call("shutdown", nil); err != nil {
		return fmt.Errorf("shutdown: %w", err)
	}
	e.notify("exit", nil)
	if err := e.waitExit(); err != nil {
		return err
	}
	if e.exit != nil {
		return fmt.Errorf("exit after shutdown: %w; stderr: %s", e.exit, e.stderr)
	}
	return nil
}

// told is what session/transcript said of a log that held so many events.
type told struct {
	text   string
	events int
}

// keepTranscripts asks for what the logs must fold to later.
func (s *scenario) keepTranscripts() error {
	for _, id := range s.ids {
		events, err := s.events(id)
		if err != nil {
			continue // the check of the session reports it
		}
		result, err := s.call("session/transcript", object("session", id))
		if err != nil {
			return fmt.Errorf("session/transcript of %s: %w", id, err)
		}
		var got struct {
			Text string `json:"text"`
		}
		if err := json.Unmarshal(result, &got); err != nil {
			return fmt.Errorf("session/transcript of %s: %w", id, err)
		}
		s.transcripts[id] = told{got.Text, len(events)}
	}
	return nil
}
