package worktree

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	gogit "github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/go-git/go-git/v5/storage/filesystem/dotgit"
)

// readOnly hides the extensions that change nothing for reading refs and objects; go-git v5 refuses to open a repository that has them.
type readOnly struct{ *filesystem.Storage }

// Config returns the repository's configuration without the harmless extensions.
func (s readOnly) Config() (*config.Config, error) {
	c, err := s.Storage.Config()
	if err != nil {
		return nil, err
	}
	extensions := c.Raw.Section("extensions")
	for _, harmless := range [...]string{"worktreeConfig", "relativeWorktrees", "partialClone", "preciousObjects"} {
		extensions.RemoveOption(harmless)
	}
	return c, nil
}

// reader opens the repository for one read. It is not kept, because a gc of another process renames packs under it.
func (r *Repository) reader(at place) (*gogit.Repository, error) {
	files := dotgit.NewRepositoryFilesystem(osfs.New(at.gitDir), osfs.New(r.common))
	options := filesystem.Options{AlternatesFS: osfs.New("/")}
	return gogit.Open(readOnly{filesystem.NewStorageWithOptions(files, cache.NewObjectLRUDefault(), options)}, nil)
}

// head returns the branch and commit that are checked out at a place: branch is empty when HEAD is detached, commit when the branch is unborn.
func (r *Repository) head(ctx context.Context, at place) (branch, commit string, err error) {
	if repo, err := r.reader(at); err == nil {
		if ref, err := repo.Head(); err == nil {
			if ref.Name().IsBranch() {
				branch = ref.Name().Short()
			}
			return branch, ref.Hash().String(), nil
		}
	}
	name, err := r.ask(ctx, at, "symbolic-ref", "-q", "HEAD")
	if err != nil && exitCode(err) != 1 {
		return "", "", err
	}
	commit, err = r.resolve(ctx, at, "HEAD^{commit}")
	return strings.TrimPrefix(name, "refs/heads/"), commit, err
}

// refCommit returns the commit of a full ref name, empty when there is no such ref.
func (r *Repository) refCommit(ctx context.Context, name string) (string, error) {
	if repo, err := r.reader(r.mainPlace()); err == nil {
		if ref, err := repo.Reference(plumbing.ReferenceName(name), true); err == nil {
			return ref.Hash().String(), nil
		}
	}
	return r.resolve(ctx, r.mainPlace(), name)
}

func (r *Repository) branchCommit(ctx context.Context, branch string) (string, error) {
	return r.refCommit(ctx, "refs/heads/"+branch)
}

// treeOf returns the tree of any revision, also of one that is a tree itself.
func (r *Repository) treeOf(ctx context.Context, revision string) (string, error) {
	if repo, err := r.reader(r.mainPlace()); err == nil && plumbing.IsHash(revision) {
		if commit, err := repo.CommitObject(plumbing.NewHash(revision)); err == nil {
			return commit.TreeHash.String(), nil
		}
		if tree, err := repo.TreeObject(plumbing.NewHash(revision)); err == nil {
			return tree.Hash.String(), nil
		}
	}
	tree, err := r.resolve(ctx, r.mainPlace(), revision+"^{tree}")
	if err != nil {
		return "", err
	}
	if tree == "" {
		return "", fmt.Errorf("read revision %q: the repository has no such commit or tree", revision)
	}
	return tree, nil
}

// resolve asks git for the object id of a revision, empty when there is none.
func (r *Repository) resolve(ctx context.Context, at place, revision string) (string, error) {
	id, err := r.ask(ctx, at, "rev-parse", "--verify", "--quiet", "--end-of-options", revision)
	if exitCode(err) == 1 {
		return "", nil
	}
	return id, err
}

// ancestor reports whether commit is in the history of tip. What does not exist is in no history and has none.
func (r *Repository) ancestor(ctx context.Context, commit, tip string) (bool, error) {
	if commit == "" || tip == "" {
		return false, nil
	}
	_, err := r.ask(ctx, r.mainPlace(), "merge-base", "--is-ancestor", commit, tip)
	if exitCode(err) == 1 {
		return false, nil
	}
	if exitCode(err) > 1 {
		for _, id := range [...]string{commit, tip} {
			if found, asked := r.resolve(ctx, r.mainPlace(), id+"^{commit}"); asked == nil && found == "" {
				return false, nil
			}
		}
	}
	return err == nil, err
}
