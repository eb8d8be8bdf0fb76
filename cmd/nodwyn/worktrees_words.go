package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/agent"
)

// describeWorktree is what the list says about one: where it is, how it stands, and what becomes of it.
func describeWorktree(s style, t agent.Worktree, now time.Time) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s", s.bold(t.Session), stateOf(t, now))
	if t.Title != "" {
		fmt.Fprintf(&b, ": %s", clipLine(visible(t.Title), 60))
	}
	b.WriteByte('\n')
	where := homely(t.Repository)
	if t.Branch != "" {
		where += ", branch " + t.Branch
	}
	if where != "" {
		fmt.Fprintf(&b, "  %s\n", visible(where))
	}
	fmt.Fprintf(&b, "  %s (%s, %s)\n  %s\n", visible(homely(t.Path)), onDisk(t.Size), age(now.Sub(t.Since)), fate(t, now))
	return b.String()
}

// stateOf says in a few words how a worktree stands.
func stateOf(t agent.Worktree, now time.Time) string {
	switch {
	case t.State == agent.WorktreeOpen && t.Elsewhere:
		return "open in another process"
	case t.State == agent.WorktreeUnlanded, t.State == agent.WorktreeMissing && len(t.Unlanded) > 0, t.State == agent.WorktreeOrphan && len(t.Unlanded) > 0:
		return fmt.Sprintf("%s: %s", t.State, count(len(t.Unlanded), "file"))
	case t.State == agent.WorktreeTrash && !t.Until.IsZero():
		return "trash until " + t.Until.Local().Format(time.DateOnly)
	}
	return t.State
}

// fate says why a worktree is kept, or what a prune does with it.
func fate(t agent.Worktree, now time.Time) string {
	id := short(t.Session)
	keep := fmt.Sprintf("`nodwyn land %s` brings it in, `nodwyn close --discard %s` throws it away", id, id)
	switch t.State {
	case agent.WorktreeOpen:
		return "kept: somebody works in it; it can be removed when the session is closed"
	case agent.WorktreeUnlanded:
		return "kept: its work is nowhere else; " + keep
	case agent.WorktreeLanded:
		return "prune removes it: everything in it has landed"
	case agent.WorktreeEmpty:
		return "prune removes it: the session changed nothing"
	case agent.WorktreeMissing:
		return missingFate(t, keep)
	case agent.WorktreeOrphan:
		return orphanFate(t)
	case agent.WorktreeTrash:
		return trashFate(t, now)
	}
	return "kept: it cannot be judged: " + visible(t.Why)
}

func missingFate(t agent.Worktree, keep string) string {
	if t.Removable {
		return "prune removes its branch: the folder is gone, and everything has landed"
	}
	return "kept: the folder is gone, the work is not: it comes back when the session is taken up again; " + keep
}

func orphanFate(t agent.Worktree) string {
	remove := fmt.Sprintf("`git -C %s worktree remove --force --force %s` removes it with all that is in it", shellWord(t.Repository), shellWord(t.Path))
	switch {
	case t.Removable:
		return "prune removes it: no log tells of it, and there is no work in it"
	case len(t.Unlanded) > 0:
		return "kept: no log tells of it, but there is work in it; look at it, then " + remove
	}
	return "kept: no log tells of it, and it was used within a day; prune removes it later, or " + remove
}

func trashFate(t agent.Worktree, now time.Time) string {
	switch {
	case t.Removable && !now.Before(t.Until):
		return "prune deletes it: it is older than seven days"
	case t.Removable:
		return "prune deletes it: worktrees take more than the quota"
	case t.Until.IsZero():
		return "kept: nodwyn has no other copy of it; look at it, then delete the folder"
	}
	return "kept: it may be wanted back until then"
}

// pruned says what became of one.
func pruned(t agent.Worktree, preview bool) string {
	if !t.Removable {
		return fmt.Sprintf("kept %s after all: %s", t.Session, stateOf(t, time.Now()))
	}
	verb, to := "removed", "into the trash"
	if t.State == agent.WorktreeTrash {
		verb, to = "deleted", "from the trash"
	}
	if preview {
		verb = "would be " + verb
	}
	return fmt.Sprintf("%s %s %s (%s, %s)", t.Session, verb, to, t.State, onDisk(t.Size))
}

// sum compares what everything takes with the quota.
func sum(list agent.Worktrees) string {
	text := fmt.Sprintf("%s of %s", onDisk(list.Total), onDisk(list.Quota))
	if list.Total > list.Quota {
		text += ": over the quota; what is in use or did not land is kept all the same"
	}
	return text
}

// onDisk says a size as people do.
func onDisk(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d B", n)
	}
	value, power := float64(n)/unit, 0
	for value >= unit && power < 4 {
		value, power = value/unit, power+1
	}
	digits := "%.3g" // which would write a thousand as a power of ten
	if value >= 100 {
		digits = "%.0f"
	}
	return fmt.Sprintf(digits+" %ciB", value, "KMGTP"[power])
}

// age says how long ago something was.
func age(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Minute:
		return "just now"
	case d < time.Hour:
		return count(int(d.Minutes()), "minute") + " old"
	case d < day:
		return count(int(d.Hours()), "hour") + " old"
	}
	return count(int(d/day), "day") + " old"
}

// shellWord quotes a path for a command to copy.
func shellWord(path string) string {
	if path != "" && !strings.ContainsFunc(path, func(r rune) bool { return !strings.ContainsRune(shellSafe, r) }) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

const shellSafe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+:@%"
