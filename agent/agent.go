// Package agent runs sessions: it accepts prompts, drives the turn loop, records what happens, and lets a session be cancelled, resumed, landed and closed.
//
// Invariant: an event is durable before anyone is told of it or anything that needs it happens; every effect passes the session's guard; every goroutine started here is waited for by Session.Close or Agent.Close.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"sync"
	"time"

	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/agent/provider"
	"github.com/nodwyn/nodwyn/index"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/sessionlog/event"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
	"github.com/nodwyn/nodwyn/worktree"
)

// Model is one entry of the registry: what a session can talk to.
type Model struct {
	// Identity names the model in the log.
	Identity event.Model
	// Limits and Options enter the recipe of each request.
	Limits  event.Limits
	Options event.Options
	// Wire is the request format and its version.
	Wire string
	// Base carries the requests that the guard lets out; nil is the guard's own transport.
	Base http.RoundTripper
	// Price estimates the cost of a reply whose server names none.
	Price provider.Price
	// Open returns the provider, reached through the transport that the session's guard gives.
	Open func(t http.RoundTripper) (provider.Provider, error)
}

// called is how an error names the model: a scripted one has no id.
func (m Model) called() string { return cmp.Or(m.Identity.Model, m.Identity.Name) }

// Project is what a repository's own configuration narrows.
type Project struct {
	// Policy is the person's policy with the project's denials added.
	Policy guard.Policy
	// Index holds the person's limits and excludes with the project's added.
	Index index.Options
	// Setup are the commands by which the project makes a new worktree fit for work. They run only when the person trusts them.
	Setup []SetupCommand
}

// Config is what an Agent works with. Everything in it was read and validated by cmd.
type Config struct {
	// Version is the program's version, for the log.
	Version string
	// DataDir holds the session logs, in its folder "sessions".
	DataDir string
	// StateDir holds what is remembered between sessions: trust, approvals, worktrees.
	StateDir string
	// WorktreeRoot holds the worktrees.
	WorktreeRoot string
	// Branch is the template of a session's branch, with {slug} and {id}.
	Branch string
	// Worktrees says what worktrees get and how much room they may take.
	Worktrees WorktreeConfig
	// Private are folders that no session may read or write, such as the configuration's.
	Private []string
	// Models are the registry entries by name; "control" is what a session talks to by default.
	Models map[string]Model
	// Side is asked beside conversations, for titles and messages; one that cannot be opened is asked nothing.
	Side Model
	// NoModel says why there is no "control" model, for the error of the first session.
	NoModel error
	// Discover finds a "control" model where Models has none. It may ask servers, so it is called when a session starts or resumes and never earlier; nil finds nothing.
	Discover func(ctx context.Context) (Model, error)
	// Project reads the configuration of the repository at root.
	Project func(root string) (Project, error)
	// Redactor takes secrets out of everything that is recorded or shown; nil knows no registered values.
	Redactor *redact.Redactor
	// Credentials keeps secrets; nil keeps none.
	Credentials *cred.Store
	// Asker reaches the person.
	Asker guard.Asker
	// Sandbox contains the commands of sessions; nil contains none.
	Sandbox *guard.Sandbox
	// CacheDir is where the caches of build tools lie, a folder for each repository; empty for none.
	CacheDir string
	// Supervisor is the argv that runs this program as a process supervisor.
	Supervisor []string
	// Env is the environment that commands start from.
	Env []string
	// Log takes details for developers; nil discards them.
	Log *slog.Logger
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// Agent holds the open sessions of one process.
type Agent struct {
	cfg Config
	git *guard.Git

	// mu guards the maps. Nothing slow happens under it.
	mu       sync.Mutex
	sessions map[string]*Session
	repos    map[string]*worktree.Repository // by common dir: one write lock per repository
	opening  map[string]bool                 // sessions between accept and registration
	landings chan struct{}                   // holds one token while a landing is computed and applied
	listed   map[string]cachedSummary
	radars   map[*worktree.Repository]*worktree.Radar
	meeting  chan struct{} // holds one token while overlaps are looked for

	// tasks are what nobody waits for but Close; life ends with it.
	tasks sync.WaitGroup
	life  context.Context
	die   context.CancelFunc
}

// New returns an agent without sessions.
func New(cfg Config) *Agent {
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	if cfg.Redactor == nil {
		cfg.Redactor = redact.New()
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	life, die := context.WithCancel(context.Background())
	return &Agent{
		cfg: cfg, git: guard.NewGit(cfg.Env), life: life, die: die, meeting: make(chan struct{}, 1),
		sessions: make(map[string]*Session), repos: make(map[string]*worktree.Repository),
		opening: make(map[string]bool), landings: make(chan struct{}, 1), listed: make(map[string]cachedSummary),
		radars: make(map[*worktree.Repository]*worktree.Radar),
	}
}

// SessionsDir is the folder of the session logs.
func (a *Agent) SessionsDir() string { return filepath.Join(a.cfg.DataDir, "sessions") }

// LogPath is the file of a session's log.
func (a *Agent) LogPath(session string) string { return sessionlog.Path(a.SessionsDir(), session) }

// Session returns an open session.
func (a *Agent) Session(id string) (*Session, error) {
	a.mu.Lock()
	s, ok := a.sessions[id]
	a.mu.Unlock()
	if ok {
		return s, nil
	}
	if err := a.exists(id); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("session %s: %w", id, ErrNotOpen)
}

// Close ends every session with the reason "editor_exit" or "shutdown": running turns are cancelled, recorded and flushed, worktrees stay.
func (a *Agent) Close(reason string) error {
	a.mu.Lock()
	a.die()
	var open []*Session
	for _, s := range a.sessions {
		open = append(open, s)
	}
	a.mu.Unlock()
	errs := make([]error, len(open))
	var wg sync.WaitGroup
	for i, s := range open {
		wg.Go(func() { errs[i] = s.end(ErrEditorExit, reason) })
	}
	wg.Wait()
	a.tasks.Wait()
	return errors.Join(errs...)
}

// CancelTurns ends every running turn early, without waiting: what is under way stops before anything new begins.
func (a *Agent) CancelTurns(cause error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, s := range a.sessions {
		s.cancelTurn(cause)
	}
}

// Redact takes secrets out of a text that leaves by another way than the log.
func (a *Agent) Redact(text string) string {
	clean, _ := a.cfg.Redactor.String(text)
	return clean
}

// reserve claims an id while its session is being built, so that two openers in one process cannot race.
func (a *Agent) reserve(id string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opening[id] {
		return fmt.Errorf("session %s: %w", id, sessionlog.ErrOpen)
	}
	a.opening[id] = true
	return nil
}

// settle ends a reservation; s is nil when the session could not be built.
func (a *Agent) settle(id string, s *Session) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.opening, id)
	if s != nil {
		a.sessions[id] = s
	}
}

func (a *Agent) forget(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.sessions, id)
}

// repository opens the repository of dir, once per common dir.
func (a *Agent) repository(ctx context.Context, dir string) (*worktree.Repository, error) {
	r, err := worktree.Open(ctx, a.git, dir)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if known, ok := a.repos[r.CommonDir()]; ok {
		return known, nil
	}
	a.repos[r.CommonDir()] = r
	return r, nil
}
