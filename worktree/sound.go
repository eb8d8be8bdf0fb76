package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// sound refuses a landing whose content is not what the session made: it would commit repositories of their own, whose contents nobody could fetch, or a mass deletion that is only a tree whose files got lost.
func (r *Repository) sound(ctx context.Context, id Identity, spec LandSpec, changes []change) error {
	tree, err := r.find(id.Path)
	there := err == nil && tree.complete()
	nested := gitlinks(changes)
	if there {
		uncommitted, err := r.untrackedRepositories(ctx, tree)
		if err != nil {
			return err
		}
		nested = append(nested, uncommitted...)
	}
	if len(nested) > 0 {
		slices.Sort(nested)
		return refuse(NestedRepository, "the session's tree has repositories of their own in it, whose contents cannot land: %s; remove the .git of each to land its files, or move it away or ignore it (in .gitignore) to leave it out, then land again", quoted(slices.Compact(nested)))
	}
	if !there {
		return nil
	}
	return r.notHollow(ctx, tree, spec, changes)
}

func gitlinks(changes []change) []string {
	var paths []string
	for _, c := range changes {
		if c.repository {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// untrackedRepositories lists the nested repositories that the tree's index does not know. Git lists files one by one, but such a repository as a folder.
func (r *Repository) untrackedRepositories(ctx context.Context, tree checkout) ([]string, error) {
	out, err := r.ask(ctx, tree.at, "ls-files", "--others", "--exclude-standard", "-z")
	if err != nil {
		return nil, fmt.Errorf("list nested repositories in %q: %w", tree.path, err)
	}
	var paths []string
	for in := (&fields{out}); in.rest != ""; {
		if folder, ok := strings.CutSuffix(in.next(), "/"); ok {
			paths = append(paths, folder)
		}
	}
	return paths, nil
}

// nested lists the repositories in a session's tree that content notes only as a commit and that are no submodules of the base. A folder without files in it has nothing to lose.
func (r *Repository) nested(ctx context.Context, tree checkout, base, content string) ([]string, error) {
	changes, err := r.changes(ctx, base, content, nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(gitlinks(changes), func(path string) bool {
		_, err := os.Lstat(filepath.Join(tree.path, filepath.FromSlash(path), ".git"))
		return err != nil
	}), nil
}

// A deletion of this many files or more, and of nearly all that there are, has to be meant.
const massDeletion = 3

// notHollow refuses to land a mass deletion that nobody staged: the index of the tree says that the files belong there.
func (r *Repository) notHollow(ctx context.Context, tree checkout, spec LandSpec, changes []change) error {
	deleted := 0
	for _, c := range changes {
		if c.Status == "D" {
			deleted++
		}
	}
	if deleted < massDeletion {
		return nil
	}
	had, err := r.filesOf(ctx, spec.base)
	if err != nil || !nearlyAll(deleted, len(had)) {
		return err
	}
	out, err := r.ask(ctx, tree.at, "ls-files", "--deleted", "-z")
	if err != nil {
		return fmt.Errorf("list deleted files in %q: %w", tree.path, err)
	}
	if lost := strings.Count(out, "\x00"); nearlyAll(lost, len(had)) {
		return refuse(WorktreeBroken, "it would delete %d of %d files, and in %q nobody staged that; if it is meant, run git add -A there, then land again; if not, move that folder away and resume the session to restore it", deleted, len(had), tree.path)
	}
	return nil
}

func nearlyAll(part, whole int) bool { return part*10 >= whole*9 }

// filesOf lists the files of a revision.
func (r *Repository) filesOf(ctx context.Context, revision string) ([]string, error) {
	out, err := r.ask(ctx, r.mainPlace(), "ls-tree", "-r", "-z", "--name-only", "--full-tree", revision)
	if err != nil {
		return nil, fmt.Errorf("list the files of %s: %w", revision, err)
	}
	var names []string
	for in := (&fields{out}); in.rest != ""; {
		names = append(names, in.next())
	}
	return names, nil
}
