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

// Carried is the strategy of the entry that stands first in a session's landings when the session began with the person's own state: its Base is the commit that holds that state, from which diffs and landings count. Nothing landed with it, so that it always stands.
const Carried Strategy = "carried"

// CarrySpec says which of the person's own state comes along into a new worktree.
type CarrySpec struct {
	// From is a folder of the checkout that the session was asked from, the main one or a linked worktree; empty means the main one.
	From string
	// Uncommitted brings changes of tracked files: staged, unstaged, deleted, of their mode.
	Uncommitted bool
	// Untracked brings the files that git does not know and does not ignore.
	Untracked bool
}

// Carry is what came along, and what did not.
type Carry struct {
	// Commit holds the base commit's files with the person's state in them, under refs/nodwyn/<session>/0000; empty when nothing came along.
	Commit string
	// Files counts the files that came along.
	Files int
	// Left counts what the worktree lacks of the person's state. It is not counted when nothing was asked for, nor for a start that is made good; UncommittedAt counts then.
	Left Counts
	// LeftOut says in words what was asked for and could not come along.
	LeftOut []string
}

// largestCarried is the size from which an untracked file does not come along: it would stay in the repository for as long as the session's refs do.
const largestCarried = 64 << 20

// carriedRef is the ref that keeps what a session began with.
func carriedRef(session string) string { return "refs/nodwyn/" + session + "/0000" }

// state is what the person's checkout holds beside its HEAD, as far as it is to come along.
type state struct {
	head string
	snapshot
	// behind are the tracked files whose changes cannot come along.
	behind int
}

// carry takes the person's state and keeps it. Their index, files and refs stay as they are, byte for byte.
//
// A process that dies in it leaves objects that git prunes some day, or the ref, which the next Start with Again takes for what it is.
func (r *Repository) carry(ctx context.Context, id Identity, session string, spec CarrySpec) (Carry, error) {
	if !spec.Uncommitted && !spec.Untracked {
		return Carry{}, nil
	}
	at, err := r.checkoutAt(ctx, spec.From)
	if errors.Is(err, errNoCheckout) {
		return Carry{}, nil // a bare repository has no state to lack
	}
	if err != nil {
		return Carry{}, err
	}
	var c Carry
	if c.Left, err = r.countAt(ctx, at); err != nil || c.Left == (Counts{}) {
		return c, err
	}
	s, err := r.stateOf(ctx, at, spec)
	if err != nil {
		return Carry{}, fmt.Errorf("take the state of %q: %w", at.dir, err)
	}
	if s, err = r.ontoBase(ctx, id, s); err != nil {
		return Carry{}, err
	}
	return c, r.keepCarried(ctx, id, session, spec, s, &c)
}

// keepCarried makes the commit of what comes along, like that of a checkpoint: on the base, with what was staged beside it.
func (r *Repository) keepCarried(ctx context.Context, id Identity, session string, spec CarrySpec, s state, c *Carry) error {
	changes, err := r.changes(ctx, id.BaseCommit, s.tree, nil)
	if err != nil {
		return err
	}
	base, err := r.treeOf(ctx, id.BaseCommit)
	if err != nil {
		return err
	}
	c.Files, c.LeftOut, c.Left = len(changes), s.leftOut, left(spec, c.Left, s)
	if s.tree == base && (s.index == base || s.index == "") {
		return nil
	}
	parents := []string{id.BaseCommit}
	if s.index != "" && s.index != base {
		staged, err := r.commitTree(ctx, r.mainPlace().with(ours...), s.index, "staged", id.BaseCommit)
		if err != nil {
			return err
		}
		parents = append(parents, staged)
	}
	if c.Commit, err = r.commitTree(ctx, r.mainPlace().with(ours...), s.tree, "what the person had not committed", parents...); err != nil {
		return err
	}
	return r.keep(ctx, carriedRef(session), c.Commit)
}

// left counts what stays behind, asked for or not.
func left(spec CarrySpec, all Counts, s state) Counts {
	if spec.Uncommitted {
		all.Uncommitted = s.behind
	}
	if spec.Untracked {
		all.Untracked = len(s.missed)
	}
	return all
}

// stateOf snapshots a checkout of the person's through a private copy of its index.
func (r *Repository) stateOf(ctx context.Context, at place, spec CarrySpec) (state, error) {
	_, head, err := r.head(ctx, at)
	if err != nil {
		return state{}, err
	}
	if head == "" {
		return state{}, refuse(NoCommit, "what is checked out at %q has no commit yet; make a first commit, or start the session without the uncommitted state", at.dir)
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
	err = r.stageState(ctx, at, at.with("GIT_INDEX_FILE="+scratch), spec, &s)
	return s, filterRefusal(err)
}

func (r *Repository) stageState(ctx context.Context, at, tmp place, spec CarrySpec, s *state) (err error) {
	s.index, err = r.ask(ctx, tmp, "write-tree")
	if err != nil && exitCode(err) < 1 { // else it has unmerged files, and nothing that could be staged
		return err
	}
	var strange []string
	if spec.Untracked { // as the person's index sees it
		if strange, err = r.untrackedIn(ctx, tmp, s); err != nil {
			return err
		}
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
	if spec.Untracked {
		err = r.stageUntracked(ctx, tmp, strange, s)
	}
	if err != nil {
		return err
	}
	s.tree, err = r.ask(ctx, tmp, "write-tree")
	return err
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

// untrackedIn lists the untracked files that can come along and notes the others.
func (r *Repository) untrackedIn(ctx context.Context, tmp place, s *state) ([]string, error) {
	out, err := r.ask(ctx, tmp, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, err
	}
	var names []string
	for in := (&fields{out}); in.rest != ""; {
		name := in.next()
		stat, err := os.Lstat(filepath.Join(tmp.dir, filepath.FromSlash(name)))
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
	return names, nil
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
