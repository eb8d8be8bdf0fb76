package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// spare is the one worktree that a repository keeps below a root with its files checked out, on no branch and for no session. A start takes its folder and its index; its registration is never anybody's but its own.
//
// Whoever makes, refreshes, takes or drops it holds a lock that ends with the process. It may be taken only while a note in its administrative folder says what is in it; the note is written last and removed first, so that a process that dies leaves a spare that is whole or one that the next EnsureSpare makes anew.
type spare struct {
	path string
	tree checkout
	note spareNote
}

// spareReason is the reason of the spare's lock in git's list.
const spareReason = "nodwyn spare"

// spareStub is what git calls the administrative folder of a folder named .spare.
const spareStub = "-spare"

// errBusy says that somebody else holds the lock of the spare.
var errBusy = errors.New("another process is at it")

// SparePath returns where the spare lies, whether there is one or not: in the folder of the repository's worktrees, under a name that no session has.
func (r *Repository) SparePath(root string) (string, error) {
	root, err := realPath(root)
	if err != nil {
		return "", fmt.Errorf("find the spare below %q: %w", root, err)
	}
	return filepath.Join(root, r.Hash(), ".spare"), nil
}

// EnsureSpare makes the spare below a root, or brings the one that is there to the base: any revision, empty for what the main checkout has checked out. The next Begin takes it, and its session has its files at once. It is meant for the background: it takes as long as a checkout. When another process is at the spare, it does nothing.
func (r *Repository) EnsureSpare(ctx context.Context, root, base string) error {
	path, err := r.SparePath(root)
	if err != nil {
		return err
	}
	err = r.withSpare(path, func() error {
		commit, err := r.spareCommit(ctx, base)
		if err != nil {
			return err
		}
		return r.ensureSpare(ctx, path, commit)
	})
	if err != nil && !errors.Is(err, errBusy) {
		return fmt.Errorf("keep a spare worktree at %q: %w", path, err)
	}
	return nil
}

// DropSpare removes the spare below a root, if there is one. A spare in which somebody worked is set aside in the trash instead.
func (r *Repository) DropSpare(ctx context.Context, root string) error {
	path, err := r.SparePath(root)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path + ".lock"); os.IsNotExist(err) {
		return nil // there never was one
	}
	if err := r.withSpare(path, func() error { return r.dropSpare(ctx, path) }); err != nil {
		return fmt.Errorf("drop the spare worktree at %q: %w", path, err)
	}
	return nil
}

// withSpare runs do under the lock of the spare, or returns errBusy.
func (r *Repository) withSpare(path string, do func() error) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	defer file.Close()
	taken, err := tryLockFile(file)
	if err == nil && !taken {
		err = errBusy
	}
	if err != nil {
		return err
	}
	defer func() { _ = unlockFile(file) }() // closing is not enough while a child that was just forked holds a copy
	return do()
}

func (r *Repository) spareCommit(ctx context.Context, base string) (string, error) {
	if base == "" {
		base = "HEAD"
	}
	commit, err := r.resolve(ctx, r.mainPlace(), base+"^{commit}")
	if err == nil && commit == "" {
		err = refuse(BadBase, "base %q names no commit; choose a branch, tag or commit of the repository", base)
	}
	return commit, err
}

func (r *Repository) ensureSpare(ctx context.Context, path, commit string) error {
	if err := r.sweepSpares(path); err != nil {
		return err
	}
	settings, err := r.checkoutSettings(ctx)
	if err != nil {
		return err
	}
	want := spareNote{Commit: commit, Settings: settings}
	if s, found := r.findSpare(path); found {
		fits, err := r.fits(ctx, s, want)
		if err != nil {
			return err
		}
		if fits && r.refresh(ctx, s, want) {
			return nil
		}
	}
	if err := r.dropSpare(ctx, path); err != nil {
		return err
	}
	return r.makeSpare(ctx, path, want)
}

// findSpare returns the spare at path if it is whole.
func (r *Repository) findSpare(path string) (s spare, found bool) {
	tree, err := r.checked(path)
	if err != nil {
		return spare{}, false
	}
	note, err := readSpareNote(tree.admin)
	return spare{path: path, tree: tree, note: note}, err == nil
}

// fits reports whether writing the files that differ is all that it takes to make the spare what a checkout of a commit or snapshot would be: how git writes the others must not have changed.
func (r *Repository) fits(ctx context.Context, s spare, want spareNote) (bool, error) {
	if s.note.Settings != want.Settings {
		return false, nil
	}
	moving, err := r.between(ctx, s.note.Commit, want.Commit)
	for _, d := range moving {
		if strings.EqualFold(filepath.Base(filepath.FromSlash(d.path)), ".gitattributes") {
			return false, nil
		}
	}
	return err == nil, err
}

// refresh brings a spare to another commit and reports whether it is one then.
func (r *Repository) refresh(ctx context.Context, s spare, want spareNote) bool {
	if s.note.Commit != want.Commit {
		if os.Remove(filepath.Join(s.tree.admin, spareNoteName)) != nil {
			return false
		}
		if r.populate(ctx, s.tree.withoutSplit(), want.Commit) != nil || r.moveSpareHead(ctx, s, want.Commit) != nil {
			return false
		}
	}
	if pure, err := r.pure(ctx, s.tree); err != nil || !pure {
		return false
	}
	return s.note.Commit == want.Commit || want.write(s.tree.admin) == nil
}

func (r *Repository) moveSpareHead(ctx context.Context, s spare, commit string) error {
	_, err := r.change(ctx, s.tree.at, nil, "update-ref", "--no-deref", "-m", "nodwyn", "HEAD", commit)
	return err
}

func (r *Repository) makeSpare(ctx context.Context, path string, want spareNote) (err error) {
	if err := r.registerSpare(ctx, path, want.Commit); err != nil {
		return err
	}
	tree, err := r.find(path)
	if err == nil {
		err = r.populate(ctx, tree.withoutSplit(), want.Commit)
	}
	if err == nil {
		err = want.write(tree.admin)
	}
	if err != nil {
		ctx, cancel := finishing(ctx)
		defer cancel()
		err = errors.Join(err, r.dropSpare(ctx, path))
	}
	return err
}

func (r *Repository) registerSpare(ctx context.Context, path, commit string) error {
	if err := r.dropStub(ctx, spareStub); err != nil {
		return err
	}
	release, err := r.lock(ctx)
	if err != nil {
		return err
	}
	defer release()
	_, err = r.change(ctx, r.mainPlace(), nil, "worktree", "add", "--no-checkout", "--detach", "--lock", "--reason", spareReason, "--", path, commit)
	return err
}
