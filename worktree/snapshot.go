package worktree

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// snapshot is the content of a tree at one moment.
type snapshot struct {
	tree string
	// index is the tree of what was staged; empty when it holds unmerged files and so is no tree.
	index string
	// leftOut holds git's words on files that it could not read.
	leftOut []string
	// missed are the paths of those files, and of nested repositories without a commit.
	missed []string
}

// Tree returns the tree id of the session's files as they are now: everything but ignored files. Index, HEAD and refs stay as they are.
func (r *Repository) Tree(ctx context.Context, id Identity) (string, error) {
	tree, err := r.checked(id.Path)
	if err != nil {
		return "", err
	}
	snap, err := r.snapshot(ctx, tree)
	return snap.tree, err
}

// snapshot takes everything but ignored files, of what the status names or else of the whole tree.
func (r *Repository) snapshot(ctx context.Context, tree checkout) (snapshot, error) {
	if snap, quick, err := r.quickSnapshot(ctx, tree); quick && err == nil {
		return snap, nil
	}
	snap, scratch, err := r.snapshotIndex(ctx, tree)
	discardIndex(scratch)
	return snap, err
}

// quickSnapshot reports false where the whole has to be looked at. What it fails of, the slower way says better.
func (r *Repository) quickSnapshot(ctx context.Context, tree checkout) (snapshot, bool, error) {
	files, err := r.status(ctx, tree.at, "--ignore-submodules=dirty")
	if err != nil {
		return snapshot{}, false, err
	}
	var names []string
	for _, f := range files {
		switch {
		case f.kind != untracked:
			continue
		case strings.HasSuffix(f.path, "/"): // a repository of its own
			return snapshot{}, false, nil
		}
		names = append(names, f.path)
	}
	_, head, err := r.head(ctx, tree.at)
	if err != nil || head == "" {
		return snapshot{}, false, err
	}
	return r.quickState(ctx, tree.at, head, files, names)
}

// snapshotIndex stages everything into a private copy of the index and writes it as a tree. It also returns that index, which agrees with the files; whoever gets it discards it.
func (r *Repository) snapshotIndex(ctx context.Context, tree checkout) (snap snapshot, scratch string, err error) {
	if scratch, err = copyIndex(tree.admin); err == nil {
		snap, err = r.stageAll(ctx, tree.at.with("GIT_INDEX_FILE="+scratch))
	}
	if err != nil {
		discardIndex(scratch)
		return snapshot{}, "", fmt.Errorf("snapshot %q: %w", tree.path, err)
	}
	return snap, scratch, nil
}

// discardIndex removes a private index, and the lock that a git which was ended half way left beside it; nobody else knows that name.
func discardIndex(scratch string) {
	if scratch != "" {
		os.Remove(scratch)
		os.Remove(scratch + ".lock")
	}
}

func (r *Repository) stageAll(ctx context.Context, at place) (snap snapshot, err error) {
	snap.index, err = r.ask(ctx, at, "write-tree")
	if err != nil && exitCode(err) < 1 {
		return snapshot{}, err
	}
	// Exit code 1 means that single files could not be added, such as a nested repository without a commit; the others were.
	_, err = r.ask(ctx, at, "add", "-A", "--ignore-errors")
	if exitCode(err) == 1 {
		err = r.leaveOut(ctx, at, &snap, err)
	}
	if err != nil {
		return snapshot{}, filterRefusal(err)
	}
	snap.tree, err = r.ask(ctx, at, "write-tree")
	return snap, err
}

// leaveOut notes what could not be added: in git's words for people, and as the paths that still differ.
func (r *Repository) leaveOut(ctx context.Context, at place, snap *snapshot, failed error) error {
	for line := range strings.Lines(stderrOf(failed)) {
		if words, ok := strings.CutPrefix(strings.TrimSpace(line), "error: "); ok {
			snap.leftOut = append(snap.leftOut, words)
		}
	}
	out, err := r.ask(ctx, at, "ls-files", "--others", "--modified", "--exclude-standard", "-z")
	for in := (&fields{out}); in.rest != ""; {
		snap.missed = append(snap.missed, strings.TrimSuffix(in.next(), "/"))
	}
	return err
}

// copyIndex copies an index with its stat data and its own time: with a later time, git would trust a file that was edited within the same tick without changing its size.
func copyIndex(admin string) (name string, err error) {
	name = filepath.Join(admin, "index")
	source, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer source.Close()
	stat, err := source.Stat()
	if err != nil {
		return "", err
	}
	scratch, err := os.CreateTemp(admin, "nodwyn-index-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(scratch, source)
	if closed := scratch.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chtimes(scratch.Name(), stat.ModTime(), stat.ModTime())
	}
	if err != nil {
		os.Remove(scratch.Name())
		return "", err
	}
	return scratch.Name(), nil
}
