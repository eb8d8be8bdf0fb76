package worktree

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
)

// takeSpare gives a tree that was just registered the spare's files and index, if there is a spare that fits, and reports whether it did. From the renaming on, which only one can win, the answer is yes; what goes wrong behind it is seen by fillFromSpare.
func (r *Repository) takeSpare(ctx context.Context, id Identity, snapshot string) (taken bool) {
	path := filepath.Join(filepath.Dir(id.Path), ".spare")
	if _, err := os.Lstat(path); err != nil {
		return false
	}
	_ = r.withSpare(path, func() error {
		s, found := r.findSpare(path)
		if !found || !r.fitsNow(ctx, s, cmp.Or(snapshot, id.BaseCommit)) {
			return nil
		}
		tree, err := r.find(id.Path)
		if err != nil {
			return err
		}
		taken, err = s.moveTo(tree)
		return err
	})
	return taken
}

func (r *Repository) fitsNow(ctx context.Context, s spare, commit string) bool {
	settings, err := r.checkoutSettings(ctx)
	if err != nil {
		return false
	}
	fits, err := r.fits(ctx, s, spareNote{Commit: commit, Settings: settings})
	return err == nil && fits
}

// moveTo renames the spare's folder over the empty one of a tree, and its index to where the tree's is. The marker of the tree stands meanwhile, so that nothing works in it.
func (s spare) moveTo(tree checkout) (taken bool, err error) {
	link := filepath.Join(tree.path, ".git")
	text, err := os.ReadFile(link)
	if err == nil {
		err = errors.Join(os.Remove(link), os.Remove(tree.path))
	}
	if err == nil {
		err = os.Rename(s.path, tree.path)
	}
	if err != nil {
		return false, errors.Join(err, tree.reseat(text))
	}
	err = os.Remove(link)
	if err == nil {
		err = os.WriteFile(link, text, 0o644)
	}
	if err == nil {
		err = os.Remove(filepath.Join(s.tree.admin, spareNoteName))
	}
	if err == nil {
		err = os.Rename(filepath.Join(s.tree.admin, "index"), filepath.Join(tree.admin, "index"))
	}
	return true, err
}

// reseat makes the empty folder of a tree again.
func (c checkout) reseat(link []byte) error {
	if err := os.MkdirAll(c.path, 0o777); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.path, ".git"), link, 0o644)
}

// fillFromSpare makes the files of the spare those of the session: what differs is written, and then the whole is looked through. Done is false when the spare is no good, because somebody worked in it, which git cannot be asked before the files are at rest.
func (r *Repository) fillFromSpare(ctx context.Context, tree checkout, snapshot string) (done bool, err error) {
	r.forgetTaken(ctx, filepath.Join(filepath.Dir(tree.path), ".spare"))
	if _, err := os.Stat(filepath.Join(tree.admin, "index")); err != nil {
		return false, nil
	}
	err = r.populate(ctx, tree, cmp.Or(snapshot, "HEAD"))
	if err != nil && (ctx.Err() != nil || exitCode(err) < 1) {
		return false, err
	}
	if err != nil {
		return false, nil
	}
	if pure, err := r.pure(ctx, tree); err != nil || !pure {
		return false, err
	}
	if snapshot != "" {
		if err := r.restoreIndex(ctx, tree, snapshot); err != nil {
			return false, err
		}
	}
	return true, tree.unmark()
}

// forgetTaken drops the registration that a taken spare left, unless there is another spare by now.
func (r *Repository) forgetTaken(ctx context.Context, path string) {
	_ = r.withSpare(path, func() error {
		if _, err := os.Lstat(path); err == nil {
			return nil
		}
		return r.forget(ctx, path)
	})
}

// pure reports whether a tree holds what its index says and nothing else, ignored files and empty folders included.
func (r *Repository) pure(ctx context.Context, tree checkout) (bool, error) {
	_, err := r.change(ctx, tree.withoutSplit().at, nil, "update-index", "--refresh")
	if exitCode(err) >= 1 {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	others, err := r.ask(ctx, tree.at, "ls-files", "--others", "--directory", "-z")
	return others == "", err
}

// withoutSplit keeps the index in one file, which can be renamed.
func (c checkout) withoutSplit() checkout {
	c.at = c.at.with(configured([][2]string{{"core.splitIndex", "false"}})...)
	return c
}

// clearOut sets the files of a tree aside and leaves it empty, without an index.
func (c checkout) clearOut() (aside string, err error) {
	if aside, err = setAside(c.path, c.path); err != nil {
		return "", err
	}
	if err := os.Remove(filepath.Join(c.admin, "index")); err != nil && !os.IsNotExist(err) {
		return aside, err
	}
	if err := os.MkdirAll(c.path, 0o777); err != nil {
		return aside, err
	}
	return aside, c.link()
}
