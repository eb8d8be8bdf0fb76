package worktree

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Hunk is one changed place of a file.
type Hunk struct {
	// ID names the hunk by its path and lines, so that it stays the same while other places of the file change.
	ID string
	// Header is the line that starts with @@ and says where the hunk lies.
	Header string
	// Text is the lines of the hunk with their line ends, each with a space, + or - before it.
	Text string
}

// withHunks gives each file the hunks of its section of the patch. Sections follow the order of the list; a file whose type changed has two, a deletion and an addition.
func withHunks(changes []change, patch string) ([]FileDiff, error) {
	sections := splitPatch(patch)
	files := make([]FileDiff, 0, len(changes))
	for _, c := range changes {
		take := 1
		if c.Status == "T" {
			take = 2
		}
		if len(sections) < take {
			return nil, fmt.Errorf("read patch: it ends before %q", c.Path)
		}
		for _, section := range sections[:take] {
			c.Hunks = append(c.Hunks, section...)
		}
		sections = sections[take:]
		nameHunks(c.Path, c.Hunks)
		files = append(files, c.FileDiff)
	}
	if len(sections) > 0 {
		return nil, fmt.Errorf("read patch: %d files more than listed", len(sections))
	}
	return files, nil
}

// splitPatch returns the hunks of each file section. A line of content always starts with a space, +, - or \, so that no content can pass for a header.
func splitPatch(patch string) [][]Hunk {
	var sections [][]Hunk
	at, start := 0, 0 // where the line ends, and where its hunk's lines start
	for line := range strings.Lines(patch) {
		at += len(line)
		last := len(sections) - 1
		switch {
		case strings.HasPrefix(line, "diff --git "):
			sections = append(sections, nil)
		case last < 0:
		case strings.HasPrefix(line, "@@ "):
			sections[last] = append(sections[last], Hunk{Header: strings.TrimSuffix(line, "\n")})
			start = at
		case len(sections[last]) > 0:
			sections[last][len(sections[last])-1].Text = patch[start:at]
		}
	}
	return sections
}

// nameHunks sets the ids. The same lines may change in the same way at several places of a file; those count up, so that each can be named.
func nameHunks(path string, hunks []Hunk) {
	seen := make(map[string]int)
	for i := range hunks {
		text := hunks[i].Text
		sum := sha256.Sum256(fmt.Appendf(nil, "%s\x00%s", path, text))
		if n := seen[text]; n > 0 {
			sum = sha256.Sum256(fmt.Appendf(nil, "%s\x00%s\x00%d", path, text, n))
		}
		seen[text]++
		hunks[i].ID = hex.EncodeToString(sum[:6])
	}
}
