package worktree

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
)

// errNoCheckout says that a session was asked from where no files are checked out.
var errNoCheckout = errors.New("the repository has no checkout")

// checkoutAt returns the checkout that dir lies in, with its git folder pinned; dir may be empty for the main one. It is the person's: nothing is written there.
func (r *Repository) checkoutAt(ctx context.Context, dir string) (place, error) {
	if dir == "" && r.bare {
		return place{}, errNoCheckout
	}
	if dir == "" {
		return r.mainPlace(), nil
	}
	out, err := r.ask(ctx, place{dir: dir}, "rev-parse", "--path-format=absolute", "--git-common-dir", "--absolute-git-dir", "--show-toplevel")
	if exitCode(err) >= 1 { // a bare repository, or its git folder
		if r.bare && samePath(dir, r.root) {
			return place{}, errNoCheckout
		}
		return place{}, refuseRepository(dir, err)
	}
	if err != nil {
		return place{}, fmt.Errorf("find the checkout of %q: %w", dir, err)
	}
	parts := strings.Split(out, "\n")
	if len(parts) != 3 || !samePath(parts[0], r.common) {
		return place{}, refuse(NoRepository, "%q is no checkout of the repository %q; start the session from one of its own", dir, r.root)
	}
	gitDir, err := filepath.EvalSymlinks(parts[1])
	if err != nil {
		return place{}, fmt.Errorf("find the checkout of %q: %w", dir, err)
	}
	if gitDir == r.common && !r.bare {
		return r.mainPlace(), nil
	}
	return r.linkedPlace(parts[2], gitDir), nil
}

// UncommittedAt counts the uncommitted work in the checkout that dir lies in, as Uncommitted does in the main one.
func (r *Repository) UncommittedAt(ctx context.Context, dir string) (Counts, error) {
	at, err := r.checkoutAt(ctx, dir)
	if errors.Is(err, errNoCheckout) {
		return Counts{}, nil
	}
	if err != nil {
		return Counts{}, err
	}
	return r.countAt(ctx, at)
}
