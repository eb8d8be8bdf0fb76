package view

import (
	"cmp"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// TurnTree names the snapshots before and after a turn.
type TurnTree struct{ Before, After string }

// turnEnd is how the files stood when a turn was over: its newest snapshot, and how much had come in by syncs.
type turnEnd struct {
	tip  string
	came int
}

// remember keeps what a turn changed, also when its snapshot is taken again.
func (c *Course) remember(p event.WorktreeCheckpoint) {
	if c.turns == nil {
		c.turns = make(map[int]TurnTree)
	}
	before := c.Tip()
	if was, again := c.turns[p.Turn]; again {
		before = was.Before
	}
	c.turns[p.Turn] = TurnTree{Before: before, After: p.Commit}
	c.ended(p.Turn, p.Commit)
}

// ended keeps where a turn left the files. A turn that changed nothing has an end too: files may have been taken back, or brought in, since the one before it.
func (c *Course) ended(turn int, tip string) {
	if c.ends == nil {
		c.ends = make(map[int]turnEnd)
	}
	c.ends[turn] = turnEnd{tip, len(c.came)}
}

// EndOf returns the snapshot of the files at the end of a turn, and what syncs brought in and undoing them took away since then; for 0 where the session began.
func (c *Course) EndOf(turn int) (string, []event.WorktreeSync) {
	last := 0
	for n := range c.ends {
		if n <= turn && n > last {
			last = n
		}
	}
	end := c.ends[last]
	var since []event.WorktreeSync
	for _, s := range c.came[end.came:] {
		if n := len(since) - 1; n >= 0 && since[n].From == s.Base && since[n].Base == s.From {
			since = since[:n] // it came and went
			continue
		}
		since = append(since, s)
	}
	return cmp.Or(end.tip, c.start), since
}

// TurnTree returns the snapshots before and after a turn; false when the turn changed nothing.
func (c *Course) TurnTree(turn int) (TurnTree, bool) {
	t, ok := c.turns[turn]
	return t, ok
}
