package main_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	count := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules", "testdata"}, d.Name()) {
			return fs.SkipDir
		}
		if d.IsDir() || filepath.Ext(path) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		count++
		for _, line := range wrapped(string(text)) {
			t.Errorf("%s:%d: a paragraph goes on over the line end: one paragraph is one line", filepath.ToSlash(path), line)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if count == 0 {
		t.Error("no Markdown file was looked at")
	}
}

func TestWrappedRuleCanFail(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []int
	}{
		{"paragraph over two lines", "one\ntwo", []int{2}},
		{"paragraph over three lines", "one\ntwo\nthree", []int{2, 3}},
		{"forced break", "one  \ntwo", []int{2}},
		{"list item that goes on", "- one\n  two", []int{2}},
		{"numbered item that goes on", "1. one\n   two", []int{2}},
		{"quote over two lines", "> one\n> two", []int{2}},
		{"line after a closed fence's paragraph", "```\ncode\n```\n\none\ntwo", []int{6}},
		{"paragraphs apart", "one\n\ntwo", nil},
		{"heading and paragraph", "# One\ntwo", nil},
		{"underlined heading", "One\n===\ntwo", nil},
		{"table", "| a | b |\n|---|---|\n| c | d |", nil},
		{"list", "- one\n- two\n  - three\n1. four\n2) five", nil},
		{"code fence", "```go\none\ntwo\n```", nil},
		{"longer fence around a shorter one", "````\n```\none\ntwo\n```\nthree\nfour\n````", nil},
		{"fence in a list", "- one\n\n  ~~~\n  two\n  three\n  ~~~", nil},
		{"indented code", "one\n\n    two\n    three", nil},
		{"link definitions", "[a]: b\n[c]: d", nil},
		{"comment", "<!-- one\ntwo\nthree -->\nfour", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := wrapped(c.text); !slices.Equal(got, c.want) {
				t.Errorf("lines: got %v, want %v", got, c.want)
			}
		})
	}
}

var (
	fenceLine = regexp.MustCompile("^\\s*(`{3,}|~{3,})")
	// Each of these can stand directly below another line without going on with it.
	ownLine = regexp.MustCompile(`^\s*(#{1,6}\s|\||<|\[[^\]]+\]:\s|(=+|-+|\*\*\*+|___+)\s*$)`)
	item    = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s`)
)

// wrapped returns the numbers of the lines that go on with the paragraph, list item or quote of the line before them.
func wrapped(text string) []int {
	var found []int
	fence, comment, inText, afterBlank := "", false, false, true
	for i, line := range strings.Split(text, "\n") {
		mark := strings.TrimSpace(fenceLine.FindString(line))
		switch {
		case fence != "":
			if strings.HasPrefix(mark, fence) {
				fence = ""
			}
			inText = false
		case comment || strings.HasPrefix(strings.TrimSpace(line), "<!--"):
			comment, inText = !strings.Contains(line, "-->"), false
		case mark != "":
			fence, inText = mark, false
		case strings.TrimSpace(line) == "":
			inText = false
		case item.MatchString(line):
			inText = true
		case ownLine.MatchString(line):
			inText = false
		case afterBlank && strings.HasPrefix(line, "    "):
			inText = false
			continue // the next line is still behind the blank one: indented code goes on
		default:
			if inText {
				found = append(found, i+1)
			}
			inText = true
		}
		afterBlank = strings.TrimSpace(line) == ""
	}
	return found
}

// TestArchitecturePage holds the page to the table: a package that it does not name is a package that a newcomer cannot place.
func TestArchitecturePage(t *testing.T) {
	page, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, unnamed(string(page), layers()))
}

func TestArchitectureRuleCanFail(t *testing.T) {
	table := map[string][]string{"rpc": nil, "agent": nil}
	if got := unnamed("| `rpc` | the wire |", table); len(got) != 1 {
		t.Errorf("findings with agent missing: got %q, want 1", got)
	}
	if got := unnamed("| `rpc` | the wire |\n| `agent` | the loop |", table); got != nil {
		t.Errorf("findings in a whole page: got %q, want none", got)
	}
}

func unnamed(page string, table map[string][]string) []string {
	var found []string
	for pkg := range table {
		if !strings.Contains(page, "\n| `"+pkg+"` |") && !strings.HasPrefix(page, "| `"+pkg+"` |") {
			found = append(found, fmt.Sprintf("ARCHITECTURE.md: the table has no row for %s", pkg))
		}
	}
	return found
}
