package worktree

import (
	"context"
	"os"
	"path/filepath"
)

// smallIndex is the size of an index of some 2,500 files, which are checked out in about a tenth of a second.
const smallIndex = 256 << 10

// Small reports whether a new worktree has its files so soon that it is worth waiting for them. A repository without a checkout of its own is not known to be.
func (r *Repository) Small() bool {
	stat, err := os.Stat(filepath.Join(r.common, "index"))
	return err == nil && stat.Size() < smallIndex
}

// TakeBack takes a worktree back that Begin made and whose Complete was cut short: nobody has worked in it.
func (r *Repository) TakeBack(ctx context.Context, id Identity, session string, begun Begun) {
	r.takeStartBack(ctx, id, session, begun)
}
