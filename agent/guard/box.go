package guard

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
	"github.com/nodwyn/nodwyn/agent/guard/internal/sandbox"
)

// The values of [guard] sandbox.
const (
	SandboxAuto    = "auto"    // the strongest that this machine has
	SandboxRequire = "require" // the same, and no command without one
	SandboxOff     = "off"
)

// Sandbox contains the commands of all sessions. Its zero value contains none.
type Sandbox struct {
	mode string
	find func() sandbox.Finding
}

// probeTime bounds how long it is tried out what this machine can do.
const probeTime = 10 * time.Second

// NewSandbox returns what contains commands, as the configuration says. What the machine can do is found out when it is first asked. Path is where programs are looked for.
func NewSandbox(mode, path string) *Sandbox {
	s := &Sandbox{mode: mode}
	s.find = sync.OnceValue(func() sandbox.Finding {
		ctx, cancel := context.WithTimeout(context.Background(), probeTime)
		defer cancel()
		return sandbox.Probe(ctx, path, func(ctx context.Context, argv ...string) (string, error) {
			c, err := effect.Capture(ctx, effect.Tool{Argv: argv, Dir: "/", Env: []string{"PATH=" + path}, Limit: 64 << 10})
			if err == nil && c.Exit != 0 {
				err = fmt.Errorf("exit code %d", c.Exit)
			}
			return string(c.Stdout) + string(c.Stderr), err
		})
	})
	return s
}

// Backend names what contains commands, "none" when nothing does.
func (s *Sandbox) Backend() string { return string(s.box().Backend) }

func (s *Sandbox) box() sandbox.Box {
	if s == nil || s.find == nil || s.mode == SandboxOff {
		return sandbox.Box{Backend: sandbox.None}
	}
	return s.find().Box
}

// Notes say in sentences what this machine can do, and how to get more.
func (s *Sandbox) Notes() []string {
	if s == nil || s.find == nil {
		return nil
	}
	return s.find().Notes
}

// Required reports whether no command may run without a sandbox.
func (s *Sandbox) Required() bool { return s != nil && s.mode == SandboxRequire }

// Contains reports whether commands are contained.
func (s *Sandbox) Contains() bool { return s.box().Backend != sandbox.None }

// hides reports whether single files of a tree can be hidden from commands.
func (s *Sandbox) hides() bool { return s.box().Backend == sandbox.Bubblewrap }

// Repository is where git keeps what belongs to the session's worktree.
type Repository struct {
	// Common is the folder that all worktrees share, Admin the one of this worktree in it.
	Common, Admin string
	// Branch is the worktree's own.
	Branch string
}

// errNoSandbox says that the configuration wants one and there is none.
var errNoSandbox = errors.New("the configuration says sandbox = \"require\", and this machine has none that works; \"nodwyn doctor\" says what is missing")

// contain puts the programs of a command into the sandbox. Network says whether they reach it; beside are further variables for all of them.
func (g *Guard) contain(ctx context.Context, spec *effect.Spec, r *reading, dir string, network bool) (failed error) {
	if g.cfg.Sandbox.box().Backend == sandbox.None {
		if g.cfg.Sandbox.Required() {
			return errNoSandbox
		}
		return nil
	}
	if rules := g.hostsFor(r); len(rules) > 0 && network {
		proxy, socket, err := g.openProxy(rules)
		if err != nil {
			return err
		}
		spec.Proxy = proxy
		defer func() {
			if failed != nil {
				_ = proxy.Close()
			}
		}()
		return g.enclose(ctx, spec, r, dir, false, socket)
	}
	return g.enclose(ctx, spec, r, dir, network, "")
}

// enclose builds the sandbox around the programs of a command.
func (g *Guard) enclose(ctx context.Context, spec *effect.Spec, r *reading, dir string, network bool, proxy string) error {
	box := g.cfg.Sandbox.box()
	l, env, err := g.layout(ctx, r, network)
	if err != nil {
		return fmt.Errorf("prepare the sandbox: %w", err)
	}
	places, err := g.places(r)
	if err != nil {
		return err
	}
	l.Writable, l.Proxy = append(l.Writable, places...), proxy
	spec.Env = lastWins(append(spec.Env, env...))
	inside := append(append([]string(nil), g.cfg.Supervisor...), insideWord)
	for i, step := range spec.Plan {
		for j, p := range step.Pipe {
			r := box.Restrictions(l)
			r.Env = p.Env
			argv, err := r.Inside(inside, p.Argv)
			if err != nil {
				return err
			}
			spec.Plan[i].Pipe[j].Argv = box.Command(l, dir, argv)
		}
	}
	return nil
}

