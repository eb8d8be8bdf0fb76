package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// span is one run of changed lines: where they were, and where they are. Ends lie behind the last line; an empty side is a place between lines.
type span struct {
	oldStart, oldEnd int
	newStart, newEnd int
	hunk             string
}

// spansOf returns the runs of changed lines in hunks, without their context.
func spansOf(hunks []Hunk) ([]span, error) {
	var spans []span
	for _, h := range hunks {
		from, to, err := startsOf(h)
		if err != nil {
			return nil, err
		}
		open := false
		for line := range strings.Lines(h.Text) {
			switch line[0] {
			case '\\':
				continue
			case ' ':
				from, to, open = from+1, to+1, false
				continue
			}
			if !open {
				spans, open = append(spans, span{from, from, to, to, h.ID}), true
			}
			last := &spans[len(spans)-1]
			if line[0] == '-' {
				from++
				last.oldEnd = from
			} else {
				to++
				last.newEnd = to
			}
		}
	}
	return spans, nil
}

// startsOf reads the first lines of both sides from a header. A side without lines is counted from the line before it.
func startsOf(h Hunk) (from, to int, err error) {
	parts := strings.Fields(h.Header)
	if len(parts) < 3 {
		return 0, 0, fmt.Errorf("read hunk: header %q is not of the known form", h.Header)
	}
	var starts [2]int
	for i, part := range [...]string{strings.TrimPrefix(parts[1], "-"), strings.TrimPrefix(parts[2], "+")} {
		start, count := 0, 1
		if n, _ := fmt.Sscanf(part, "%d,%d", &start, &count); n == 0 {
			return 0, 0, fmt.Errorf("read hunk: header %q is not of the known form", h.Header)
		}
		if count == 0 {
			start++
		}
		starts[i] = start
	}
	return starts[0], starts[1], nil
}

// meet reports whether two runs change the same lines, or lines without one between them, which git takes for the same place.
func (s span) meet(other span) bool {
	return s.oldStart <= other.oldEnd && other.oldStart <= s.oldEnd
}

// meetings adds to each conflict where the lines of theirs meet those of ours, both counted from base. It is a help for people, so that an error of its own only leaves it out.
func (r *Repository) meetings(ctx context.Context, conflicts []Conflict, base, ours, theirs string) []Conflict {
	const most = 50 // beyond that nobody reads the lines
	var paths []string
	for _, c := range conflicts[:min(len(conflicts), most)] {
		paths = append(paths, c.Path)
	}
	one, err := r.spans(ctx, base, ours, paths)
	if err != nil {
		return conflicts
	}
	two, err := r.spans(ctx, base, theirs, paths)
	if err != nil {
		return conflicts
	}
	for i, c := range conflicts {
		if c.Kind == untracked || c.Kind == ignored {
			continue // it is in the way as a whole
		}
		conflicts[i].meet(one[c.Path], two[c.Path])
	}
	return conflicts
}

func (c *Conflict) meet(ours, theirs []span) {
	for _, t := range theirs {
		for _, o := range ours {
			if !o.meet(t) {
				continue
			}
			if !slices.Contains(c.Hunks, t.hunk) {
				c.Hunks = append(c.Hunks, t.hunk)
			}
			lines := ConflictLines{First: o.newStart, Count: o.newEnd - o.newStart}
			if lines.Count == 0 {
				lines.First = max(lines.First-1, 1)
			}
			if !slices.Contains(c.Lines, lines) {
				c.Lines = append(c.Lines, lines)
			}
		}
	}
	slices.SortFunc(c.Lines, func(a, b ConflictLines) int { return a.First - b.First })
}

func (r *Repository) spans(ctx context.Context, from, to string, paths []string) (map[string][]span, error) {
	from, err := r.treeOf(ctx, from)
	if err != nil {
		return nil, err
	}
	if to, err = r.treeOf(ctx, to); err != nil {
		return nil, err
	}
	changes, err := r.changes(ctx, from, to, paths)
	if err != nil || len(changes) == 0 {
		return nil, err
	}
	files, err := r.patch(ctx, from, to, changes, paths)
	if err != nil {
		return nil, err
	}
	spans := make(map[string][]span)
	for _, file := range files {
		if spans[file.Path], err = spansOf(file.Hunks); err != nil {
			return nil, err
		}
	}
	return spans, nil
}
