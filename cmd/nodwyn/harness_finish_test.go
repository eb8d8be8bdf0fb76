package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// ending is how long the last processes of a scenario may need: a supervisor waits two seconds between TERM and KILL.
const ending = 10 * time.Second

// finish ends the server and holds the scenario to what must be true after every one.
func (s *scenario) finish() error {
	if err := s.leave(); err != nil {
		return err
	}
	errs := []error{s.nothingLeft(ending), s.nothingLeaked()}
	for _, text := range s.model.unfinished() {
		errs = append(errs, errors.New("model: "+text))
	}
	for _, e := range s.editors {
		errs = append(errs, inLogOrder(e), askedAfterRecord(e), answeredAfterNews(e), wellFramed(e))
	}
	sessions, err := s.onDisk()
	errs = append(errs, err)
	for _, id := range sessions {
		errs = append(errs, s.checkSession(id))
	}
	return errors.Join(append(errs, s.everyRequestRecorded(sessions))...)
}

// onDisk lists the sessions that have a log, however they were made.
func (s *scenario) onDisk() ([]string, error) {
	paths, err := filepath.Glob(filepath.Join(s.logs(), "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, p := range paths {
		ids = append(ids, strings.TrimSuffix(filepath.Base(p), ".jsonl"))
	}
	for _, id := range s.ids {
		if !slices.Contains(ids, id) {
			return ids, fmt.Errorf("session %s was made and has no log", id)
		}
	}
	return ids, nil
}

// checkSession runs the checks of one session.
func (s *scenario) checkSession(id string) error {
	events, err := s.events(id)
	if err != nil {
		return fmt.Errorf("log of %s: %w", id, err)
	}
	for _, check := range []func(string, []event.Event) error{
		s.callsAnswered, s.announcedAsRecorded, s.cardsAsFolded, s.treeExplained, s.requestsRebuilt, s.replayStable,
	} {
		if err := check(id, events); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	return nil
}

// nothingLeaked looks for the scenario's secrets in every log, in every request body and in all that the editors were told.
func (s *scenario) nothingLeaked() error {
	paths, err := filepath.Glob(filepath.Join(s.logs(), "*"))
	if err != nil {
		return err
	}
	places := map[string]string{}
	for _, p := range paths {
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		places[p] = string(b)
	}
	for i, r := range s.model.requests() {
		places[fmt.Sprintf("request %d", i+1)] = r.body
	}
	for i, e := range s.editors {
		places[fmt.Sprintf("editor %d", i+1)] = e.transcript()
		places[fmt.Sprintf("stderr %d", i+1)] = e.stderr.String()
	}
	var errs []error
	for place, text := range places {
		for _, secret := range s.secrets {
			if strings.Contains(text, secret) {
				errs = append(errs, fmt.Errorf("a secret is readable in %s", place))
			}
		}
	}
	return errors.Join(errs...)
}

// transcript is all that the server sent, in order.
func (e *editor) transcript() string {
	var b strings.Builder
	for _, m := range e.messages() {
		b.Write(m.raw)
		b.WriteByte('\n')
	}
	return b.String()
}

// abandon ends what a failed scenario left running and reports what it saw.
func (s *scenario) abandon() string {
	for _, e := range s.editors {
		e.kill()
	}
	return s.report()
}

// report shows what each editor received, the logs of the sessions and those of the servers, for whoever reads a failure.
func (s *scenario) report() string {
	var b strings.Builder
	for i, e := range s.editors {
		fmt.Fprintf(&b, "editor %d received:\n%sstderr: %s\n", i+1, e.dump(), e.stderr)
	}
	for _, pattern := range []string{filepath.Join(s.logs(), "*.jsonl"), filepath.Join(s.work, "home", "state", "nodwyn", "*.log")} {
		paths, _ := filepath.Glob(pattern) // a report does without what cannot be listed
		for _, p := range paths {
			text, err := os.ReadFile(p)
			fmt.Fprintf(&b, "%s: %v\n", p, err)
			for line := range strings.Lines(string(text)) {
				fmt.Fprintf(&b, "  %.240s\n", strings.TrimSuffix(line, "\n"))
			}
		}
	}
	return b.String()
}
