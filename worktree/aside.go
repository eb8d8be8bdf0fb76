package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// holds reports whether the folder at the session's path holds the session's files, whatever its .git says: a tree that lost its link. A folder that somebody made at the path of a lost tree does not, and linked to the repository it would look like a mass deletion.
func (r *Repository) holds(ctx context.Context, id Identity, checkpoint string) (tree checkout, held bool, err error) {
	tree, err = r.find(id.Path)
	if refusedFor(err, WorktreeBroken) || err == nil && !tree.complete() {
		return checkout{}, false, nil
	}
	if err != nil {
		return checkout{}, false, err
	}
	expected, err := r.expected(ctx, tree, checkpoint)
	if err != nil {
		return checkout{}, false, err
	}
	sparse, err := r.notCheckedOut(ctx, tree)
	if err != nil {
		return checkout{}, false, err
	}
	expected = slices.DeleteFunc(expected, func(name string) bool { return sparse[name] })
	missing := 0
	for _, name := range expected {
		if _, err := os.Lstat(filepath.Join(tree.path, filepath.FromSlash(name))); err != nil {
			missing++
		}
	}
	return tree, missing*2 <= len(expected), nil
}

// expected lists the files that the tree held last: those of the newest checkpoint, or of its HEAD when there is none.
func (r *Repository) expected(ctx context.Context, tree checkout, checkpoint string) ([]string, error) {
	if checkpoint != "" {
		kept, err := r.resolve(ctx, r.mainPlace(), checkpoint+"^{tree}")
		if err != nil {
			return nil, err
		}
		if kept != "" {
			return r.filesOf(ctx, kept)
		}
	}
	_, head, err := r.head(ctx, tree.at)
	if err != nil {
		return nil, err
	}
	return r.filesOf(ctx, head)
}

// notCheckedOut returns the files that a sparse checkout leaves out on purpose.
func (r *Repository) notCheckedOut(ctx context.Context, tree checkout) (map[string]bool, error) {
	out, err := r.ask(ctx, tree.at, "ls-files", "-t", "-z")
	if err != nil {
		return nil, fmt.Errorf("list the index of %q: %w", tree.path, err)
	}
	names := make(map[string]bool)
	for in := (&fields{out}); in.rest != ""; {
		if name, ok := strings.CutPrefix(in.next(), "S "); ok {
			names[name] = true
		}
	}
	return names, nil
}

// relink writes the .git file of a tree anew, from the repository's side. Git's own repair would do so for every worktree of the repository, also where another folder stands now. A .git that is no plain file, such as a repository that a command made, is set aside and never read.
func (r *Repository) relink(ctx context.Context, tree checkout) (aside string, err error) {
	release, err := r.lock(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	link := filepath.Join(tree.path, ".git")
	if stat, err := os.Lstat(link); err == nil && !stat.Mode().IsRegular() {
		if aside, err = setAside(tree.path, link); err != nil {
			return "", err
		}
	}
	// Never written through: the old name may be a hard link to the .git of another worktree.
	if err := os.Remove(link); err != nil && !os.IsNotExist(err) {
		return aside, err
	}
	if err := os.WriteFile(link, []byte("gitdir: "+filepath.ToSlash(tree.admin)+"\n"), 0o644); err != nil {
		return aside, err
	}
	_, err = r.checked(tree.path)
	return aside, err
}

// setAside renames what stands at name, which is a tree or something in it, into the trash folder of the tree's root. That is one step and keeps every file, ignored ones too. It returns the new name, empty when nothing stood there.
func setAside(tree, name string) (string, error) {
	if _, err := os.Lstat(name); os.IsNotExist(err) {
		return "", nil
	}
	bin := filepath.Join(filepath.Dir(filepath.Dir(tree)), trashFolder)
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return "", err
	}
	to := filepath.Join(bin, filepath.Base(tree)+"-"+time.Now().UTC().Format(trashStamp))
	return to, os.Rename(name, to)
}
