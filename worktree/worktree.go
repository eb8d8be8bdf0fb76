// Package worktree gives a session a linked git worktree of its own and takes its work home: plan, carry, create, equip, restore, checkpoint, diff, revert, sync, land and take back, settle, remove.
//
// go-git answers the small reads (refs, HEAD, trees of commits); every change of a ref, an index or a working tree is made by the git binary through the Git it is given, because only git takes git's own locks and runs its filters. The one lock taken here is that on the index of a checkout that moves, by git's own rule, because it has to hold over several commands.
//
// Invariant: no process is started here; only the given Git starts one.
// Invariant: nothing but Apply and Unland changes the person's checkout, and what a process that died in them left half done is finished or taken back by Recover; the steps are listed at advance.
// Invariant: the person's git is kept away by its own lock while their checkout changes, and no lock of anybody else is ever removed.
// Invariant: a commit that enters the person's history is never a snapshot; a snapshot is reachable only from refs/nodwyn/ and, after Settle, from the session's own branch.
// Invariant: nothing is dropped before a ref holds it; removal renames into a trash folder and keeps a recovery ref.
package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
)

// Git runs one git command in dir and returns its standard output. The implementation drops every GIT_* variable of its own process, adds env last, pins the flags that keep repository configuration from running programs, ends the process group with ctx and caps the output. An error of git itself offers ExitCode() int and Stderr() string, and the output is returned with it.
type Git interface {
	Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error)
}

// Identity is what a session log records of its worktree; everything here that works on a worktree starts from it.
type Identity struct {
	// Repository is the absolute main working tree, or the git folder of a repository without one.
	Repository string
	// Path is the absolute folder of the session's tree, free of symbolic links.
	Path string
	// Branch is the session's own branch, without refs/heads/.
	Branch string
	// Base is the branch that landing goes to by default; empty when HEAD was detached.
	Base string
	// BaseCommit is the full object id that the session starts from.
	BaseCommit string
}

// Repository is one git repository, known by its common folder. It is safe for concurrent use; whoever opens it keeps one per CommonDir, because the order of writes is kept per Repository value.
type Repository struct {
	git     Git
	common  string
	root    string
	bare    bool
	version Version
	// writes holds one token; who has taken it may change refs and the list of worktrees. A channel, not a mutex, so that waiting ends with the context.
	writes chan struct{}
}

// Root returns the main working tree, or the common folder when the repository has none.
func (r *Repository) Root() string { return r.root }

// CommonDir returns the git folder that all worktrees of the repository share, free of symbolic links.
func (r *Repository) CommonDir() string { return r.common }

// AdminDir returns the folder in which git keeps what belongs to the worktree of a session alone: its HEAD and its index.
func (r *Repository) AdminDir(id Identity) (string, error) {
	tree, err := r.checked(id.Path)
	return tree.admin, err
}

// Version returns the version of the git binary.
func (r *Repository) Version() Version { return r.version }

// Hash returns a short name of the repository for folders that hold what belongs to it.
func (r *Repository) Hash() string {
	sum := sha256.Sum256([]byte(r.common))
	return hex.EncodeToString(sum[:6])
}
