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

// shift is what moves in one checkout: some files, and entries of the index likewise. All four trees hold the whole index, so that what two of them have in common stays as it is, whatever it is.
type shift struct {
	at place
	// scratch is a private index that agrees with the files that move, as they are now.
	scratch string
	// before and after are the trees of the files.
	before, after string
	// staged and stagedAfter are the trees of the index; both are empty when it does not move.
	staged, stagedAfter string
	// parted are the paths that the person changed too.
	parted map[string]bool
}

func (s *shift) tmp() place { return s.at.with("GIT_INDEX_FILE=" + s.scratch) }

func (s *shift) discard() {
	os.Remove(s.scratch)
	os.Remove(s.scratch + ".lock") // left by a git that was ended half way; nobody else knows this name
}

// look makes a shift that moves nothing yet: a private copy of the index with fresh stat data, and its tree.
func (r *Repository) look(ctx context.Context, at place) (*shift, error) {
	scratch, err := copyIndex(at.gitDir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, refuse(TargetBusy, "%q has no index, so nothing is checked out there yet; check the branch out (git checkout), then land again", at.dir)
	}
	if err != nil {
		return nil, fmt.Errorf("copy the index of %q: %w", at.dir, err)
	}
	s := &shift{at: at, scratch: scratch, parted: make(map[string]bool)}
	// Exit code 1 only says that files differ from the index.
	_, err = r.change(ctx, s.tmp(), nil, "update-index", "-q", "--refresh")
	if err == nil || exitCode(err) == 1 {
		s.staged, err = r.ask(ctx, s.tmp(), "write-tree")
		if exitCode(err) >= 1 {
			err = refuse(TargetBusy, "%q has unmerged files (%s); finish what is under way there, then land again", at.dir, firstLine(err))
		}
	}
	if err != nil {
		s.discard()
		return nil, err
	}
	s.before, s.after, s.stagedAfter = s.staged, s.staged, s.staged
	return s, nil
}

// survey works out how a checkout moves from one commit to another. A file that the person changed and the move does not touch stays as it is. Of one that both change, the move's lines go into the person's file and, if they staged something in it, into what is staged; where lines meet, a ConflictError names them. Nothing is changed but objects.
func (r *Repository) survey(ctx context.Context, at place, from, to string) (*shift, error) {
	touched, err := r.between(ctx, from, to)
	if err != nil {
		return nil, err
	}
	s, err := r.look(ctx, at)
	if err != nil {
		return nil, err
	}
	if err := r.combine(ctx, s, from, to, touched); err != nil {
		s.discard()
		return nil, r.elsewhere(at, err)
	}
	return s, nil
}

// elsewhere adds to a conflict the folder that it lies in, when that is not the main checkout.
func (r *Repository) elsewhere(at place, err error) error {
	if conflict, ok := errors.AsType[*ConflictError](err); ok && at.dir != r.root {
		conflict.Checkout = at.dir
	}
	return err
}

func (r *Repository) combine(ctx context.Context, s *shift, from, to string, touched []delta) error {
	err := r.part(ctx, s, from, touched)
	if err != nil {
		return err
	}
	if s.after, err = r.carried(ctx, s, from, s.before, touched); err != nil {
		return r.inPlace(ctx, s, err, from, to)
	}
	s.stagedAfter = s.after
	if s.staged != s.before {
		if s.stagedAfter, err = r.carried(ctx, s, from, s.staged, touched); err != nil {
			return r.inPlace(ctx, s, err, from, to)
		}
	}
	return r.comesBack(ctx, s)
}

// part finds the files that both the person and the move change, and takes the person's side of them into the scratch index.
func (r *Repository) part(ctx context.Context, s *shift, from string, touched []delta) error {
	dirty, err := r.dirty(ctx, s, from)
	if err != nil {
		return err
	}
	o := needs(s.at.dir, namesOf(touched))
	var conflicts []Conflict
	for _, name := range slices.Sorted(maps.Keys(dirty)) {
		if o.files[name] {
			s.parted[name] = true
			continue
		}
		for _, path := range o.blockedBy(fileStatus{path: name, kind: uncommitted}) {
			conflicts = append(conflicts, Conflict{Path: path, Kind: uncommitted})
		}
	}
	stray, blocked := strays(s.at.dir, touched, dirty)
	if blocked {
		more, err := r.inTheWay(ctx, s.at, namesOf(touched))
		if err != nil {
			return err
		}
		conflicts = append(conflicts, more...)
	}
	if len(conflicts) > 0 {
		return &ConflictError{Conflicts: conflicts}
	}
	for _, name := range stray {
		s.parted[name] = true
	}
	return r.stage(ctx, s, slices.Sorted(maps.Keys(s.parted)))
}

// dirty lists what the person changed without committing it: staged or not.
func (r *Repository) dirty(ctx context.Context, s *shift, from string) (map[string]bool, error) {
	staged, err := r.deltas(ctx, s.tmp(), "diff-index", "--cached", from, "--")
	if err != nil {
		return nil, fmt.Errorf("see what is staged in %q: %w", s.at.dir, err)
	}
	edited, err := r.deltas(ctx, s.tmp(), "diff-files")
	if err != nil {
		return nil, fmt.Errorf("see what is edited in %q: %w", s.at.dir, err)
	}
	names := make(map[string]bool)
	for _, d := range slices.Concat(staged, edited) {
		names[d.path] = true
	}
	return names, nil
}

// strays returns the files that stand where the move adds one, unknown to the index. Blocked is set when a folder stands there, or a file where a folder goes.
func strays(dir string, touched []delta, known map[string]bool) (names []string, blocked bool) {
	for _, d := range touched {
		if !d.added() || known[d.path] {
			continue
		}
		stat, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(d.path)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			blocked = blocked || fileAbove(dir, d.path)
		case err != nil || stat.IsDir():
			blocked = true
		default:
			names = append(names, d.path)
		}
	}
	return names, blocked
}

// fileAbove reports whether something that is no folder stands above a path. Not every system tells that apart from a path that does not exist.
func fileAbove(dir, name string) bool {
	for i, c := range name {
		if c != '/' {
			continue
		}
		stat, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(name[:i])))
		if err != nil {
			return false
		}
		if !stat.IsDir() {
			return true
		}
	}
	return false
}

// stage takes files as they are now into the scratch index.
func (r *Repository) stage(ctx context.Context, s *shift, names []string) error {
	if len(names) == 0 {
		return nil
	}
	list := strings.Join(names, "\x00") + "\x00"
	if _, err := r.change(ctx, s.tmp(), []byte(list), "update-index", "--add", "--remove", "-z", "--stdin"); err != nil {
		return filterRefusal(err)
	}
	var err error
	s.before, err = r.ask(ctx, s.tmp(), "write-tree")
	return err
}
