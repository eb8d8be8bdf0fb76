package event

// WorktreeCreate says that the planned worktree exists now.
type WorktreeCreate struct {
	Worktree `json:",inline"`
	// Uncommitted counts the repository's changed tracked files that the worktree lacks.
	Uncommitted int `json:"uncommitted"`
	// Untracked counts the repository's untracked files that the worktree lacks.
	Untracked int `json:"untracked"`
	// Carried is the commit that holds the person's own state which came along; diffs and landings count from it.
	Carried string `json:"carried,omitzero"`
	// IgnoredCopied are the ignored files of the person's that were copied, the first hundred.
	IgnoredCopied []string `json:"ignored_copied,omitempty"`
}

// WorktreeRestore follows a session.resume that made the missing worktree again.
type WorktreeRestore struct {
	Worktree `json:",inline"`
	// IgnoredCopied are the ignored files of the person's that were copied again, the first hundred.
	IgnoredCopied []string `json:"ignored_copied,omitempty"`
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

// WorktreeSync brings the moved target into the worktree. It is written twice, like a landing: before any file changes, without OK, and after, with it.
type WorktreeSync struct {
	// From is the commit from which diffs and landings counted before.
	From string `json:"from"`
	// To is the commit that is brought in.
	To string `json:"to"`
	// Base is the commit from which diffs and landings count afterwards, also when files conflict: To, or a commit on it that holds the person's carried state beside it.
	Base string `json:"base,omitzero"`
	// Commit is the snapshot that the worktree becomes.
	Commit string `json:"commit,omitzero"`
	// OK is absent before, then says whether it happened.
	OK *bool `json:"ok,omitzero"`
	// Conflicts are the paths that both changed; those of them that git merges by lines hold conflict markers then.
	Conflicts []string `json:"conflicts,omitempty"`
	// Undo says that the last sync is taken back: From and To are its own.
	Undo bool `json:"undo,omitzero"`
	// Actor is who asked for it.
	Actor string `json:"actor"`
}

// WorktreeLand is written twice for a landing and for taking one back: before anything moves, without OK, and after, with it. A resume that finds no outcome looks at what became of it and records that.
type WorktreeLand struct {
	// Strategy is "squash", "merge", "rebase", "patch" or "branch".
	Strategy string `json:"strategy"`
	// Into is the target branch.
	Into string `json:"into"`
	// Previous is the target's commit before the landing.
	Previous string `json:"previous"`
	// Commit is the commit that lands; of a patch it is a commit of ours that holds what is written into the checkout.
	Commit string `json:"commit,omitzero"`
	// Base is where the next diff and landing count from.
	Base string `json:"base,omitzero"`
	// Paths are the chosen files and folders that land; absent, with Hunks, when everything does.
	Paths []string `json:"paths,omitempty"`
	// Hunks are the ids of the chosen hunks that land.
	Hunks []string `json:"hunks,omitempty"`
	// Undo says that this landing, the last one, is taken back; the other fields are its own.
	Undo bool `json:"undo,omitzero"`
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
func (WorktreeSync) kind() Kind       { return "worktree.sync" }
func (WorktreeLand) kind() Kind       { return "worktree.land" }
func (WorktreeRemove) kind() Kind     { return "worktree.remove" }
