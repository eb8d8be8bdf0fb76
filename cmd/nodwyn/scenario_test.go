package main_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const maxScenarioLines = 60

func TestScenarioStyle(t *testing.T) {
	paths, err := filepath.Glob("testdata/script/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatal("there are no scenarios")
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		report(t, scenario(filepath.Base(path), string(text)))
	}
}

func TestScenarioRulesCanFail(t *testing.T) {
	const good = "# It holds.\nserve\n-- reply.txt --\nsleep 1\n"
	for _, c := range []struct {
		name, file, text string
		want             int
	}{
		{"whole, with a sleep in what the model says", "guard_holds.txtar", good, 0},
		{"no area", "holds.txtar", good, 1},
		{"no prose first", "guard_holds.txtar", "serve\n", 1},
		{"no sentence", "guard_holds.txtar", "# holds\nserve\n", 1},
		{"too long", "guard_holds.txtar", good + strings.Repeat("\n", maxScenarioLines), 1},
		{"sleep", "guard_holds.txtar", "# It holds.\nserve\nexec sleep 1\n", 1},
		{"sleep in the background", "guard_holds.txtar", "# It holds.\n[linux] exec sleep 1 &\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := scenario(c.file, c.text); len(got) != c.want {
				t.Errorf("findings: got %q, want %d", got, c.want)
			}
		})
	}
}

var (
	scenarioName  = regexp.MustCompile(`^[a-z]+(_[a-z0-9]+)+\.txtar$`)
	scenarioProse = regexp.MustCompile(`^# \S.*\.\n`)
	scenarioSleep = regexp.MustCompile(`(?m)^[^#\n]*\bexec sleep\b`)
)

// scenario checks that a scenario can be read at a glance and waits for events only.
func scenario(name, text string) []string {
	var found []string
	if !scenarioName.MatchString(name) {
		found = append(found, fmt.Sprintf("%s: the name is not AREA_BEHAVIOUR.txtar", name))
	}
	if !scenarioProse.MatchString(text) {
		found = append(found, fmt.Sprintf("%s: the first line must say in a sentence what holds", name))
	}
	if n := strings.Count(text, "\n"); n > maxScenarioLines {
		found = append(found, fmt.Sprintf("%s: %d lines, more than %d: split it", name, n, maxScenarioLines))
	}
	if script, _, _ := strings.Cut(text, "\n-- "); scenarioSleep.MatchString(script) {
		found = append(found, fmt.Sprintf("%s: it sleeps: await an event", name))
	}
	return found
}
