package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// stateOf snapshots a checkout of the person's, of what the status names or else through a private copy of its index.
func (r *Repository) stateOf(ctx context.Context, at place, spec CarrySpec, files []fileStatus) (state, error) {
	_, head, err := r.head(ctx, at)
	if err != nil {
		return state{}, err
	}
	if head == "" {
		return state{}, refuse(NoCommit, "what is checked out at %q has no commit yet; make a first commit, or start the session without the uncommitted state", at.dir)
	}
	if s, quick, err := r.quickCarry(ctx, at, head, spec, files); quick || err != nil {
		return s, filterRefusal(err)
	}
	scratch, err := copyIndex(at.gitDir)
	if errors.Is(err, fs.ErrNotExist) {
		return state{}, refuse(NoCommit, "%q has no index, so nothing is checked out there; check something out, or start the session without the uncommitted state", at.dir)
	}
	if err != nil {
		return state{}, err
	}
	defer discardIndex(scratch)
	s := state{head: head}
	err = r.stageState(ctx, at, at.with("GIT_INDEX_FILE="+scratch), spec, files, &s)
	return s, filterRefusal(err)
}

// quickCarry reports false where the whole has to be looked at: above all where there are submodules, whose state needs words.
func (r *Repository) quickCarry(ctx context.Context, at place, head string, spec CarrySpec, files []fileStatus) (state, bool, error) {
	if _, err := os.Lstat(filepath.Join(at.gitDir, "index")); err != nil {
		return state{}, false, nil
	}
	if _, err := os.Lstat(filepath.Join(at.dir, ".gitmodules")); err == nil {
		return state{}, false, nil
	}
	s := state{head: head}
	var strange []string
	if spec.Untracked {
		strange = s.carriable(at.dir, files)
	}
	if !spec.Uncommitted {
		files = nil
	}
	snap, quick, err := r.quickState(ctx, at, head, files, strange)
	if s.tree = snap.tree; spec.Uncommitted {
		s.index = snap.index
	}
	return s, quick, err
}

func (r *Repository) stageState(ctx context.Context, at, tmp place, spec CarrySpec, files []fileStatus, s *state) (err error) {
	if s.index, err = r.stagedTree(ctx, tmp, s.head, files); err != nil {
		return err
	}
	if err := r.stageWanted(ctx, at, tmp, spec, files, s); err != nil {
		return err
	}
	s.tree, err = r.ask(ctx, tmp, "write-tree")
	return err
}

func (r *Repository) stageWanted(ctx context.Context, at, tmp place, spec CarrySpec, files []fileStatus, s *state) (err error) {
	var strange []string
	if spec.Untracked { // as the person's index sees it
		strange = s.carriable(at.dir, files)
	}
	if spec.Uncommitted {
		err = r.stageTracked(ctx, at, tmp, s)
	} else {
		s.index = ""
		_, err = r.change(ctx, tmp, nil, "read-tree", s.head)
	}
	if err != nil {
		return err
	}
	return r.stageUntracked(ctx, tmp, strange, s)
}

// stagedTree returns the tree of an index; empty when it has unmerged files, which are no tree.
func (r *Repository) stagedTree(ctx context.Context, tmp place, head string, files []fileStatus) (string, error) {
	if !slices.ContainsFunc(files, func(f fileStatus) bool { return f.staged }) {
		return r.treeOf(ctx, head)
	}
	tree, err := r.ask(ctx, tmp, "write-tree")
	if exitCode(err) >= 1 {
		return "", nil
	}
	return tree, err
}

