package agent

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// Summary is one line of a session list.
type Summary struct {
	Session string `json:"session"`
	Title   string `json:"title"`
	// Status is "idle", "running", "waiting", "closed", or "damaged" for a log that cannot be read; Title then says why.
	Status        string    `json:"status"`
	Unfinished    bool      `json:"unfinished"`
	Mode          string    `json:"mode"`
	Repo          string    `json:"repo"`
	Repository    string    `json:"repository,omitempty"`
	Branch        string    `json:"branch,omitempty"`
	Model         string    `json:"model"`
	Created       time.Time `json:"created"`
	Updated       time.Time `json:"updated"`
	Turns         int       `json:"turns"`
	Cost          *float64  `json:"cost,omitempty"`
	OpenElsewhere bool      `json:"openElsewhere"`
	// Overlaps are those of a session that is open here.
	Overlaps []Overlap `json:"overlaps,omitempty"`
}

// ListSpec says which sessions to list.
type ListSpec struct {
	// Repo keeps the sessions whose tree or repository it is; empty keeps all.
	Repo string
	// Limit bounds the answer; 0 is 100.
	Limit int
	// Cursor goes on where the last answer ended.
	Cursor string
}

// cachedSummary is a summary of a file as it was.
type cachedSummary struct {
	size    int64
	modTime time.Time
	summary Summary
	// base and tip are what the session changed; equal when nothing, or when its worktree is gone.
	base, tip string
}

// List returns sessions, the newest first, and the cursor of the next page; empty when there is none.
func (a *Agent) List(ctx context.Context, spec ListSpec) ([]Summary, string, error) {
	entries, err := sessionlog.List(a.SessionsDir())
	if err != nil {
		return nil, "", fmt.Errorf("list sessions: %w", err)
	}
	slices.Reverse(entries)
	limit := spec.Limit
	if limit <= 0 {
		limit = 100
	}
	var out []Summary
	for _, e := range entries {
		if ctx.Err() != nil {
			return nil, "", context.Cause(ctx)
		}
		if spec.Cursor != "" && e.Session >= spec.Cursor {
			continue
		}
		sum := a.summary(e)
		if !matches(sum, spec.Repo) {
			continue
		}
		if len(out) == limit {
			return out, out[limit-1].Session, nil
		}
		out = append(out, sum)
	}
	return out, "", nil
}

func matches(s Summary, repo string) bool {
	repo = strings.TrimRight(repo, string(filepath.Separator))
	return repo == "" || s.Repo == repo || s.Repository == repo
}

// summary folds a log, or takes what is known of a file that did not change.
func (a *Agent) summary(e sessionlog.Entry) Summary { return a.known(e).summary }

func (a *Agent) known(e sessionlog.Entry) cachedSummary {
	a.mu.Lock()
	known, ok := a.listed[e.Session]
	open, held := a.sessions[e.Session]
	a.mu.Unlock()
	if !ok || known.size != e.Size || !known.modTime.Equal(e.ModTime) {
		known = foldSummary(e)
		a.mu.Lock()
		a.listed[e.Session] = known
		a.mu.Unlock()
	}
	sum := &known.summary
	if held {
		open.mu.Lock()
		sum.Overlaps = open.overlaps
		open.mu.Unlock()
	}
	live, err := sessionlog.Live(e.Path)
	sum.OpenElsewhere = err == nil && live && !held
	if !live && !held && sum.Status != "damaged" {
		sum.Status = "closed" // whoever held it is gone; Unfinished says whether it got to its end
	}
	return known
}

func foldSummary(e sessionlog.Entry) cachedSummary {
	known := cachedSummary{size: e.Size, modTime: e.ModTime}
	var st view.State
	var totals view.Totals
	for ev, err := range sessionlog.Read(e.Path) {
		if err != nil {
			known.summary = Summary{Session: e.Session, Status: "damaged", Title: err.Error(), Updated: e.ModTime}
			return known
		}
		st.Apply(ev)
		totals.Apply(ev)
	}
	if st.Created.IsZero() {
		known.summary = Summary{Session: e.Session, Status: "damaged", Title: errEmpty.Error(), Updated: e.ModTime}
		return known
	}
	known.summary = summarize(e.Session, st, totals)
	if !st.WorktreeRemoved {
		known.base, known.tip = st.Base, st.Tip()
	}
	return known
}

// errEmpty says that a log ends before it begins.
var errEmpty = errors.New("the log holds no session.start: the session never began, and the file can be removed")

func summarize(id string, st view.State, totals view.Totals) Summary {
	s := Summary{
		Session: id, Title: titleOf(st), Status: st.Status(), Unfinished: st.Unfinished(), Mode: st.Config.Mode, Repo: st.Config.Repo,
		Model: st.Config.Model.Model, Created: st.Created, Updated: st.Updated, Turns: st.Turn, Cost: totals.Cost,
	}
	if w := st.Config.Worktree; w != nil {
		s.Repository, s.Branch = w.Repository, w.Branch
	}
	return s
}

// titleOf is the title, or the first line of the first request, or empty.
func titleOf(st view.State) string {
	if st.Title != "" || st.FirstAsk == "" {
		return st.Title
	}
	return subject(st.FirstAsk)
}

// Verify reads a whole log strictly and returns how many events it holds.
func (a *Agent) Verify(session string) (int, error) {
	n := 0
	err := a.Fold(session, func(event.Event) { n++ })
	if err == nil && n == 0 {
		return 0, fmt.Errorf("session %s: %w", session, errEmpty)
	}
	return n, err
}
