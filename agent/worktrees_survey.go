package agent

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

// survey gathers the worktrees.
type survey struct {
	agent *Agent
	repo  string
	now   time.Time
	found []Worktree

	roots        []string
	folders      map[string]worktree.Folder // by path
	logged       map[string]bool            // the paths that a log names
	known        map[string]bool            // the sessions whose logs were read
	damaged      map[string]error           // logs that cannot be read, by session
	repositories map[string]opened
}

// opened is a repository, or why it cannot be opened.
type opened struct {
	repo *worktree.Repository
	err  error
}

// logged is a session as its log tells of it.
type logged struct {
	id    string
	state view.State
	err   error
}

func (a *Agent) survey(repo string) *survey {
	return &survey{
		agent: a, repo: repo, now: a.cfg.Now(), repositories: make(map[string]opened), folders: make(map[string]worktree.Folder),
		known: make(map[string]bool), logged: make(map[string]bool), damaged: make(map[string]error),
	}
}

func (s *survey) run(ctx context.Context) error {
	sessions, err := s.sessions()
	if err != nil {
		return err
	}
	if err := s.lookAround(sessions); err != nil {
		return err
	}
	for _, one := range sessions {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if t, there := s.ofSession(ctx, one); there {
			s.found = append(s.found, t)
		}
	}
	if err := s.trash(ctx); err != nil {
		return err
	}
	return s.orphans(ctx)
}

// sessions folds every log.
func (s *survey) sessions() ([]logged, error) {
	entries, err := sessionlog.List(s.agent.SessionsDir())
	if err != nil {
		return nil, err
	}
	var list []logged
	for _, e := range entries {
		s.known[e.Session] = true
		st, err := s.agent.State(e.Session)
		if err != nil {
			s.damaged[e.Session] = err
		}
		if st.Config.Worktree != nil {
			list = append(list, logged{id: e.Session, state: st, err: err})
			s.logged[st.Config.Worktree.Path] = true
		}
	}
	return list, nil
}

// lookAround lists the folders below the roots: the configured one, and those that logs name from when another was.
func (s *survey) lookAround(sessions []logged) error {
	var roots []string
	if s.agent.cfg.WorktreeRoot != "" {
		root, err := worktree.RealRoot(s.agent.cfg.WorktreeRoot)
		if err != nil {
			return err
		}
		roots = append(roots, root)
	}
	for _, one := range sessions {
		roots = append(roots, filepath.Dir(filepath.Dir(one.state.Config.Worktree.Path)))
	}
	slices.Sort(roots)
	s.roots = slices.Compact(roots)
	for _, root := range s.roots {
		folders, err := worktree.ListFolders(root)
		if err != nil {
			return err
		}
		for _, f := range folders {
			s.folders[f.Path] = f
		}
	}
	return nil
}

// ofSession judges the worktree of a session, unless it is gone as it should be.
func (s *survey) ofSession(ctx context.Context, one logged) (Worktree, bool) {
	w, st := one.state.Config.Worktree, one.state
	_, there := s.folders[w.Path]
	live, held := s.open(one.id)
	if !there && !live && (st.WorktreeRemoved || !st.WorktreeMade) {
		return Worktree{}, false
	}
	t := Worktree{
		Session: one.id, Title: summarize(one.id, st, view.Totals{}).Title, Repository: w.Repository, Branch: w.Branch, Path: w.Path,
		Since: st.Updated,
	}
	switch {
	case !s.wanted(t):
	case live:
		t.State, t.Elsewhere = WorktreeOpen, !held
	case one.err != nil:
		t.State, t.Why = WorktreeUnreadable, one.err.Error()
	default:
		s.judge(ctx, st, &t)
	}
	if !there && t.State != WorktreeOpen && t.State != WorktreeUnreadable {
		t.State = WorktreeMissing
	}
	return t, true
}

// open reports whether anybody has the session open, and whether it is this process. A log that cannot be asked counts as open.
func (s *survey) open(id string) (live, held bool) {
	a := s.agent
	a.mu.Lock()
	_, held = a.sessions[id]
	held = held || a.opening[id]
	a.mu.Unlock()
	live, err := sessionlog.Live(a.LogPath(id))
	return live || held || err != nil, held
}

// wanted reports whether one was asked for. The others only count.
func (s *survey) wanted(t Worktree) bool { return s.repo == "" || t.Repository == s.repo }

func (s *survey) judge(ctx context.Context, st view.State, t *Worktree) {
	repo, err := s.repository(ctx, t.Repository)
	if err == nil {
		t.Unlanded, err = repo.Unlanded(ctx, worktree.Identity(*st.Config.Worktree), st.Tip(), landings(st))
	}
	switch {
	case err != nil:
		t.State, t.Why = WorktreeUnreadable, err.Error()
	case len(t.Unlanded) > 0:
		t.State = WorktreeUnlanded
	case len(st.Landings) == 0 && st.Checkpoint == "":
		t.State, t.Removable = WorktreeEmpty, true
	default:
		t.State, t.Removable = WorktreeLanded, true
	}
}

func (s *survey) repository(ctx context.Context, dir string) (*worktree.Repository, error) {
	known, ok := s.repositories[dir]
	if !ok {
		known.repo, known.err = s.agent.repository(ctx, dir)
		s.repositories[dir] = known
	}
	return known.repo, known.err
}

// result measures what was found and sorts it.
func (s *survey) result(ctx context.Context) (Worktrees, error) {
	list := Worktrees{Quota: s.agent.quota()}
	for _, root := range s.roots {
		rest, err := worktree.SizeOfRest(ctx, root)
		if err != nil {
			return Worktrees{}, err
		}
		list.Total += rest
	}
	for i, t := range s.found {
		size, err := worktree.Size(ctx, t.Path)
		if err != nil {
			return Worktrees{}, err
		}
		s.found[i].Size = size
		list.Total += size
	}
	slices.SortStableFunc(s.found, compareWorktrees)
	markTrash(s.found, list.Total, list.Quota, s.now)
	for _, t := range s.found {
		if s.wanted(t) {
			list.Worktrees = append(list.Worktrees, t)
		}
	}
	return list, nil
}

func compareWorktrees(a, b Worktree) int {
	return cmp.Or(
		cmp.Compare(order(a), order(b)),
		strings.Compare(a.Repository, b.Repository),
		b.Since.Compare(a.Since),
		strings.Compare(a.Path, b.Path),
	)
}

func order(t Worktree) int {
	if t.State == WorktreeTrash {
		return 1
	}
	return 0
}
