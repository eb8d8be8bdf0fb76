package view

import (
	"cmp"
	"maps"
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// The strategies of entries in Course.Landings that are no landings: the person's state that came along, and a sync.
const (
	Carried = "carried"
	Synced  = "synced"
)

// Course is how a session's files came to be what they are: from where it counts, its snapshots, and what was landed, synced and taken back.
type Course struct {
	// Base is the commit from which diffs and landings count.
	Base string
	// Checkpoint is the newest snapshot since Base, or empty.
	Checkpoint string
	// Checkpoints are the snapshots since the last landing of everything, with their turns; after a sync those since it, its own first.
	Checkpoints []event.WorktreeCheckpoint
	// Worked are the turns that changed something since the last landing of everything.
	Worked []int
	// Landing is a landing, or the taking back of one, whose outcome is not on record, or nil.
	Landing *event.WorktreeLand
	// Tried is the last landing that was begun, whatever became of it, or nil.
	Tried *event.WorktreeLand
	// Landings are the landings that stand, oldest first, with the carried state and the syncs that stand in between, which moved the base too.
	Landings []event.WorktreeLand
	// Sync is a sync whose outcome is not on record, or nil.
	Sync *event.WorktreeSync
	// Conflicts are the paths in which syncs may have left conflict markers.
	Conflicts []string
	// Edits are pairs of snapshots, of which the model does not know, between which somebody else than the session changed files.
	Edits [][2]string
	// Rewrite is the commit of a revert since the last request; its record stands before its effect.
	Rewrite string

	start   string // where the session counted from when it began
	turns   map[int]TurnTree
	ends    map[int]turnEnd
	came    []event.WorktreeSync // what came in by syncs, and went with their undoing, in order
	landed  []stand              // before each landing that stands
	synced  []synced             // the syncs that stand
	reverts []reverted
	undone  undone // the last undoing of a revert
}

// stand is where a session stood, to be returned to.
type stand struct {
	base        string
	checkpoints []event.WorktreeCheckpoint
	worked      []int
	conflicts   []string
}

// synced is a sync with where the session stood before it.
type synced struct {
	event  event.WorktreeSync
	before stand
}

func (c *Course) begins(base string) { c.Base, c.start = base, base }

func (c *Course) stand() stand {
	return stand{c.Base, c.Checkpoints, c.Worked, c.Conflicts}
}

func (s *State) applyWorktree(e event.Event) {
	switch p := e.Payload.(type) {
	case event.WorktreeCreate:
		s.WorktreeMade, s.WorktreeRemoved = true, false
		s.Uncommitted, s.Untracked, s.IgnoredCopied = p.Uncommitted, p.Untracked, p.IgnoredCopied
		if p.Carried != "" {
			s.begins(p.Carried)
			s.Landings = []event.WorktreeLand{{Strategy: Carried, Base: p.Carried}}
		}
	case event.WorktreeRestore:
		s.WorktreeMade, s.WorktreeRemoved = true, false
		s.IgnoredCopied = p.IgnoredCopied
		s.Rewrite = "" // the files are those of the newest snapshot, which a revert is once it is on record
	case event.WorktreeRemove:
		s.WorktreeRemoved = true
	case event.WorktreeCheckpoint:
		if !s.Running || p.Turn < s.Turn {
			s.edited(p.Commit)
		}
		s.remember(p)
		s.add(p)
	case event.WorktreeLand:
		if s.land(p) {
			s.Untold = append(s.Untold, p)
		}
	case event.WorktreeSync:
		if s.sync(p) {
			s.Untold = append(s.Untold, p)
		}
	}
}

// edited notes that the files had changed since the newest snapshot, outside of turns.
func (c *Course) edited(now string) {
	c.Edits = append(slices.Clip(c.Edits), [2]string{c.Tip(), now})
}

// add puts a snapshot on top.
func (c *Course) add(p event.WorktreeCheckpoint) {
	c.Checkpoint = p.Commit
	c.Checkpoints = append(slices.Clip(c.Checkpoints), p)
	if !slices.Contains(c.Worked, p.Turn) {
		c.Worked = append(slices.Clip(c.Worked), p.Turn)
	}
}

// land moves the base only when the landing is known to have happened, and back when it is known to be gone. It reports whether something changed.
func (c *Course) land(p event.WorktreeLand) bool {
	c.Tried = &p
	if p.OK == nil {
		c.Landing = &p
		return false
	}
	c.Landing = nil
	if !*p.OK {
		return false
	}
	if p.Undo {
		c.unland()
		return true
	}
	c.landed = append(c.landed, c.stand())
	c.Landings = append(c.Landings, p)
	c.Base = p.Base
	if len(p.Paths) == 0 && len(p.Hunks) == 0 {
		c.Checkpoint, c.Checkpoints, c.Worked = "", nil, nil
	}
	return true
}

// unland stands where the session stood before its last landing, with the snapshots since on top.
func (c *Course) unland() {
	last := len(c.landed) - 1
	if last < 0 || len(c.Landings) == 0 {
		return
	}
	was := c.landed[last]
	c.landed = c.landed[:last]
	c.Landings = c.Landings[:len(c.Landings)-1]
	since := c.Checkpoints
	c.Base, c.Checkpoints, c.Worked = was.base, was.checkpoints, was.worked
	if n := len(was.checkpoints); len(since) >= n && slices.Equal(since[:n], was.checkpoints) {
		since = since[n:] // chosen parts had landed, and the snapshots stayed
	}
	for _, p := range since {
		c.add(p)
	}
	c.Checkpoint = newest(c.Checkpoints)
}

// sync moves the base to what was brought in; the first snapshot since is the sync's own.
func (c *Course) sync(p event.WorktreeSync) bool {
	if p.OK == nil {
		c.Sync = &p
		return false
	}
	c.Sync = nil
	if !*p.OK {
		return false
	}
	if p.Undo {
		c.unsync(p.Commit)
		return true
	}
	c.synced, c.came = append(c.synced, synced{p, c.stand()}), append(c.came, p)
	c.Landings = append(c.Landings, event.WorktreeLand{Strategy: Synced, Previous: p.From, Commit: p.To, Base: p.Base})
	c.Base, c.Checkpoints = p.Base, nil
	c.Conflicts = append(slices.Clip(c.Conflicts), p.Conflicts...)
	c.put(p.Commit)
	return true
}

func (c *Course) unsync(commit string) {
	last := len(c.synced) - 1
	if last < 0 {
		return
	}
	was, went := c.synced[last].before, c.synced[last].event
	c.synced, c.came = c.synced[:last], append(c.came, event.WorktreeSync{From: went.Base, Base: went.From})
	c.Landings = c.Landings[:len(c.Landings)-1]
	c.Base, c.Checkpoints, c.Conflicts = was.base, was.checkpoints, was.conflicts
	c.put(commit)
}

// put is a snapshot that no turn made: it stands for the newest turn.
func (c *Course) put(commit string) {
	if commit == "" {
		return
	}
	turn := 1
	if n := len(c.Worked); n > 0 {
		turn = c.Worked[n-1]
	}
	c.Checkpoint = commit
	c.Checkpoints = append(slices.Clip(c.Checkpoints), event.WorktreeCheckpoint{Turn: turn, Commit: commit})
}

// Carried returns the commit that holds the person's own state which came along; empty when nothing did.
func (c *Course) Carried() string {
	if len(c.Landings) > 0 && c.Landings[0].Strategy == Carried {
		return c.Landings[0].Base
	}
	return ""
}

// LastSync returns the sync that an undo would take back; false when there is none, or something landed since.
func (c *Course) LastSync() (event.WorktreeSync, bool) {
	n, l := len(c.synced), len(c.Landings)
	if n == 0 || l == 0 || c.Landings[l-1].Strategy != Synced {
		return event.WorktreeSync{}, false
	}
	return c.synced[n-1].event, true
}

// LastLanding returns the landing that can be taken back; false when there is none, or a sync came since.
func (c *Course) LastLanding() (event.WorktreeLand, bool) {
	l := len(c.Landings)
	if l == 0 || c.Landings[l-1].Strategy == Synced || c.Landings[l-1].Strategy == Carried {
		return event.WorktreeLand{}, false
	}
	return c.Landings[l-1], true
}

// Tip is the newest snapshot, or the base when nothing was changed since.
func (c *Course) Tip() string { return cmp.Or(c.Checkpoint, c.Base) }

func newest(list []event.WorktreeCheckpoint) string {
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].Commit
}

func (c *Course) clone() Course {
	d := *c
	d.Checkpoints, d.Worked, d.Landings = slices.Clone(c.Checkpoints), slices.Clone(c.Worked), slices.Clone(c.Landings)
	d.Conflicts, d.turns, d.ends = slices.Clone(c.Conflicts), maps.Clone(c.turns), maps.Clone(c.ends)
	d.landed, d.synced, d.reverts, d.came = slices.Clone(c.landed), slices.Clone(c.synced), slices.Clone(c.reverts), slices.Clone(c.came)
	return d
}