// isBox reports whether a process is the sandbox's own.
func isBox(name string) bool { return name == string(sandbox.Bubblewrap) }

// endsByFault are the signals that end a program which did not end itself.
var endsByFault = [...]string{4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV", 31: "SIGSYS"}

// unbox tells by the code of a command that the box around it was left with whether a signal ended it, as a shell would.
func unbox(spec effect.Spec, out *Output) {
	last := spec.Plan[len(spec.Plan)-1].Pipe
	if out.Exit == nil || !isBox(filepath.Base(last[len(last)-1].Argv[0])) {
		return
	}
	if n := *out.Exit - 128; n > 0 && n < len(endsByFault) && endsByFault[n] != "" {
		out.Exit, out.Signal = nil, endsByFault[n]
	}
}

// insideWord makes the supervisor's program restrict itself and become a command.
const insideWord = "inside"

// layout is what a command of this session may do to the file system, and the variables that fit it.
func (g *Guard) layout(ctx context.Context, r *reading, network bool) (sandbox.Layout, []string, error) {
	env := g.cfg.environment()
	home, path := lookupEnv(env, "HOME"), lookupEnv(env, "PATH")
	l := sandbox.Layout{Tree: g.cfg.Root, Network: network, Visible: sandbox.Tools(path, g.cfg.Supervisor[0])}
	if filepath.IsAbs(home) {
		l.Home, l.Hidden = home, sandbox.Personal(home)
	}
	for _, dir := range g.cfg.Forbidden {
		if dir != g.cfg.Checkout {
			l.Hidden = append(l.Hidden, dir)
		}
	}
	hidden, err := g.hiddenReads(ctx)
	if err != nil {
		return l, nil, err
	}
	l.Hidden = append(l.Hidden, hidden...)
	vars, err := sandbox.Caches(&l, g.cfg.CacheDir, home, env)
	if err != nil {
		return l, nil, err
	}
	if l.Temp, err = g.temp(); err != nil {
		return l, nil, err
	}
	if l.Temp != "" {
		vars = append(vars, "TMPDIR=/tmp")
	}
	if err := g.repository(&l, r); err != nil {
		return l, nil, err
	}
	return l, vars, nil
}

// repository adds what git needs: the worktree's own part of the repository. Without a worktree git's folder stays as it is, since what says there what git runs cannot be told from the rest.
func (g *Guard) repository(l *sandbox.Layout, c *reading) error {
	if g.cfg.Git == nil {
		l.ReadOnly = append(l.ReadOnly, filepath.Join(g.cfg.Root, ".git"))
		return nil
	}
	r, err := g.cfg.Git()
	if err != nil {
		return err
	}
	if err := sandbox.Repository(r).Add(l); err != nil {
		return err
	}
	if slices.ContainsFunc(c.parts, func(p plainPart) bool { return fetches(p.argv) }) {
		if err := sandbox.Repository(r).Fetch(l); err != nil {
			return err
		}
	}
	if l.Network && g.cfg.Sandbox.box().Backend == sandbox.Kernel {
		// Landlock would let no new file into the top of the tree, and no build gets by without. Whether .git still leads where it did is looked at before each use of ours.
		l.ReadOnly = slices.DeleteFunc(l.ReadOnly, func(path string) bool { return path == filepath.Join(l.Tree, ".git") })
	}
	return nil
}

// fetches reports whether a program is git bringing in what others pushed. A person has allowed it, since it is not among what only reads.
func fetches(argv []string) bool {
	return hasPrefix(argv, []string{"git", "fetch"}) || hasPrefix(argv, []string{"git", "pull"})
}

// temp is the session's own folder for temporary files, made at the first command.
func (s *shared) temp() (string, error) {
	if s.cfg.CacheDir == "" {
		return "", nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tempDir != "" {
		return s.tempDir, nil
	}
	if s.life.Err() != nil {
		return "", ErrClosed
	}
	// Beside the caches and not in them: a command that could replace the folder by a link would choose what the next one sees as /tmp.
	dir, err := sandbox.Temp(filepath.Join(filepath.Dir(s.cfg.CacheDir), "temp"))
	s.tempDir = dir
	return dir, err
}

func lookupEnv(env []string, key string) string {
	for _, kv := range env {
		if name, value, _ := strings.Cut(kv, "="); name == key {
			return value
		}
	}
	return ""
}
