package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// RealRoot returns a root as the paths below it are recorded: absolute and free of symbolic links.
func RealRoot(root string) (string, error) { return realPath(root) }

// Folder is a folder below a root where a session's tree may be.
type Folder struct {
	// Path is the folder.
	Path string
	// Session is the session that it is named after.
	Session string
	// Common is the git folder that its .git points to; empty when there is none.
	Common string
	// Changed is when the folder last got or lost a name.
	Changed time.Time
}

// ListFolders lists the folders of sessions below a root.
func ListFolders(root string) ([]Folder, error) {
	var list []Folder
	err := eachBelow(root, func(path string, entry fs.DirEntry) error {
		if stat, err := entry.Info(); err == nil && isSession(entry) {
			list = append(list, folder(path, stat.ModTime()))
		}
		return nil
	})
	return list, err
}

// SizeOfRest returns the size of what lies below a root and is neither a session's folder nor in the trash, such as a spare tree.
func SizeOfRest(ctx context.Context, root string) (int64, error) {
	var total int64
	err := eachBelow(root, func(path string, entry fs.DirEntry) error {
		if isSession(entry) {
			return nil
		}
		size, err := Size(ctx, path)
		total += size
		return err
	})
	return total, err
}

func isSession(entry fs.DirEntry) bool { return entry.IsDir() && sessionForm.MatchString(entry.Name()) }

// hashForm is the form of Hash. A root may be a folder in which other things lie, too.
var hashForm = regexp.MustCompile(`^[0-9a-f]{12}$`)

// eachBelow calls f with everything in the folders of repositories below a root.
func eachBelow(root string, f func(path string, entry fs.DirEntry) error) error {
	repositories, err := os.ReadDir(root)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("list worktrees: %w", err)
	}
	for _, repository := range repositories {
		if !repository.IsDir() || !hashForm.MatchString(repository.Name()) {
			continue
		}
		dir := filepath.Join(root, repository.Name())
		entries, err := os.ReadDir(dir)
		if err != nil {
			return fmt.Errorf("list worktrees: %w", err)
		}
		for _, entry := range entries {
			if err := f(filepath.Join(dir, entry.Name()), entry); err != nil {
				return err
			}
		}
	}
	return nil
}

func folder(path string, changed time.Time) Folder {
	f := Folder{Path: path, Session: filepath.Base(path), Changed: changed}
	if admin, err := readLink(path); err == nil {
		f.Common = commonOf(admin)
	}
	return f
}

// Linked is a worktree that git has on its list for a session.
type Linked struct {
	// Path is where its folder is, or was.
	Path string
	// Branch is what is checked out there; empty when HEAD is detached.
	Branch string
}

// Linked lists the worktrees of the repository that lie below a root of ours, also those whose folder is gone.
func (r *Repository) Linked(ctx context.Context, root string) ([]Linked, error) {
	entries, err := r.list(ctx)
	if err != nil {
		return nil, err
	}
	var list []Linked
	for _, entry := range entries {
		path := filepath.FromSlash(entry.path)
		if filepath.Dir(filepath.Dir(path)) == root && hashForm.MatchString(filepath.Base(filepath.Dir(path))) && sessionForm.MatchString(filepath.Base(path)) {
			list = append(list, Linked{Path: path, Branch: entry.branch})
		}
	}
	return list, nil
}

// Orphan is a tree that no log tells of.
type Orphan struct {
	// Identity is made of what is there. It counts from where the tree left the branch that the main checkout has checked out. The branch in it is the session's own, named after the session; another one is the person's, and left out.
	Identity
	// Tip is the commit that it has checked out.
	Tip string
	// Used is when something last happened in it that git knows of.
	Used time.Time
}

// Orphan looks at a tree that no log tells of.
func (r *Repository) Orphan(ctx context.Context, path string) (Orphan, error) {
	admin, err := r.adminOf(path)
	if err != nil {
		return Orphan{}, err
	}
	if admin == "" {
		return Orphan{}, refuse(WorktreeBroken, "repository %q does not know it", r.root)
	}
	branch, head, err := r.head(ctx, r.linkedPlace(path, admin))
	if err != nil {
		return Orphan{}, err
	}
	o := Orphan{Identity: Identity{Repository: r.root, Path: path}, Tip: head, Used: lastUse(path, admin)}
	if strings.Contains(branch, filepath.Base(path)) {
		o.Branch = branch
	}
	o.Base, o.BaseCommit, err = r.leftFrom(ctx, head)
	return o, err
}

// leftFrom returns the branch of the main checkout and where a commit left it.
func (r *Repository) leftFrom(ctx context.Context, head string) (branch, commit string, err error) {
	branch, tip, err := r.head(ctx, r.mainPlace())
	if err == nil && (branch == "" || tip == "" || head == "") {
		err = errors.New("no branch is checked out in the repository to compare it with")
	}
	if err != nil {
		return "", "", err
	}
	commit, err = r.ask(ctx, r.mainPlace(), "merge-base", tip, head)
	if exitCode(err) == 1 {
		err = fmt.Errorf("it has no history in common with branch %q", branch)
	}
	return branch, commit, err
}

// lastUse leaves the administrative folder itself out: a look of ours at the tree changes its time.
func lastUse(path, admin string) time.Time {
	var last time.Time
	for _, name := range [...]string{path, filepath.Join(admin, "HEAD"), filepath.Join(admin, "index"), filepath.Join(admin, "logs", "HEAD")} {
		if stat, err := os.Stat(name); err == nil && stat.ModTime().After(last) {
			last = stat.ModTime()
		}
	}
	return last
}
