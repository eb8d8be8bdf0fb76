package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// events reads a log strictly.
func (s *scenario) events(session string) ([]event.Event, error) {
	var all []event.Event
	for e, err := range sessionlog.Read(s.log(session)) {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, nil
}

// tree is the folder that a session works in; empty while nobody knows.
func (s *scenario) tree(session string) string {
	for e, err := range sessionlog.Read(s.log(session)) {
		if start, ok := e.Payload.(event.SessionStart); ok && err == nil {
			return start.Repo
		}
		break
	}
	return ""
}

// folded returns the cards that the session's file comes to.
func (s *scenario) folded(session string) ([]view.Card, error) {
	events, err := s.events(session)
	if err != nil {
		return nil, err
	}
	var cards view.Cards
	for _, e := range events {
		cards.Apply(e)
	}
	return cards.All(), nil
}

// verbCards compares the session's cards with a file, one line a card: its kind and what it says first.
func verbCards(ts *testscript.TestScript, s *scenario, args []string) (string, error) {
	cards, err := s.folded(s.session)
	if err != nil {
		return "", err
	}
	var got strings.Builder
	for _, c := range cards {
		got.WriteString(c.Line() + "\n")
	}
	if got.String() == ts.ReadFile(args[0]) {
		return got.String(), nil
	}
	if *update {
		return got.String(), rewrite(ts.Name(), args[0], got.String())
	}
	return got.String(), fmt.Errorf("got\n%swant %s\n%s", got.String(), args[0], ts.ReadFile(args[0]))
}

// rewrite changes one file of a script's archive.
func rewrite(script, name, text string) error {
	path := filepath.Join("testdata", "script", script+".txtar")
	archive, err := txtar.ParseFile(path)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(archive.Files, func(f txtar.File) bool { return f.Name == name })
	if i < 0 {
		return fmt.Errorf("rewrite %s: no file %s in it", path, name)
	}
	archive.Files[i].Data = []byte(text)
	return os.WriteFile(path, txtar.Format(archive), 0o644)
}

// verbLog looks for kinds in the log: log KIND… in this order, log -adjacent KIND… without others between, log -first KIND… at its start, log -exact KIND… and nothing else.
func verbLog(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	events, err := s.events(s.session)
	if err != nil {
		return "", err
	}
	var kinds []string
	for _, e := range events {
		kinds = append(kinds, string(e.Kind()))
	}
	found := inOrder
	switch args[0] {
	case "-exact":
		args, found = args[1:], slices.Equal
	case "-first":
		args, found = args[1:], begins
	case "-adjacent":
		args, found = args[1:], adjacent
	}
	text := strings.Join(kinds, "\n") + "\n"
	if !found(kinds, args) {
		return text, fmt.Errorf("%w: got %s, want %s", errNotThere, strings.Join(kinds, " "), strings.Join(args, " "))
	}
	return text, nil
}

func inOrder(got, want []string) bool {
	for _, w := range want {
		i := slices.Index(got, w)
		if i < 0 {
			return false
		}
		got = got[i+1:]
	}
	return true
}

func begins(got, want []string) bool {
	return len(got) >= len(want) && slices.Equal(got[:len(want)], want)
}

func adjacent(got, want []string) bool {
	for i := range got {
		if begins(got[i:], want) {
			return true
		}
	}
	return false
}

// verbRequests looks at what the model received: requests N TEXT… looks into the body of the Nth, requests count N counts.
func verbRequests(_ *testscript.TestScript, s *scenario, args []string) (string, error) {
	if len(args) < 2 {
		return "", errors.New("usage: requests N TEXT… | requests count N")
	}
	all := s.model.requests()
	if args[0] == "count" {
		if got := strconv.Itoa(len(all)); got != args[1] {
			return "", fmt.Errorf("got %s requests, want %s", got, args[1])
		}
		return "", nil
	}
	n, err := strconv.Atoi(args[0])
	if err != nil || n < 1 || n > len(all) {
		return "", fmt.Errorf("there is no request %s of %d", args[0], len(all))
	}
	body := all[n-1].body
	for _, text := range args[1:] {
		if !strings.Contains(body, text) {
			return body, fmt.Errorf("%w: request %d holds no %q: %s", errNotThere, n, text, body)
		}
	}
	return body + "\n", nil
}
