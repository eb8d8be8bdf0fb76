package agent

import (
	"cmp"
	"context"
	"time"

	"github.com/nodwyn/nodwyn/worktree"
)

// The states of a Worktree.
const (
	// WorktreeOpen is that of a session which is open, here or in another process.
	WorktreeOpen = "open"
	// WorktreeUnlanded holds work that is nowhere else.
	WorktreeUnlanded = "unlanded"
	// WorktreeLanded holds nothing that its target does not have.
	WorktreeLanded = "landed"
	// WorktreeEmpty belongs to a session that changed nothing.
	WorktreeEmpty = "empty"
	// WorktreeMissing has lost its folder; resuming the session restores it.
	WorktreeMissing = "missing"
	// WorktreeOrphan has no log.
	WorktreeOrphan = "orphan"
	// WorktreeTrash was removed, and is deleted later.
	WorktreeTrash = "trash"
	// WorktreeUnreadable cannot be judged.
	WorktreeUnreadable = "unreadable"
)

// trashAge is how long something stays in the trash.
const trashAge = 7 * 24 * time.Hour

// orphanAge is how long nothing may have happened in a tree without a log and without work before it is removed: the log may be that of somebody who keeps it elsewhere.
const orphanAge = 24 * time.Hour

// Worktree is one worktree that nodwyn knows of: from a log, from the folders of its worktrees, or from git's list.
type Worktree struct {
	Session    string `json:"session"`
	Title      string `json:"title,omitempty"`
	Repository string `json:"repository,omitempty"`
	Branch     string `json:"branch,omitempty"`
	Path       string `json:"path"`
	State      string `json:"state"`
	// Unlanded are the paths of the work that would be lost.
	Unlanded []string `json:"unlanded,omitempty"`
	// Why says what keeps an unreadable one from being judged.
	Why string `json:"why,omitempty"`
	// Elsewhere says that it is another process that has the session open.
	Elsewhere bool `json:"openElsewhere,omitzero"`
	// Size is about what it takes on disk, in bytes.
	Size int64 `json:"size"`
	// Since is when something last happened in it, or when it came into the trash.
	Since time.Time `json:"since"`
	// Until is when the trash lets go of it; zero for what is not in the trash, and for what stays there until somebody deletes it.
	Until time.Time `json:"until,omitzero"`
	// Removable says that a prune takes it away.
	Removable bool `json:"removable"`

	common string // of an orphan or something in the trash
	trash  worktree.Trashed
}

// Worktrees is a list of them.
type Worktrees struct {
	// Worktrees are grouped by repository, the newest first in each, the trash behind the others.
	Worktrees []Worktree
	// Total is what all of them take on disk, also those that were not asked for.
	Total int64
	// Quota is what they may take.
	Quota int64
}

// Worktrees judges every worktree as it is at this moment and changes nothing. Repo keeps those of one repository; empty keeps all.
func (a *Agent) Worktrees(ctx context.Context, repo string) (Worktrees, error) {
	s := a.survey(repo)
	if err := s.run(ctx); err != nil {
		return Worktrees{}, err
	}
	return s.result(ctx)
}

func (a *Agent) quota() int64 { return cmp.Or(a.cfg.Worktrees.Quota, DefaultQuota) }
