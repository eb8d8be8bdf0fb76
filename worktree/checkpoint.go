package worktree

import (
	"context"
	"fmt"
)

// CheckpointSpec asks for the snapshot at the end of a turn.
type CheckpointSpec struct {
	// Session is the session's id, which names the refs.
	Session string
	// Turn is the turn that ended.
	Turn int
	// Previous is the newest checkpoint before, or the base commit.
	Previous string
	// Subject is the first line of the snapshot's message.
	Subject string
}

// Checkpoint is a kept snapshot of a session's files.
type Checkpoint struct {
	// Commit is the snapshot commit. Its first parent is the HEAD of the session's tree, its second, if any, holds what was staged.
	Commit string
	// Ref keeps the commit alive: refs/nodwyn/<session>/<turn>.
	Ref string
	// Tree is the tree of the commit.
	Tree string
	// Files counts the files that differ from the snapshot before.
	Files int
	// Insertions are the lines added since the snapshot before.
	Insertions int
	// Deletions are the lines removed since the snapshot before.
	Deletions int
	// LeftOut says in words what the snapshot does not hold: files that could not be read, and the contents of nested repositories.
	LeftOut []string
}

// Checkpoint keeps the session's files as they are now under a hidden ref. It returns nil when nothing changed since the snapshot before. HEAD, index and branch of the tree stay as they are, so that git status there goes on showing the session's work.
func (r *Repository) Checkpoint(ctx context.Context, id Identity, spec CheckpointSpec) (*Checkpoint, error) {
	tree, err := r.checked(id.Path)
	if err != nil {
		return nil, err
	}
	point, err := r.checkpoint(ctx, tree, id, spec)
	if err != nil {
		return nil, fmt.Errorf("checkpoint turn %d of %q: %w", spec.Turn, spec.Session, err)
	}
	return point, nil
}

func (r *Repository) checkpoint(ctx context.Context, tree checkout, id Identity, spec CheckpointSpec) (*Checkpoint, error) {
	snap, err := r.snapshot(ctx, tree)
	if err != nil {
		return nil, err
	}
	before, err := r.treeOf(ctx, spec.Previous)
	if err != nil || snap.tree == before {
		return nil, err
	}
	changes, err := r.changes(ctx, before, snap.tree, nil)
	if err != nil {
		return nil, err
	}
	point := &Checkpoint{Tree: snap.tree, Ref: fmt.Sprintf("refs/nodwyn/%s/%04d", spec.Session, spec.Turn), LeftOut: snap.leftOut}
	point.count(changes)
	if point.Commit, err = r.commitSnapshot(ctx, tree, id, snap, spec.Subject); err != nil {
		return nil, err
	}
	return point, r.keep(ctx, point.Ref, point.Commit)
}

func (c *Checkpoint) count(changes []change) {
	c.Files = len(changes)
	for _, change := range changes {
		c.Insertions += change.Insertions
		c.Deletions += change.Deletions
		if change.repository {
			c.LeftOut = append(c.LeftOut, fmt.Sprintf("%q is a repository of its own; only its commit is noted", change.Path))
		}
	}
}

// commitSnapshot makes the commit of a snapshot. It carries our own name: it is a record of ours, not a commit of the person's.
func (r *Repository) commitSnapshot(ctx context.Context, tree checkout, id Identity, snap snapshot, subject string) (string, error) {
	_, head, err := r.head(ctx, tree.at)
	if err != nil {
		return "", err
	}
	if head == "" {
		head = id.BaseCommit
	}
	parents := []string{head}
	committed, err := r.treeOf(ctx, head)
	if err != nil {
		return "", err
	}
	if snap.index != "" && snap.index != committed {
		staged, err := r.commitTree(ctx, r.mainPlace().with(ours...), snap.index, "staged", head)
		if err != nil {
			return "", err
		}
		parents = append(parents, staged)
	}
	return r.commitTree(ctx, r.mainPlace().with(ours...), snap.tree, subject, parents...)
}

// ours is the identity of snapshots, as environment.
var ours = []string{
	"GIT_AUTHOR_NAME=nodwyn", "GIT_AUTHOR_EMAIL=" + ourEmail,
	"GIT_COMMITTER_NAME=nodwyn", "GIT_COMMITTER_EMAIL=" + ourEmail,
}

// ourEmail is by what a commit of ours is known.
const ourEmail = "nodwyn@nodwyn.invalid"

// commitTree writes a commit object and no ref.
func (r *Repository) commitTree(ctx context.Context, at place, tree, message string, parents ...string) (string, error) {
	args := []string{"commit-tree", tree, "-F", "-"}
	for _, parent := range parents {
		args = append(args, "-p", parent)
	}
	return r.change(ctx, at, []byte(message+"\n"), args...)
}

// keep points a hidden ref at a commit, wherever it pointed before: a snapshot that a crash kept off the record gives way to the next one of its turn.
func (r *Repository) keep(ctx context.Context, ref, commit string) error {
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	return r.keepLocked(ctx, ref, commit)
}

func (r *Repository) keepLocked(ctx context.Context, ref, commit string) error {
	old, err := r.refCommit(ctx, ref)
	if err != nil {
		return err
	}
	return r.setRef(ctx, ref, commit, old)
}
