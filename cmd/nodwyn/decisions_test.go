package main_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestDecisions(t *testing.T) {
	entries, err := os.ReadDir(filepath.Join(root, "adr"))
	if err != nil {
		t.Fatal(err)
	}
	pages := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(root, "adr", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		pages[e.Name()] = string(text)
	}
	if len(pages) < 2 {
		t.Fatal("there are no decisions: the rules would pass on nothing")
	}
	report(t, decisions(pages))
}

func TestDecisionRulesCanFail(t *testing.T) {
	const (
		good  = "# 0001: A choice\n\nStatus: accepted\n\nDate: 2026-11-30\n\n## Context\n\nx\n\n## Decision\n\nx\n\n## Consequences\n\nx\n\n## Rejected\n\nx\n"
		index = "# Decisions\n\n- [0001: A choice](0001-a-choice.md)\n"
	)
	for _, c := range []struct {
		name  string
		pages map[string]string
		want  int
	}{
		{"whole", map[string]string{"README.md": index, "0001-a-choice.md": good}, 0},
		{"not in the index", map[string]string{"README.md": "# Decisions\n", "0001-a-choice.md": good}, 1},
		{"index names one that is not there", map[string]string{"README.md": index + "- [0002: B](0002-b.md)\n", "0001-a-choice.md": good}, 1},
		{"no index", map[string]string{"0001-a-choice.md": good}, 1},
		{"name without a number", map[string]string{"README.md": index, "0001-a-choice.md": good, "b.md": good}, 2},
		{"number left out", map[string]string{"README.md": "- [0002: A choice](0002-a-choice.md)\n", "0002-a-choice.md": strings.Replace(good, "0001", "0002", 1)}, 1},
		{"number taken twice", map[string]string{"README.md": index + "- [0001: A choice](0001-b.md)\n", "0001-a-choice.md": good, "0001-b.md": good}, 1},
		{"another number in the title", map[string]string{"README.md": index, "0001-a-choice.md": strings.Replace(good, "0001", "0003", 1)}, 2},
		{"unknown status", map[string]string{"README.md": index, "0001-a-choice.md": strings.Replace(good, "accepted", "maybe", 1)}, 1},
		{"no date", map[string]string{"README.md": index, "0001-a-choice.md": strings.Replace(good, "2026-11-30", "soon", 1)}, 1},
		{"field missing", map[string]string{"README.md": index, "0001-a-choice.md": strings.Replace(good, "## Rejected", "## Refused", 1)}, 1},
		{"field empty", map[string]string{"README.md": index, "0001-a-choice.md": strings.Replace(good, "## Consequences\n\nx", "## Consequences", 1)}, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := decisions(c.pages); len(got) != c.want {
				t.Errorf("findings: got %q, want %d", got, c.want)
			}
		})
	}
}

var (
	decisionName  = regexp.MustCompile(`^(\d{4})-[a-z0-9]+(-[a-z0-9]+)*\.md$`)
	decisionTitle = regexp.MustCompile(`^# (\d{4}: .+)\n`)
	decisionLinks = regexp.MustCompile(`\[([^\]]+)\]\((\d{4}-[^)]+\.md)\)`)
	// A decision that another one replaced says which.
	decisionHead = regexp.MustCompile(`\n\nStatus: (accepted|proposed|superseded by \d{4})\n\nDate: \d{4}-\d{2}-\d{2}\n\n`)
	decisionBody = regexp.MustCompile(`(?s)\n## Context\n\n[^#\n].*\n## Decision\n\n[^#\n].*\n## Consequences\n\n[^#\n].*\n## Rejected\n\n[^#\n]`)
)

// decisions checks the folder adr: numbers without gaps, the six fields in their order, and an index that names every page by its title.
func decisions(pages map[string]string) []string {
	var found []string
	next := 1
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		if name == "README.md" {
			continue
		}
		if finding := decision(name, pages[name], next); finding != "" {
			found = append(found, "adr/"+name+": "+finding)
		}
		next++
	}
	return append(found, decisionIndex(pages)...)
}

// decision says what is wrong with one page, or nothing.
func decision(name, text string, number int) string {
	want := fmt.Sprintf("%04d", number)
	parts := decisionName.FindStringSubmatch(name)
	if parts == nil || parts[1] != want {
		return "the name must be " + want + "-short-title.md"
	}
	if !strings.HasPrefix(titleOf(text), want+": ") {
		return "the title must be \"# " + want + ": …\""
	}
	if !decisionHead.MatchString(text) || !decisionBody.MatchString(text) {
		return "Status, Date, Context, Decision, Consequences and Rejected must stand in this order, none of them empty"
	}
	return ""
}

// decisionIndex compares the index with the pages, both ways.
func decisionIndex(pages map[string]string) []string {
	var found []string
	linked := map[string]string{}
	for _, link := range decisionLinks.FindAllStringSubmatch(pages["README.md"], -1) {
		linked[link[2]] = link[1]
		if _, ok := pages[link[2]]; !ok {
			found = append(found, fmt.Sprintf("adr/README.md: %s is not there", link[2]))
		}
	}
	for name, text := range pages {
		if name != "README.md" && linked[name] != titleOf(text) {
			found = append(found, fmt.Sprintf("adr/README.md: %s must be in the index as %q", name, titleOf(text)))
		}
	}
	return found
}

func titleOf(text string) string {
	if title := decisionTitle.FindStringSubmatch(text); title != nil {
		return title[1]
	}
	return ""
}
