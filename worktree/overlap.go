package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// Work is what one session has changed.
type Work struct {
	// Session is the session's id.
	Session string
	// Base is where it counts from, Tip its newest snapshot or tree.
	Base, Tip string
}

// Overlap is a file that two sessions both change.
type Overlap struct {
	// One and Other are the sessions, in the order in which they were given.
	One, Other string
	// Path is the file as the base of One has it; a new file has its own name.
	Path string
	// Lines are the places that both change, in the file as the base of One has it; none when they change different places. Count is 0 for a place between lines, behind First.
	Lines []ConflictLines
	// Whole is set when at least one of them changes the file other than by lines: adds, deletes, renames it, or changes a binary one or its mode.
	Whole bool
}

// Radar finds where sessions of one repository are about to meet. It remembers what it compared, so that asking again costs only what changed since. It is safe for concurrent use.
type Radar struct {
	repo *Repository

	mu sync.Mutex
	// known holds what is between two trees, guarded by mu.
	known map[[2]string]footprint
}

// NewRadar returns a radar that has seen nothing yet.
func (r *Repository) NewRadar() *Radar {
	return &Radar{repo: r, known: make(map[[2]string]footprint)}
}

// footprint is what changes between two trees, by the path that a file had.
type footprint map[string]mark

// mark is how one file changes.
type mark struct {
	spans []span
	whole bool
}

// Overlaps compares the work of sessions pair by pair and returns the files that two of them change. Sessions may have started from different commits.
func (a *Radar) Overlaps(ctx context.Context, work []Work) ([]Overlap, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	used := make(map[[2]string]footprint)
	prints := make([]footprint, len(work))
	bases := make([]string, len(work))
	for i, w := range work {
		var err error
		if bases[i], err = a.repo.treeOf(ctx, w.Base); err == nil {
			prints[i], err = a.between(ctx, w.Base, w.Tip, used)
		}
		if err != nil {
			return nil, fmt.Errorf("see what session %q changes: %w", w.Session, err)
		}
	}
	var found []Overlap
	for i := range work {
		for j := i + 1; j < len(work); j++ {
			pair, err := a.pair(ctx, [2]Work{work[i], work[j]}, [2]string{bases[i], bases[j]}, [2]footprint{prints[i], prints[j]}, used)
			if err != nil {
				return nil, fmt.Errorf("compare sessions %q and %q: %w", work[i].Session, work[j].Session, err)
			}
			found = append(found, pair...)
		}
	}
	a.known = used // what nobody asked for this time is forgotten
	return found, nil
}

// pair finds the files that two footprints have in common.
func (a *Radar) pair(ctx context.Context, work [2]Work, bases [2]string, prints [2]footprint, used map[[2]string]footprint) ([]Overlap, error) {
	if len(prints[0]) == 0 || len(prints[1]) == 0 {
		return nil, nil
	}
	drift := footprint{} // how the base of one differs from that of the other
	if bases[0] != bases[1] {
		var err error
		if drift, err = a.between(ctx, bases[0], bases[1], used); err != nil {
			return nil, err
		}
	}
	var found []Overlap
	for path, one := range prints[0] {
		other, both := prints[1][path]
		if !both {
			continue
		}
		o := Overlap{One: work[0].Session, Other: work[1].Session, Path: path, Whole: one.whole || other.whole}
		if moved := drift[path]; moved.whole {
			o.Whole = true
		} else if !o.Whole {
			o.Lines = common(one.spans, before(other.spans, moved.spans))
		}
		found = append(found, o)
	}
	slices.SortFunc(found, func(x, y Overlap) int { return strings.Compare(x.Path, y.Path) })
	return found, nil
}

// common returns the places, in old lines, where runs meet.
func common(one, other []span) []ConflictLines {
	var places []ConflictLines
	for _, s := range one {
		for _, t := range other {
			if !s.meet(t) {
				continue
			}
			start, end := max(s.oldStart, t.oldStart), min(s.oldEnd, t.oldEnd)
			place := ConflictLines{First: start, Count: max(end-start, 0)}
			if place.Count == 0 {
				place.First = max(start-1, 1)
			}
			if !slices.Contains(places, place) {
				places = append(places, place)
			}
		}
	}
	return places
}

// before moves runs whose old lines are those of a later version back to an earlier one. A run in lines that only the later version has stands for all that they replaced.
func before(spans, between []span) []span {
	if len(between) == 0 {
		return spans
	}
	moved := make([]span, 0, len(spans))
	for _, s := range spans {
		s.oldStart, s.oldEnd = earlier(s.oldStart, between, false), earlier(s.oldEnd, between, true)
		moved = append(moved, s)
	}
	return moved
}

// earlier moves one border between lines back: to the start of what a change replaced, or for the end of a run to its end.
func earlier(line int, between []span, end bool) int {
	offset := 0
	for _, b := range between {
		if line <= b.newStart {
			break
		}
		if line < b.newEnd || line == b.newEnd && end {
			if end {
				return b.oldEnd
			}
			return b.oldStart
		}
		offset = b.oldEnd - b.newEnd
	}
	return line + offset
}

// between returns what changes between two revisions, from memory if it is there.
func (a *Radar) between(ctx context.Context, from, to string, used map[[2]string]footprint) (footprint, error) {
	var key [2]string
	for i, revision := range [...]string{from, to} {
		var err error
		if key[i], err = a.repo.treeOf(ctx, revision); err != nil {
			return nil, err
		}
	}
	feet, known := used[key]
	if !known {
		feet, known = a.known[key]
	}
	if !known {
		files, err := a.repo.diff(ctx, key[0], key[1], "")
		if err != nil {
			return nil, err
		}
		if feet, err = printOf(files); err != nil {
			return nil, err
		}
	}
	used[key] = feet
	return feet, nil
}

func printOf(files []FileDiff) (footprint, error) {
	feet := make(footprint)
	for _, f := range files {
		spans, err := spansOf(f.Hunks)
		if err != nil {
			return nil, err
		}
		name := f.Path
		if f.OldPath != "" {
			name = f.OldPath
		}
		feet[name] = mark{spans: spans, whole: f.Status != "M" || len(f.Hunks) == 0}
	}
	return feet, nil
}
