package event

// WorktreeCreate says that the planned worktree exists now.
type WorktreeCreate struct {
	Worktree `json:",inline"`
	// Uncommitted counts the repository's changed tracked files that the worktree lacks.
	Uncommitted int `json:"uncommitted"`
	// Untracked counts the repository's untracked files that the worktree lacks.
	Untracked int `json:"untracked"`
}

// WorktreeRestore follows a session.resume that made the missing worktree again.
type WorktreeRestore struct {
	Worktree `json:",inline"`
}

// WorktreeCheckpoint is a snapshot of the tree at a turn's end. There is none when the tree is unchanged.
type WorktreeCheckpoint struct {
	// Turn is the turn that ended.
	Turn int `json:"turn"`
	// Commit is the snapshot commit.
	Commit string `json:"commit"`
	// Ref is the hidden ref that keeps it: refs/nodwyn/<session>/<turn>.
	Ref string `json:"ref"`
	// Files counts the files changed since the snapshot before.
	Files int `json:"files"`
	// Insertions are the lines added since the snapshot before.
	Insertions int `json:"insertions"`
	// Deletions are the lines removed since the snapshot before.
	Deletions int `json:"deletions"`
}

// WorktreeLand is written twice for a landing: before anything moves, without OK, and after, with it. A resume that finds no outcome looks at Into and records it.
type WorktreeLand struct {
	// Strategy is "squash" or "merge".
	Strategy string `json:"strategy"`
	// Into is the target branch.
	Into string `json:"into"`
	// Previous is the target's commit before the landing.
	Previous string `json:"previous"`
	// Commit is the commit that lands.
	Commit string `json:"commit,omitzero"`
	// Base is where the next diff and landing count from.
	Base string `json:"base,omitzero"`
	// OK is absent before the landing, then says whether it happened.
	OK *bool `json:"ok,omitzero"`
	// Conflicts are the paths that stood in the way.
	Conflicts []string `json:"conflicts,omitempty"`
	// Actor is who asked for it.
	Actor string `json:"actor"`
}

// WorktreeRemove says that the worktree and its branch were removed: nothing in them was unlanded, or a person said discard.
type WorktreeRemove struct {
	Worktree `json:",inline"`
}

func (WorktreeCreate) kind() Kind     { return "worktree.create" }
func (WorktreeRestore) kind() Kind    { return "worktree.restore" }
func (WorktreeCheckpoint) kind() Kind { return "worktree.checkpoint" }
func (WorktreeLand) kind() Kind       { return "worktree.land" }
func (WorktreeRemove) kind() Kind     { return "worktree.remove" }
