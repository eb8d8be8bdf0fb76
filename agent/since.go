package agent

import (
	"context"
	"fmt"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// since tells the model what happened to its work since its last turn: what landed, came in or was taken back, what somebody else edited, and what runs beside it. Those edits get a snapshot of their own first, so that no turn counts them as its own.
func (t *Turn) since(ctx context.Context, before view.State) ([]event.Payload, error) {
	var lines []string
	for _, p := range before.Untold {
		lines = append(lines, told(p, before)...)
	}
	edits, err := t.personEdits(ctx, before)
	if err != nil {
		return nil, err
	}
	lines = append(append(lines, edits...), beside(t.s.guard.Background())...)
	if len(lines) == 0 {
		return nil, nil
	}
	text := "Since your last turn\n- " + strings.Join(lines, "\n- ") + "\n"
	return []event.Payload{textAttach(t.n, "instructions", "text", "", []byte(text))}, nil
}

// personEdits says what changed in the worktree outside of turns. A turn that was cut off may have changed it too.
func (t *Turn) personEdits(ctx context.Context, before view.State) ([]string, error) {
	s := t.s
	if s.repo == nil || before.Turn == 0 {
		return nil, nil
	}
	torn := before.Running || before.Torn
	files, _, err := s.repo.PersonEdits(ctx, s.tree, before.Tip())
	if err != nil {
		return nil, fmt.Errorf("see what was edited since the last turn: %w", err)
	}
	if len(files) > 0 && !torn { // what a turn that was cut off wrote is proved by the one that takes it up
		if err := s.checkpoint(ctx, before.Turn); err != nil {
			return nil, err
		}
	}
	for _, span := range before.Edits {
		earlier, err := s.repo.Diff(ctx, span[0], span[1], "")
		if err != nil {
			return nil, fmt.Errorf("see what was edited since the last turn: %w", err)
		}
		files = append(files, earlier...)
	}
	if len(files) == 0 {
		return nil, nil
	}
	who := "the person edited files in this tree; keep those edits unless you are asked to change them: "
	if torn {
		who = "files changed in this tree, by the turn that was cut off or by the person: "
	}
	return []string{who + changes(files)}, nil
}

// beside says which commands run, or ended unseen, in the background.
func beside(list []guard.Background) []string {
	var lines []string
	for _, b := range list {
		switch {
		case b.Running:
			lines = append(lines, fmt.Sprintf("still running in the background, and free to change files: %s, %s", b.ID, b.Line))
		case b.Unseen:
			lines = append(lines, fmt.Sprintf("ended in the background: %s, %s; shell-output says how", b.ID, b.Line))
		}
	}
	return lines
}

// changes lists files in one line.
func changes(files []worktree.FileDiff) string {
	const shown = 50
	var words []string
	for _, f := range files[:min(len(files), shown)] {
		words = append(words, fmt.Sprintf("%s %s (+%d -%d)", f.Status, f.Path, f.Insertions, f.Deletions))
	}
	if more := len(files) - shown; more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// told says in words what an event means to the model.
func told(p event.Payload, st view.State) []string {
	switch p := p.(type) {
	case event.WorktreeLand:
		return []string{toldLanding(p)}
	case event.WorktreeSync:
		return toldSync(p)
	case event.SessionRevert:
		return []string{toldRevert(p)}
	}
	return nil
}

func toldLanding(p event.WorktreeLand) string {
	what := "the work of this tree"
	if len(p.Paths)+len(p.Hunks) > 0 {
		what = "a part of the work of this tree (the person left the rest out): " + strings.Join(append(append([]string{}, p.Paths...), hunkNames(p.Hunks)...), ", ")
	}
	if p.Undo {
		return fmt.Sprintf("the person took the landing on %s back; its work counts as not landed again", p.Into)
	}
	return fmt.Sprintf("%s landed on %s (%s); what you change now comes on top of it", what, p.Into, p.Strategy)
}

func hunkNames(ids []string) []string {
	var names []string
	for _, id := range ids {
		names = append(names, "hunk "+id)
	}
	return names
}

func toldSync(p event.WorktreeSync) []string {
	if p.Undo {
		return []string{"the person took the last sync back: what had come in from the branch is gone from this tree"}
	}
	lines := []string{fmt.Sprintf("newer commits of the branch, up to %.12s, were merged into this tree; read files again before you change them", p.To)}
	if len(p.Conflicts) > 0 {
		lines = append(lines, "that left conflicts, with markers in the files where both sides changed the same lines: "+strings.Join(firstOf(p.Conflicts), ", "))
	}
	return lines
}

func toldRevert(p event.SessionRevert) string {
	if p.Undo {
		return "the person undid their last revert: what it had taken back is there again (" + revertedPart(p) + ")"
	}
	if p.What == "chat" {
		return "the person took back " + revertedPart(p) + "; files may differ from what you see here, so read them again before you change them"
	}
	return "the person took back " + revertedPart(p) + "; do not do that again unless you are asked to"
}

func revertedPart(p event.SessionRevert) string {
	to := "where the work began"
	if p.ToTurn != nil && *p.ToTurn > 0 {
		to = fmt.Sprintf("the end of turn %d", *p.ToTurn)
	}
	switch {
	case p.What == "chat":
		return "what was said after " + to + ", and no file"
	case p.Hunk != "":
		return fmt.Sprintf("one hunk of your change of %s", p.Path)
	case p.Path != "":
		return fmt.Sprintf("your change of %s, to %s", p.Path, to)
	case p.What == "both":
		return "everything that was said and changed after " + to
	}
	return "every change of files after " + to
}
