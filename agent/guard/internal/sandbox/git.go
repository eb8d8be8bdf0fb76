package sandbox

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Repository is where git keeps what belongs to a linked worktree.
type Repository struct {
	// Common is the folder that all worktrees share, Admin the one of this worktree in it.
	Common, Admin string
	// Branch is the worktree's own, without "refs/heads/".
	Branch string
}

// Add lets git commit to the branch of a worktree and do nothing else to the repository: objects come in, the branch and its log move. What git would run, and what says where the repository is, stays as it is.
func (g Repository) Add(l *Layout) error {
	l.Visible = append(l.Visible, g.Common)
	l.Writable = append(l.Writable, filepath.Join(g.Common, "objects"), g.Admin)
	l.ReadOnly = append(l.ReadOnly, filepath.Join(l.Tree, ".git"), filepath.Join(g.Admin, "commondir"), filepath.Join(g.Admin, "gitdir"), filepath.Join(g.Admin, "locked"),
		filepath.Join(g.Common, "objects", "info"), filepath.Join(g.Common, "objects", "pack"))
	own := filepath.Join(g.Admin, "config.worktree")
	if err := makeEmpty(own); err != nil {
		return err
	}
	l.ReadOnly = append(l.ReadOnly, own)
	folder, name := filepath.Split(filepath.FromSlash(g.Branch))
	if folder == "" {
		return nil // the branch lies among those of the person, which must not move
	}
	refs, logs := filepath.Join(g.Common, "refs", "heads", folder), filepath.Join(g.Common, "logs", "refs", "heads", folder)
	if err := errors.Join(os.MkdirAll(refs, 0o755), os.MkdirAll(logs, 0o755)); err != nil {
		return err
	}
	l.Writable = append(l.Writable, refs, logs)
	if err := loosen(g.Common, "refs/heads/"+filepath.ToSlash(folder), name); err != nil {
		return err
	}
	return errors.Join(keep(l, refs, name), keep(l, logs, name))
}

// Fetch lets git also bring in what others pushed: packs, and the refs that say where remotes are, but no branch.
func (g Repository) Fetch(l *Layout) error {
	pack := filepath.Join(g.Common, "objects", "pack")
	l.ReadOnly = slices.DeleteFunc(l.ReadOnly, func(path string) bool { return path == pack })
	for _, name := range []string{"refs/remotes", "refs/tags", "logs/refs/remotes"} {
		folder := filepath.Join(g.Common, filepath.FromSlash(name))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		l.Writable = append(l.Writable, folder)
	}
	return nil
}

// keep has all that lies in a folder stay as it is but what is the branch's own.
func keep(l *Layout, folder, name string) error {
	others, err := os.ReadDir(folder)
	for _, o := range others {
		if o.Name() != name && !strings.HasSuffix(o.Name(), ".lock") {
			l.ReadOnly = append(l.ReadOnly, filepath.Join(folder, o.Name()))
		}
	}
	return err
}

// loosen gives each branch of a folder but the one a file of its own: of a branch that stands only among the packed ones, a command could make the file and so move it.
func loosen(common, folder, but string) error {
	branches, err := packed(common)
	for ref := range branches {
		name, ok := strings.CutPrefix(ref, folder)
		if !ok || name == but || !filepath.IsLocal(filepath.FromSlash(name)) {
			continue
		}
		if _, there := os.Lstat(filepath.Join(common, filepath.FromSlash(ref))); there != nil {
			err = errors.Join(err, loosenOne(common, ref))
		}
	}
	return err
}

// loosenOne makes the file of a branch as git does, under its lock.
func loosenOne(common, ref string) error {
	path := filepath.Join(common, filepath.FromSlash(ref))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("lock branch %q (if no git runs, delete the file): %w", ref, err)
	}
	branches, err := packed(common)
	_, there := os.Lstat(path)
	if id := branches[ref]; err == nil && id != "" && there != nil {
		_, err = lock.WriteString(id + "\n")
		if err = errors.Join(err, lock.Close()); err == nil {
			return os.Rename(lock.Name(), path)
		}
	}
	_ = lock.Close() // closed before, where the writing failed
	return errors.Join(err, os.Remove(lock.Name()))
}

// packed reads the branches and tags that git keeps in one file, and where they point.
func packed(common string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(common, "packed-refs"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	refs := map[string]string{}
	for line := range strings.Lines(string(text)) {
		id, ref, _ := strings.Cut(strings.TrimSpace(line), " ")
		refs[ref] = id
	}
	return refs, err
}

// makeEmpty makes a file that a command could make otherwise, and leaves one that is there as it is: no command has ever written it.
func makeEmpty(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, os.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return f.Close()
}
