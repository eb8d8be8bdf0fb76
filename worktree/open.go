package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// Open finds the repository that dir belongs to; dir may be a subfolder, a linked worktree or a bare repository. It refuses a folder outside any repository, a repository without a commit, and a git that is missing or too old.
func Open(ctx context.Context, git Git, dir string) (*Repository, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("open repository %q: %w", dir, err)
	}
	// A dead folder is told apart from a missing git here; both are "no such file" to who starts a process.
	found, err := os.Stat(dir)
	if err != nil {
		return nil, refuse(NoFolder, "open repository %q: %v; choose a folder that exists", dir, err)
	}
	if !found.IsDir() {
		return nil, refuse(NoFolder, "open repository %q: it is a file; choose the folder that it is in", dir)
	}
	r := &Repository{git: git, writes: make(chan struct{}, 1)}
	for _, step := range [...]func(context.Context, string) error{r.checkGit, r.findCommon, r.findRoot, r.requireCommit} {
		if err := step(ctx, dir); err != nil {
			return nil, err
		}
	}
	return r, nil
}

func (r *Repository) checkGit(ctx context.Context, dir string) error {
	out, err := r.ask(ctx, place{dir: dir}, "version")
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if err != nil {
		return refuse(GitMissing, "open repository %q: git does not run (%v); install git %s or newer", dir, err, forSessions)
	}
	r.version, err = parseVersion(out)
	if err != nil {
		return fmt.Errorf("open repository %q: %w", dir, err)
	}
	if r.version.Before(forSessions) {
		return refuse(GitTooOld, "open repository %q: a session's worktree needs git %s or newer, this is %s", dir, forSessions, r.version)
	}
	return nil
}

func (r *Repository) findCommon(ctx context.Context, dir string) error {
	common, err := r.ask(ctx, place{dir: dir}, "rev-parse", "--path-format=absolute", "--git-common-dir")
	if exitCode(err) >= 1 && r.isBare(ctx, dir) {
		common, err = dir, nil
	}
	if exitCode(err) >= 1 {
		return refuseRepository(dir, err)
	}
	if err == nil {
		r.common, err = filepath.EvalSymlinks(common)
	}
	if err != nil {
		return fmt.Errorf("open repository %q: %w", dir, err)
	}
	return nil
}

// isBare asks about exactly this folder, because discovery of bare repositories is switched off: a bare repository that is checked in as a folder must not be entered by chance.
func (r *Repository) isBare(ctx context.Context, dir string) bool {
	answer, err := r.ask(ctx, place{dir: dir, gitDir: dir}, "rev-parse", "--is-bare-repository")
	return err == nil && answer == "true"
}

// findRoot finds the main working tree. One that cannot be found from a linked worktree (its git folder was separated from it) counts as bare, which only means that its uncommitted files are not counted.
func (r *Repository) findRoot(ctx context.Context, dir string) error {
	r.root, r.bare = r.common, true
	if r.isBare(ctx, r.common) {
		return nil
	}
	top, err := r.ask(ctx, place{dir: dir}, "rev-parse", "--path-format=absolute", "--show-toplevel")
	if err == nil && r.ownsTree(top) {
		r.root, r.bare = top, false
		return nil
	}
	beside := place{dir: filepath.Dir(r.common), gitDir: r.common}
	top, err = r.ask(ctx, beside, "rev-parse", "--path-format=absolute", "--show-toplevel")
	if err == nil && r.ownsTree(top) {
		r.root, r.bare = top, false
	}
	return ctx.Err()
}

// ownsTree reports whether top is the main tree: its .git is the common folder or a file that points straight to it.
func (r *Repository) ownsTree(top string) bool {
	real, err := filepath.EvalSymlinks(filepath.Join(top, ".git"))
	if err == nil && real == r.common {
		return true
	}
	link, err := readLink(top)
	if err != nil {
		return false
	}
	real, err = filepath.EvalSymlinks(link)
	return err == nil && real == r.common
}

func (r *Repository) requireCommit(ctx context.Context, dir string) error {
	_, commit, err := r.head(ctx, r.mainPlace())
	if commit != "" {
		return nil
	}
	any := ""
	if err == nil {
		any, err = r.ask(ctx, r.mainPlace(), "for-each-ref", "--count=1", "--format=%(refname)")
	}
	if exitCode(err) >= 1 {
		return refuseRepository(dir, err)
	}
	if err != nil {
		return fmt.Errorf("open repository %q: %w", dir, err)
	}
	if any == "" {
		return refuse(NoCommit, "open repository %q: it has no commit yet; make a first commit, then start the session again", dir)
	}
	return nil
}
