package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// operation is something of the person's that git has under way.
type operation struct {
	// name is what people call it.
	name string
	// path is the working tree that it runs in.
	path string
	// end says how to end it.
	end string
}

// resumable is an operation that its own command continues and aborts.
func resumable(name, command string) *operation {
	return &operation{name: name, end: fmt.Sprintf("finish it (git %s --continue) or give it up (git %s --abort)", command, command)}
}

// idle refuses a target that an operation under way works on: moved now, it would be set back by an abort or refused by the operation's last step.
func (r *Repository) idle(ctx context.Context, branch string) error {
	at, err := r.operationOn(ctx, branch)
	if err != nil {
		return err
	}
	if at == nil {
		return nil
	}
	return refuse(TargetBusy, "%s with branch %q is under way in %q; %s, then land again", at.name, branch, at.path, at.end)
}

// operationOn finds an operation that has a branch in its hands, in any working tree: one that will set the branch when it ends (a rebase takes the branch off HEAD meanwhile), or any in the tree where the branch is checked out.
func (r *Repository) operationOn(ctx context.Context, branch string) (*operation, error) {
	trees, err := r.gitFolders()
	if err != nil {
		return nil, err
	}
	for folder, path := range trees {
		if op := claim(folder, branch); op != nil {
			op.path = path
			return op, nil
		}
		op := underWay(folder)
		if op == nil {
			continue
		}
		on, _, err := r.head(ctx, place{dir: r.root, gitDir: folder, env: []string{"GIT_COMMON_DIR=" + r.common}})
		if err != nil {
			return nil, fmt.Errorf("read what is checked out at %q: %w", path, err)
		}
		if on == branch {
			op.path = path
			return op, nil
		}
	}
	return nil, nil
}

// gitFolders returns the git folder of each working tree, with the tree's path.
func (r *Repository) gitFolders() (map[string]string, error) {
	trees := map[string]string{r.common: r.root}
	entries, err := os.ReadDir(filepath.Join(r.common, "worktrees"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("list worktrees: %w", err)
	}
	for _, entry := range entries {
		folder := filepath.Join(r.common, "worktrees", entry.Name())
		link, err := os.ReadFile(filepath.Join(folder, "gitdir"))
		if err == nil {
			trees[folder] = filepath.Dir(absolute(folder, string(link)))
		}
	}
	return trees, nil
}

// claim returns the operation in a git folder that will set the branch when it ends.
func claim(folder, branch string) *operation {
	ref := "refs/heads/" + branch
	for _, state := range [...]string{"rebase-merge", "rebase-apply"} {
		if slices.Contains(linesOf(folder, state, "head-name"), ref) {
			return rebase()
		}
	}
	// With --update-refs, a rebase moves more branches than the one that it is about.
	if slices.Contains(linesOf(folder, "rebase-merge", "update-refs"), ref) {
		return rebase()
	}
	if start := linesOf(folder, "BISECT_START"); slices.Contains(start, branch) || slices.Contains(start, ref) {
		return bisect()
	}
	return nil
}

func linesOf(parts ...string) []string {
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
}

func rebase() *operation { return resumable("a rebase", "rebase") }

func bisect() *operation {
	return &operation{name: "a bisect", end: "end it (git bisect reset)"}
}

// underWay returns what git has under way in a working tree, by the files that git itself keeps for it.
func underWay(folder string) *operation {
	has := func(parts ...string) bool {
		_, err := os.Stat(filepath.Join(append([]string{folder}, parts...)...))
		return err == nil
	}
	switch {
	case has("rebase-apply", "applying"):
		return resumable("an am", "am")
	case has("rebase-merge"), has("rebase-apply"):
		return rebase()
	case has("MERGE_HEAD"):
		return resumable("a merge", "merge")
	case has("CHERRY_PICK_HEAD"):
		return resumable("a cherry-pick", "cherry-pick")
	case has("REVERT_HEAD"):
		return resumable("a revert", "revert")
	case has("sequencer"):
		return &operation{name: "a series of cherry-picks or reverts", end: "finish it (--continue) or give it up (--abort)"}
	case has("BISECT_LOG"):
		return bisect()
	}
	return nil
}
