package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// quickState works a snapshot out from what a status named, without a copy of the index: what it costs goes with the changes, not with the size of the repository, whose index would otherwise be written twice. Names are the untracked files that it takes.
//
// It reports false, and has changed nothing, where more than files are in the game: an unresolved merge, a submodule, a sparse checkout, whose rules say what may be added, or a file that cannot be taken. All that needs words, and is left to the slower way.
func (r *Repository) quickState(ctx context.Context, at place, head string, files []fileStatus, names []string) (snap snapshot, quick bool, err error) {
	var staged, edited []entry
	for _, f := range files {
		switch {
		case f.submodule || f.unmerged:
			return snapshot{}, false, nil
		case f.kind != uncommitted:
			continue
		case f.staged:
			staged = append(staged, f.index)
		}
		if f.unstaged {
			edited = append(edited, f.index)
		}
	}
	if sparse(at) {
		return snapshot{}, false, nil
	}
	if snap.index, err = r.treeWith(ctx, head, staged); err != nil {
		return snapshot{}, false, err
	}
	now, quick, err := r.taken(ctx, at, edited, names)
	if err != nil || !quick {
		return snapshot{}, false, err
	}
	snap.tree, err = r.treeWith(ctx, snap.index, now)
	return snap, true, err
}

// sparse reports whether a checkout may be one of some folders only.
func sparse(at place) bool {
	_, err := os.Lstat(filepath.Join(at.gitDir, "info", "sparse-checkout"))
	return err == nil
}

// taken stores files as git would add them, and returns what a tree has for them. An index of these files alone tells git of each what it is now: its line ends, and its mode where the file system has none.
func (r *Repository) taken(ctx context.Context, at place, edited []entry, names []string) ([]entry, bool, error) {
	if len(edited)+len(names) == 0 {
		return nil, true, nil
	}
	folder, err := os.MkdirTemp(at.gitDir, "nodwyn-index-")
	if err != nil {
		return nil, false, fmt.Errorf("take files of %q: %w", at.dir, err)
	}
	defer os.RemoveAll(folder)
	tmp := at.with("GIT_INDEX_FILE=" + filepath.Join(folder, "index"))
	if len(edited) > 0 {
		if err := r.setEntries(ctx, tmp, edited); err != nil {
			return nil, false, err
		}
	}
	var list strings.Builder
	for _, e := range edited { // first, since a file may be in the place of their folder
		list.WriteString(e.path + "\x00")
	}
	for _, name := range names {
		list.WriteString(name + "\x00")
	}
	_, err = r.change(ctx, tmp, []byte(list.String()), "update-index", "--add", "--remove", "-z", "--stdin")
	if exitCode(err) >= 1 {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	now, err := r.indexEntries(ctx, tmp)
	return withGone(now, edited), err == nil, err
}

// withGone adds the entries that are no more.
func withGone(now, before []entry) []entry {
	there := make(map[string]bool, len(now))
	for _, e := range now {
		there[e.path] = true
	}
	for _, e := range before {
		if !there[e.path] {
			now = append(now, entry{noMode, e.id, e.path})
		}
	}
	return now
}

// indexEntries lists what an index holds.
func (r *Repository) indexEntries(ctx context.Context, at place) ([]entry, error) {
	out, err := r.ask(ctx, at, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, err
	}
	var list []entry
	for in := (&fields{out}); in.rest != ""; {
		what, path, _ := strings.Cut(in.next(), "\t")
		parts := strings.Fields(what)
		if len(parts) != 3 {
			return nil, fmt.Errorf("read index of %q: entry %q is not of the known form", at.dir, what)
		}
		list = append(list, entry{parts[0], parts[1], path})
	}
	return list, nil
}
