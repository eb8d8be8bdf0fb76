package view

import (
	"slices"

	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// reverted is a revert with the snapshots that it put aside; they are of no use once something landed or was synced.
type reverted struct {
	event  event.SessionRevert
	aside  []event.WorktreeCheckpoint
	worked []int // before it
	course int   // how many landings and syncs there were
	turn   int   // the last one then
	cut    bool  // that it was cut off, and could have been taken up
}

// undone is the undoing of a revert, with where the files stood before it.
type undone struct {
	revert              reverted
	before              stand
	checkpoint, rewrite string
}

// revert puts the snapshots aside that a whole turn's revert takes back; of the files it is one more snapshot.
func (s *State) revert(p event.SessionRevert) {
	if p.Before != "" && p.Actor != event.SelfActor {
		s.edited(p.Before)
	}
	if p.What != "files" { // what the model was told may be gone from its window, or be there twice
		s.Env = false
		clear(s.Instructions)
	}
	switch {
	case p.Undo:
		s.unrevert(p)
	case p.Actor == event.SelfActor:
		s.unundo()
	default:
		s.takeBack(p)
	}
	s.news(p)
}

// news keeps what the model is to hear of a revert: nothing of one that could not be carried out, and of the turns that left its window again what they were told.
func (s *State) news(p event.SessionRevert) {
	if p.Actor == event.SelfActor {
		s.Untold = s.Untold[:max(len(s.Untold)-1, 0)]
		return
	}
	if !p.Undo && p.What != "files" && p.ToTurn != nil {
		s.untell(*p.ToTurn)
	}
	s.Untold = append(slices.Clip(s.Untold), p)
}

func (s *State) takeBack(p event.SessionRevert) {
	r := reverted{event: p, worked: s.Worked, course: len(s.Landings), turn: s.Turn, cut: s.Cut}
	if p.What != "files" && p.ToTurn != nil && *p.ToTurn < s.Turn {
		s.Cut = false
	}
	if p.Commit != "" && p.Path == "" && p.Hunk == "" {
		to := 0
		if p.ToTurn != nil {
			to = *p.ToTurn
		}
		n := 0
		for n < len(s.Checkpoints) && s.Checkpoints[n].Turn <= to {
			n++
		}
		s.Checkpoints, r.aside = s.Checkpoints[:n:n], s.Checkpoints[n:]
		s.Worked = slices.DeleteFunc(slices.Clone(s.Worked), func(turn int) bool { return turn > to })
	}
	s.reverts = append(s.reverts, r)
	s.rewrite(p.Commit)
}

func (s *State) unrevert(p event.SessionRevert) {
	last := len(s.reverts) - 1
	if last < 0 {
		return
	}
	r := s.reverts[last]
	s.undone = undone{r, s.stand(), s.Checkpoint, s.Rewrite}
	if r.course == len(s.Landings) {
		n := slices.IndexFunc(s.Checkpoints, func(c event.WorktreeCheckpoint) bool { return c.Commit == r.event.Commit })
		if n >= 0 {
			s.Checkpoints = slices.Concat(s.Checkpoints[:n], r.aside, s.Checkpoints[n+1:])
			s.Checkpoint = newest(s.Checkpoints)
		}
		s.Worked = slices.Compact(slices.Sorted(slices.Values(slices.Concat(r.worked, s.Worked))))
	}
	s.reverts = s.reverts[:last]
	s.Cut = s.Cut || r.cut && r.turn == s.Turn
	if p.Actor == event.SelfActor {
		s.Rewrite = ""
	}
	s.rewrite(p.Commit)
}

// unundo stands where the session stood before the last undoing, which could not be carried out.
func (s *State) unundo() {
	u := s.undone
	if u.revert.event.What == "" {
		return
	}
	s.Checkpoint, s.Checkpoints, s.Worked, s.Rewrite = u.checkpoint, u.before.checkpoints, u.before.worked, u.rewrite
	if u.revert.turn == s.Turn && u.revert.event.What != "files" {
		s.Cut = false
	}
	s.reverts = append(slices.Clip(s.reverts), u.revert)
}

func (c *Course) rewrite(commit string) {
	if commit != "" {
		c.Rewrite = commit
		c.put(commit)
	}
}

// LastRevert returns the revert that an undo would take back; false when there is none.
func (c *Course) LastRevert() (event.SessionRevert, bool) {
	if n := len(c.reverts); n > 0 {
		return c.reverts[n-1].event, true
	}
	return event.SessionRevert{}, false
}

// Unrecorded returns the record that takes a revert back, or the undoing of one, which is on record and could not be carried out.
func (c *Course) Unrecorded(commit string) event.SessionRevert {
	back := c.undone.revert.event
	if last, ok := c.LastRevert(); ok && last.Commit == commit {
		back = last
		back.Undo, back.Before, back.Commit = true, "", ""
	}
	back.Actor = event.SelfActor
	return back
}