// stageTracked takes every change of a tracked file. A submodule that stands at another commit stays out: the new worktree has submodules of its own, at the commit that is staged.
func (r *Repository) stageTracked(ctx context.Context, at, tmp place, s *state) error {
	_, err := r.ask(ctx, tmp, "add", "-u", "--ignore-errors")
	if exitCode(err) == 1 {
		err = r.unreadable(ctx, tmp, s)
	}
	if err != nil || s.index == "" {
		return err
	}
	list, err := r.deltas(ctx, tmp, "diff-index", "--cached", s.index, "--")
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(list, func(d delta) bool { return d.oldMode != gitlink || d.newMode != gitlink })
	if err := r.leaveSubmodules(ctx, at, list, s); err != nil || len(list) == 0 {
		return err
	}
	return r.setEntries(ctx, tmp, oldSide(list))
}

// leaveSubmodules notes what stays behind in submodules: where they stand, if that is not staged, and what is inside them.
func (r *Repository) leaveSubmodules(ctx context.Context, at place, unstaged []delta, s *state) error {
	states, err := r.submoduleStates(ctx, at)
	if err != nil {
		return err
	}
	for _, d := range unstaged {
		delete(states, d.path)
		s.behind++
		s.leftOut = append(s.leftOut, fmt.Sprintf("%q is a submodule; that it stands at another commit stays behind until it is staged", d.path))
	}
	for _, name := range slices.Sorted(maps.Keys(states)) {
		if strings.ContainsAny(states[name], "MU") {
			s.behind++
			s.leftOut = append(s.leftOut, fmt.Sprintf("%q is a submodule; what is not committed in it stays behind", name))
		}
	}
	return nil
}

// unreadable notes the tracked files that git could not take as they are.
func (r *Repository) unreadable(ctx context.Context, tmp place, s *state) error {
	list, err := r.deltas(ctx, tmp, "diff-files")
	s.behind += len(list)
	for _, d := range list {
		s.leftOut = append(s.leftOut, fmt.Sprintf("%q could not be read", d.path))
	}
	return err
}

// carriable lists the untracked files that can come along and notes the others.
func (s *state) carriable(dir string, files []fileStatus) []string {
	var names []string
	for _, file := range files {
		if file.kind != untracked {
			continue
		}
		name := file.path
		stat, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case strings.HasSuffix(name, "/"):
			s.leave(name, "is a repository of its own")
		case err != nil:
			s.leave(name, "cannot be read")
		case stat.Size() > largestCarried:
			s.leave(name, fmt.Sprintf("is larger than %d MB", largestCarried>>20))
		default:
			names = append(names, name)
		}
	}
	return names
}

func (s *state) leave(name, why string) {
	s.missed = append(s.missed, strings.TrimSuffix(name, "/"))
	s.leftOut = append(s.leftOut, fmt.Sprintf("%q %s", name, why))
}

func (r *Repository) stageUntracked(ctx context.Context, tmp place, names []string, s *state) error {
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, "\x00") + "\x00"
	_, err := r.change(ctx, tmp, []byte(list), "add", "--ignore-errors", "--pathspec-from-file=-", "--pathspec-file-nul")
	if exitCode(err) != 1 {
		return err
	}
	known, err := r.entriesOf(ctx, tmp)
	if err != nil {
		return err
	}
	for _, name := range names {
		if !known[name] {
			s.leave(name, "could not be read")
		}
	}
	return nil
}

// ontoBase brings the state to the commit that the session starts from, when the person has another one checked out.
func (r *Repository) ontoBase(ctx context.Context, id Identity, s state) (state, error) {
	if s.head == id.BaseCommit {
		return s, nil
	}
	tree, conflicts, err := r.merge3(ctx, s.head, id.BaseCommit, s.tree)
	if err != nil {
		return s, err
	}
	if len(conflicts) > 0 {
		var paths []string
		for _, c := range conflicts {
			paths = append(paths, c.Path)
		}
		return s, refuse(CarryConflict, "what is not committed does not fit the chosen base in %s; start from what is checked out, or start the session without the uncommitted state", quoted(paths))
	}
	s.tree = tree
	if s.index != "" {
		if s.index, conflicts, err = r.merge3(ctx, s.head, id.BaseCommit, s.index); len(conflicts) > 0 {
			s.index = "" // only what was staged is not told apart then
		}
	}
	return s, err
}
