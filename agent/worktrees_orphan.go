package agent

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"github.com/nodwyn/nodwyn/worktree"
)

// orphans adds the trees that no log names: folders below the roots, and what git has on its list though the folder is gone.
func (s *survey) orphans(ctx context.Context) error {
	for path, f := range s.folders {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		// A session that began since the logs were read has a log by now.
		if s.logged[path] || !s.known[f.Session] && s.agent.exists(f.Session) == nil {
			continue
		}
		t := Worktree{Session: f.Session, Path: path, State: WorktreeOrphan, Since: f.Changed, Repository: mainOf(f.Common), common: f.Common}
		s.addOrphan(ctx, t)
	}
	for _, repo := range s.openAll(ctx) {
		if err := s.listed(ctx, repo); err != nil {
			return err
		}
	}
	return nil
}

// openAll returns the repositories that anything leads to: the one that was asked for, and those of what was found.
func (s *survey) openAll(ctx context.Context) []*worktree.Repository {
	dirs := []string{s.repo}
	for _, t := range s.found {
		dirs = append(dirs, t.Repository)
	}
	var repos []*worktree.Repository
	for _, dir := range dirs {
		if dir == "" || s.repo != "" && dir != s.repo {
			continue
		}
		if repo, err := s.repository(ctx, dir); err == nil && !slices.Contains(repos, repo) {
			repos = append(repos, repo)
		}
	}
	return repos
}

// listed adds the trees on git's list that have neither a log nor a folder.
func (s *survey) listed(ctx context.Context, repo *worktree.Repository) error {
	for _, root := range s.roots {
		linked, err := repo.Linked(ctx, root)
		if err != nil {
			return err
		}
		for _, l := range linked {
			session := filepath.Base(l.Path)
			if _, there := s.folders[l.Path]; there || s.logged[l.Path] || s.agent.exists(session) == nil {
				continue
			}
			t := Worktree{Session: session, Path: l.Path, State: WorktreeOrphan, Repository: repo.Root(), Branch: l.Branch, common: repo.CommonDir()}
			s.addOrphan(ctx, t)
		}
	}
	return nil
}

func (s *survey) addOrphan(ctx context.Context, t Worktree) {
	if !s.wanted(t) {
		s.found = append(s.found, t)
		return
	}
	if err := s.judgeOrphan(ctx, &t); err != nil {
		t.State, t.Why, t.Removable = WorktreeUnreadable, err.Error(), false
	}
	s.found = append(s.found, t)
}

func (s *survey) judgeOrphan(ctx context.Context, t *Worktree) error {
	switch {
	case s.damaged[t.Session] != nil:
		return s.damaged[t.Session]
	case s.known[t.Session]:
		return errors.New("the log of its session names another place")
	case t.common == "":
		return errors.New("its .git leads to no repository, and no log names it")
	}
	repo, err := s.repository(ctx, t.Repository)
	if err != nil {
		return err
	}
	t.Repository = repo.Root()
	o, err := repo.Orphan(ctx, t.Path)
	if err != nil {
		return err
	}
	t.Branch, t.Since = o.Branch, o.Used
	if t.Unlanded, err = repo.Unlanded(ctx, o.Identity, o.Tip, nil); err != nil {
		return err
	}
	t.Removable = len(t.Unlanded) == 0 && s.now.Sub(o.Used) >= orphanAge
	return nil
}

// mainOf returns what a repository is known by: the folder around its git folder, or the git folder of one without a working tree.
func mainOf(common string) string {
	if filepath.Base(common) == ".git" {
		return filepath.Dir(common)
	}
	return common
}
