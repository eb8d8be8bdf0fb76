package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// branchFor checks the name of a branch that a landing is to make.
func (r *Repository) branchFor(ctx context.Context, branch string) error {
	name, err := r.ask(ctx, r.mainPlace(), "check-ref-format", "--branch", branch)
	if exitCode(err) >= 1 || err == nil && name != branch {
		return refuse(BadBranch, "it is not a valid branch name; choose another")
	}
	if err != nil {
		return err
	}
	taken, err := r.branchInTheWay(ctx, branch)
	if err != nil {
		return err
	}
	if taken != "" {
		return refuse(BranchTaken, "the branch cannot be made because branch %q exists; choose another name", taken)
	}
	holder, err := r.holder(ctx, branch)
	if err == nil && holder.path != "" {
		err = refuse(BranchTaken, "%q has it checked out without a commit; choose another name, or make a first commit there", holder.path)
	}
	return err
}

// branchStart returns the commit that a new branch starts from: where the session counts from, on which its work always fits, or the base branch as it is when that is no commit of the person's. A session that began at a snapshot, as another session's tip is one, starts from what the snapshot stands on.
func (r *Repository) branchStart(ctx context.Context, id Identity, base string) (string, error) {
	if id.Base == "" || base == id.BaseCommit {
		return r.personal(ctx, id.BaseCommit)
	}
	tip, err := r.branchCommit(ctx, id.Base)
	if err != nil {
		return "", err
	}
	if tip == "" {
		return r.personal(ctx, id.BaseCommit)
	}
	if has, err := r.ancestor(ctx, base, tip); err != nil || has {
		return base, err
	}
	return tip, nil
}

// personal returns the newest commit in a first-parent history that is no snapshot of ours.
func (r *Repository) personal(ctx context.Context, commit string) (string, error) {
	for {
		out, err := r.ask(ctx, r.mainPlace(), "log", "-1", "--no-show-signature", "--format=%ce %P", commit)
		if err != nil {
			return "", err
		}
		committer, parents, _ := strings.Cut(out, " ")
		parent, _, _ := strings.Cut(parents, " ")
		if committer != ourEmail || parent == "" {
			return commit, nil
		}
		commit = parent
	}
}

// Push is a command that sends a branch to a remote. It is not run here: it needs the network, the person's credentials and their permission.
type Push struct {
	// Remote is the remote's name.
	Remote string
	// URL is where the remote pushes to, for the person who permits it.
	URL string
	// Dir is where the command runs.
	Dir string
	// Argv is the command. It forces nothing: a remote branch with other commits refuses it.
	Argv []string
}

// Pushing returns the command that pushes a branch, which need not exist yet. An empty remote means the one that the person's configuration names for the branch, or the only one.
func (r *Repository) Pushing(ctx context.Context, branch, remote string) (Push, error) {
	remote, err := r.remoteFor(ctx, branch, remote)
	if err != nil {
		return Push{}, fmt.Errorf("push branch %q: %w", branch, err)
	}
	url, err := r.ask(ctx, r.mainPlace(), "remote", "get-url", "--push", "--", remote)
	if err != nil {
		return Push{}, fmt.Errorf("push branch %q: read the address of remote %q: %w", branch, remote, err)
	}
	ref := "refs/heads/" + branch
	argv := []string{"git", "push", "--porcelain", "--no-recurse-submodules", "--", remote, ref + ":" + ref}
	return Push{Remote: remote, URL: url, Dir: r.root, Argv: argv}, nil
}

func (r *Repository) remoteFor(ctx context.Context, branch, remote string) (string, error) {
	out, err := r.ask(ctx, r.mainPlace(), "remote")
	if err != nil {
		return "", err
	}
	remotes := strings.Fields(out)
	if len(remotes) == 0 {
		return "", refuse(NoRemote, "the repository has no remote; add one (git remote add origin ADDRESS), then push again")
	}
	if remote != "" && !slices.Contains(remotes, remote) {
		return "", refuse(NoRemote, "there is no remote %q; name one of %q", remote, remotes)
	}
	for _, key := range [...]string{"branch." + branch + ".pushRemote", "remote.pushDefault", "branch." + branch + ".remote"} {
		if remote != "" {
			break
		}
		if remote, err = r.setting(ctx, "--no-type", key); err != nil {
			return "", err
		}
		if !slices.Contains(remotes, remote) {
			remote = ""
		}
	}
	switch {
	case remote != "":
		return remote, nil
	case len(remotes) == 1:
		return remotes[0], nil
	case slices.Contains(remotes, "origin"):
		return "origin", nil
	}
	return "", refuse(NoRemote, "the repository has several remotes; name one of %q", remotes)
}
