// Package guard stands between a session and the machine: it decides, asks a person where the policy says so, records, and only then acts.
//
// Invariant: no effect happens before its decision is durable, and none at all when the decision cannot be recorded. No answer, a late, foreign or malformed one, and an error are denials. The policy is one pure function, Decide; everything else here finds out its arguments or carries out its ruling.
package guard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"sync"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/agent/guard/internal/sandbox"
	"github.com/nodwyn/nodwyn/sessionlog/event"
)

// Recorder appends to the session's log. What it is given is durable when it returns, all of it in one sync.
type Recorder interface {
	Record(ps ...event.Payload) error
}

// Config is what a session's guard works with.
type Config struct {
	// Session is the session's id.
	Session string
	// Root is the absolute folder of the session's tree.
	Root string
	// Worktree says that Root is the session's own worktree, so that its writes may be allowed as a whole.
	Worktree bool
	// Checkout is the person's own checkout, when Root is a worktree beside it; paths into it stand for those at the same place of Root.
	Checkout string
	// Mode is the session's mode. Only "edit", which empty stands for, allows writes and commands.
	Mode string
	// Policy is what the configuration says.
	Policy Policy
	// Asker reaches the person.
	Asker Asker
	// Recorder is the session's log.
	Recorder Recorder
	// Supervisor is the argv that makes this program call Supervise.
	Supervisor []string
	// StateDir holds trust.json and approvals.json. When it is empty, nothing is remembered beyond the session.
	StateDir string
	// Repository is what always-approvals and trust belong to: the repository's common folder, or the session's folder.
	Repository string
	// Forbidden are absolute folders that are neither read nor written, such as our own data. Root must not lie in one, unless it is the session's own worktree.
	Forbidden []string
	// Env returns the environment that commands start from, before it is scrubbed; nil is an empty one.
	Env func() []string
	// Sandbox contains the commands; nil contains none.
	Sandbox *Sandbox
	// Git says where git keeps what belongs to the session's worktree; nil without one.
	Git func() (Repository, error)
	// CacheDir is where the caches of build tools lie for this repository, and the session's temporary files; empty for neither.
	CacheDir string
	// History says how often commands that a beginning covers ran in this repository; nil when nobody knows.
	History func(prefix []string) History
	// NextPrompt is the number of the next prompt; 0 counts from 1.
	NextPrompt int
}

// ErrClosed says that the guard was closed, which withdraws its prompts and ends its commands.
var ErrClosed = errors.New("guard is closed")

// Guard guards one session. It is safe for concurrent use.
type Guard struct {
	*shared
	turn int
	call string
}

// shared is what the guards of one session's calls have in common.
type shared struct {
	cfg       Config
	git       *Git
	tree      func() (*effect.Tree, error) // opens it at the first use
	forbidden []string                     // below the tree; set when that is opened
	transport *http.Transport
	slot      chan struct{}   // holds one token while a prompt is open
	life      context.Context // ends with Close, cause ErrClosed
	end       context.CancelCauseFunc
	beside    sync.WaitGroup // background commands; Close waits for them

	// mu guards what follows. Nothing slow happens under it.
	mu        sync.Mutex
	prompts   int // the last prompt's number
	approvals []Approval
	trusted   map[string]bool // by digest: this session's answers
	adopted   adopted         // this session's answer to the proposed checks
	runs      []*running
	jobs      []*job // background commands, by their start
	started   int    // how many there ever were
	leaving   bool   // no more of them start
	opened    *effect.Tree
	tempDir   string // for temporary files of commands; empty before the first
}

// New checks the configuration and returns the session's guard. It touches nothing: the tree is opened when it is first needed.
func New(c Config) (*Guard, error) {
	if err := c.validate(); err != nil {
		return nil, fmt.Errorf("guard session %q: %w", c.Session, err)
	}
	c.Root = filepath.Clean(c.Root)
	life, end := context.WithCancelCause(context.Background())
	s := &shared{
		cfg: c, git: NewGit(c.environment()),
		slot: make(chan struct{}, 1), life: life, end: end,
		prompts: max(c.NextPrompt-1, 0),
		trusted: make(map[string]bool), transport: effect.NewTransport(),
	}
	s.tree = sync.OnceValues(s.open)
	return &Guard{shared: s}, nil
}

func (c Config) validate() error {
	switch {
	case !filepath.IsAbs(c.Root):
		return fmt.Errorf("root %q is not an absolute path", c.Root)
	case c.Asker == nil || c.Recorder == nil:
		return errors.New("asker or recorder is missing")
	}
	for _, dir := range c.Forbidden {
		if !filepath.IsAbs(dir) {
			return fmt.Errorf("forbidden folder %q is not an absolute path", dir)
		}
	}
	if err := c.checkNames(); err != nil {
		return err
	}
	return c.Policy.Validate()
}

func (c Config) environment() []string {
	if c.Env == nil {
		return nil
	}
	return c.Env()
}

func (s *shared) open() (*effect.Tree, error) {
	if err := s.cfg.checkRoot(); err != nil {
		return nil, err
	}
	t, err := effect.OpenTree(s.cfg.Root)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.life.Err() != nil {
		return nil, errors.Join(ErrClosed, t.Close())
	}
	s.opened = t
	for _, dir := range s.cfg.Forbidden {
		s.forbidden = append(s.forbidden, t.Inside(dir)...)
	}
	return t, nil
}

// ForCall returns the same guard, whose records name the turn and the call.
func (g *Guard) ForCall(turn int, call string) *Guard {
	return &Guard{shared: g.shared, turn: turn, call: call}
}

// Close withdraws open prompts, ends running commands and waits for them, and forgets what was approved.
func (g *Guard) Close() error {
	g.end(ErrClosed)
	g.Kill(context.Background())
	g.beside.Wait()
	g.transport.CloseIdleConnections()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.approvals, g.trusted = nil, nil
	var err error
	if g.tempDir != "" {
		err = sandbox.DropTemp(g.tempDir)
		g.tempDir = ""
	}
	if g.opened != nil {
		err = errors.Join(err, g.opened.Close())
		g.opened = nil
	}
	return err
}

// bound returns a context that ends with ctx or with the guard, for the same cause.
func (s *shared) bound(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.life, func() { cancel(context.Cause(s.life)) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}

// record makes payloads durable. Its error must stop the effect.
func (s *shared) record(ps ...event.Payload) error {
	if err := s.cfg.Recorder.Record(ps...); err != nil {
		return fmt.Errorf("record decision: %w", err)
	}
	return nil
}

// Approvals returns what this session's answers allow from now on.
func (g *Guard) Approvals() []Approval {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.approvals)
}
