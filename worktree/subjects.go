package worktree

import (
	"context"
	"fmt"
	"strconv"
	"strings"
)

// Subjects returns the subjects of the latest n commits of a revision's first-parent history, newest first.
func (r *Repository) Subjects(ctx context.Context, revision string, n int) ([]string, error) {
	out, err := r.ask(ctx, r.mainPlace(), "log", "--first-parent", "--format=%s", "-n", strconv.Itoa(n), "--end-of-options", revision, "--")
	if err != nil {
		return nil, fmt.Errorf("read the latest commits of %q: %w", revision, err)
	}
	return strings.Split(out, "\n"), nil
}
