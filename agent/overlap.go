package agent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/worktree"
)

// Overlap is a file that another session of the same repository changes too.
type Overlap struct {
	// Session is the other one, Title its title or first request.
	Session string `json:"session"`
	Title   string `json:"title"`
	// Path is the file.
	Path string `json:"path"`
	// Lines are the places that both change; none when they change different ones.
	Lines []worktree.ConflictLines `json:"lines,omitempty"`
	// Whole says that one of them changes the file other than by lines.
	Whole bool `json:"whole,omitempty"`
}

func (o Overlap) equal(p Overlap) bool {
	return o.Session == p.Session && o.Title == p.Title && o.Path == p.Path && o.Whole == p.Whole && slices.Equal(o.Lines, p.Lines)
}

// meetLater looks for overlaps beside whatever comes next. The agent waits for it when it closes.
func (s *Session) meetLater() {
	repo := s.repo
	if repo == nil {
		return
	}
	s.agent.later(func(ctx context.Context) {
		if err := s.agent.meet(ctx, repo); err != nil && ctx.Err() == nil {
			s.agent.cfg.Log.Warn("look for overlaps", "repository", repo.Root(), "err", err)
		}
	})
}

// later runs a piece of work that nobody waits for but Close. After Close nothing begins.
func (a *Agent) later(work func(ctx context.Context)) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.life.Err() == nil {
		a.tasks.Go(func() { work(a.life) })
	}
}

// meet finds where the open sessions of a repository change the same files, and tells each of them that is open here. The token keeps an older answer from coming after a newer one.
func (a *Agent) meet(ctx context.Context, repo *worktree.Repository) error {
	select {
	case a.meeting <- struct{}{}:
		defer func() { <-a.meeting }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	open, radar := a.workers(repo)
	var sessions []*Session
	var work []worktree.Work
	titles := make(map[string]string)
	for _, s := range open {
		st := s.State()
		titles[s.id] = titleOf(st)
		if w := st.Config.Worktree; w == nil || w.Repository != repo.Root() || !st.WorktreeMade {
			continue
		}
		sessions = append(sessions, s)
		if st.Tip() != st.Base {
			work = append(work, worktree.Work{Session: s.id, Base: st.Base, Tip: st.Tip()})
		}
	}
	others, err := a.workElsewhere(repo, titles)
	if err != nil {
		return err
	}
	work = append(work, others...)
	found, err := radar.Overlaps(ctx, work)
	if err != nil {
		return fmt.Errorf("compare %d sessions: %w", len(work), err)
	}
	of := make(map[string][]Overlap)
	for _, o := range found {
		of[o.One] = append(of[o.One], Overlap{o.Other, titles[o.Other], o.Path, o.Lines, o.Whole})
		of[o.Other] = append(of[o.Other], Overlap{o.One, titles[o.One], o.Path, o.Lines, o.Whole})
	}
	for _, s := range sessions {
		s.tellOverlaps(of[s.id])
	}
	return nil
}

// maxElsewhere bounds how many of the latest logs are looked at for sessions that another process holds.
const maxElsewhere = 200

// workElsewhere is what sessions of the repository have changed that are open in another process, as far as their logs tell. Their titles are added.
func (a *Agent) workElsewhere(repo *worktree.Repository, titles map[string]string) ([]worktree.Work, error) {
	entries, err := sessionlog.List(a.SessionsDir())
	if err != nil {
		return nil, fmt.Errorf("look for sessions of other processes: %w", err)
	}
	var work []worktree.Work
	for _, e := range entries[max(len(entries)-maxElsewhere, 0):] {
		if _, ours := titles[e.Session]; ours {
			continue
		}
		k := a.known(e)
		if k.summary.OpenElsewhere && k.summary.Repository == repo.Root() && k.base != k.tip {
			titles[e.Session] = k.summary.Title
			work = append(work, worktree.Work{Session: e.Session, Base: k.base, Tip: k.tip})
		}
	}
	return work, nil
}

// workers are the open sessions, in the order of their ids, and what compares those of the repository.
func (a *Agent) workers(repo *worktree.Repository) ([]*Session, *worktree.Radar) {
	a.mu.Lock()
	defer a.mu.Unlock()
	radar, ok := a.radars[repo]
	if !ok {
		radar = repo.NewRadar()
		a.radars[repo] = radar
	}
	var sessions []*Session
	for _, s := range a.sessions {
		sessions = append(sessions, s)
	}
	slices.SortFunc(sessions, func(x, y *Session) int { return strings.Compare(x.id, y.id) })
	return sessions, radar
}

// tellOverlaps tells subscribers when something changed.
func (s *Session) tellOverlaps(found []Overlap) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.EqualFunc(s.overlaps, found, Overlap.equal) {
		return
	}
	s.overlaps = found
	s.status = s.statusLocked()
	for sub := range s.subs {
		sub.statusLocked(s.status)
	}
}
