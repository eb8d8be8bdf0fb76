package agent

import (
	"slices"
	"testing"
	"time"
)

func TestMarkTrash(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	trash := func(name string, days int) Worktree {
		since := now.AddDate(0, 0, -days)
		return Worktree{Path: name, State: WorktreeTrash, Size: 10, Since: since, Until: since.Add(trashAge), Removable: true}
	}
	endless := trash("endless", 100)
	endless.Until = time.Time{}
	landed := Worktree{Path: "landed", State: WorktreeLanded, Size: 10, Since: now.AddDate(-1, 0, 0), Removable: true}
	unlanded := Worktree{Path: "unlanded", State: WorktreeUnlanded, Size: 1000, Since: now.AddDate(-1, 0, 0)}
	for name, c := range map[string]struct {
		list         []Worktree
		total, quota int64
		want         []string
	}{
		"within the quota only what is old goes": {[]Worktree{trash("young", 6), trash("old", 7), trash("older", 8)}, 100, 100, []string{"old", "older"}},
		"over it the oldest go until it fits":    {[]Worktree{trash("a", 1), trash("c", 3), trash("b", 2)}, 111, 100, []string{"b", "c"}},
		"what is old counts first":               {[]Worktree{trash("young", 1), trash("old", 9)}, 105, 100, []string{"old"}},
		"what has no end stays":                  {[]Worktree{endless, trash("young", 1)}, 1000, 100, []string{"young"}},
		"nothing but trash is marked":            {[]Worktree{landed, unlanded, trash("young", 0)}, 1000, 100, []string{"landed", "young"}},
		"a clock that was set back keeps":        {[]Worktree{trash("future", -30)}, 100, 100, nil},
	} {
		t.Run(name, func(t *testing.T) {
			markTrash(c.list, c.total, c.quota, now)
			var got []string
			for _, w := range c.list {
				if w.Removable {
					got = append(got, w.Path)
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, c.want) {
				t.Errorf("removable: got %q, want %q", got, c.want)
			}
		})
	}
}
