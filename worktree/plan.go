package worktree

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// PlanSpec asks for a worktree that does not exist yet.
type PlanSpec struct {
	// Session is the session's id.
	Session string
	// Root is the folder under which all worktrees live, one folder per repository.
	Root string
	// Branch is the session's branch; empty means nodwyn/<session>.
	Branch string
	// Base is any revision to start from; empty means what the checkout has checked out.
	Base string
	// From is a folder of the checkout that the session is asked from, the main one or a linked worktree; empty means the main one.
	From string
}

var sessionForm = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

// Plan decides the identity of a new worktree and refuses everything that Create could stumble over. It writes nothing, so that the identity can be on record before anything exists.
func (r *Repository) Plan(ctx context.Context, spec PlanSpec) (Identity, error) {
	if !sessionForm.MatchString(spec.Session) {
		return Identity{}, refuse(BadSession, "plan worktree: session id %q is not of the form [a-z0-9-]{1,64}", spec.Session)
	}
	id := Identity{Repository: r.root, Branch: spec.Branch}
	if id.Branch == "" {
		id.Branch = "nodwyn/" + spec.Session
	}
	if err := r.branchFree(ctx, id.Branch); err != nil {
		return Identity{}, err
	}
	var err error
	if id.Path, err = r.freePath(spec); err != nil {
		return Identity{}, err
	}
	id.Base, id.BaseCommit, err = r.base(ctx, spec)
	return id, err
}

func (r *Repository) branchFree(ctx context.Context, branch string) error {
	name, err := r.ask(ctx, r.mainPlace(), "check-ref-format", "--branch", branch)
	// The --branch form also expands shorthands such as @{-1}; a name must stand for itself.
	if exitCode(err) >= 1 || err == nil && name != branch {
		return refuse(BadBranch, "plan worktree: %q is not a valid branch name; choose another", branch)
	}
	if err != nil {
		return fmt.Errorf("plan worktree: %w", err)
	}
	taken, err := r.branchInTheWay(ctx, branch)
	if err != nil {
		return fmt.Errorf("plan worktree: %w", err)
	}
	if taken != "" {
		return refuse(BranchTaken, "plan worktree: branch %q cannot be made because branch %q exists; choose another name", branch, taken)
	}
	return nil
}

// branchInTheWay returns an existing branch that excludes the new one: itself, one below it, or one that would have to be a folder for it.
func (r *Repository) branchInTheWay(ctx context.Context, branch string) (string, error) {
	below, err := r.ask(ctx, r.mainPlace(), "for-each-ref", "--count=1", "--format=%(refname)", "refs/heads/"+branch)
	if err != nil || below != "" {
		return strings.TrimPrefix(below, "refs/heads/"), err
	}
	for i, c := range branch {
		if c != '/' {
			continue
		}
		if commit, err := r.branchCommit(ctx, branch[:i]); err != nil || commit != "" {
			return branch[:i], err
		}
	}
	return "", nil
}

func (r *Repository) freePath(spec PlanSpec) (string, error) {
	root, err := realPath(spec.Root)
	if err != nil {
		return "", fmt.Errorf("plan worktree under %q: %w", spec.Root, err)
	}
	path := filepath.Join(root, r.Hash(), spec.Session)
	admin, err := r.adminOf(path)
	if err != nil {
		return "", fmt.Errorf("plan worktree: %w", err)
	}
	if _, err := os.Lstat(path); err == nil || admin != "" {
		return "", refuse(PathTaken, "plan worktree: %q exists already; a path is never used twice", path)
	}
	return path, nil
}

// base resolves where the session starts and which branch its work goes back to: the branch that was named, else the one that is checked out.
func (r *Repository) base(ctx context.Context, spec PlanSpec) (branch, commit string, err error) {
	at, err := r.checkoutAt(ctx, spec.From)
	if errors.Is(err, errNoCheckout) {
		at, err = r.mainPlace(), nil
	}
	if err != nil {
		return "", "", fmt.Errorf("plan worktree: %w", err)
	}
	branch, commit, err = r.head(ctx, at)
	if err != nil {
		return "", "", fmt.Errorf("plan worktree: read HEAD: %w", err)
	}
	revision := spec.Base
	if revision == "" {
		if commit == "" {
			return "", "", refuse(NoCommit, "plan worktree: branch %q has no commit yet; make a first commit or name a base", branch)
		}
		return branch, commit, nil
	}
	if commit, err = r.resolve(ctx, at, revision+"^{commit}"); err != nil {
		return "", "", fmt.Errorf("plan worktree: %w", err)
	}
	if commit == "" {
		return "", "", refuse(BadBase, "plan worktree: base %q names no commit; choose a branch, tag or commit of the repository", revision)
	}
	full, err := r.ask(ctx, at, "rev-parse", "--verify", "--quiet", "--symbolic-full-name", "--end-of-options", revision)
	if named, ok := strings.CutPrefix(full, "refs/heads/"); ok && err == nil {
		branch = named
	}
	return branch, commit, nil
}
