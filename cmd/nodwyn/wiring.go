package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/cred"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// dirs are where nodwyn keeps things, by the XDG base directory rules.
type dirs struct {
	config, data, state, cache string
}

// findDirs reads the environment. Every folder is nodwyn's own.
func findDirs() (dirs, error) {
	home, err := os.UserHomeDir()
	if err != nil {
		return dirs{}, fmt.Errorf("find the home folder: %w", err)
	}
	return dirs{
		config: xdg("XDG_CONFIG_HOME", home, ".config"),
		data:   xdg("XDG_DATA_HOME", home, ".local/share"),
		state:  xdg("XDG_STATE_HOME", home, ".local/state"),
		cache:  xdg("XDG_CACHE_HOME", home, ".cache"),
	}, nil
}

// xdg ignores a relative value, as the rules say.
func xdg(variable, home, standard string) string {
	base := os.Getenv(variable)
	if !filepath.IsAbs(base) {
		base = filepath.Join(home, filepath.FromSlash(standard))
	}
	return filepath.Join(base, "nodwyn")
}

func (d dirs) configFile() string { return filepath.Join(d.config, "config.toml") }

// credFolder holds the credentials that no keychain took, apart from all that sessions keep.
func (d dirs) credFolder() string { return filepath.Join(d.state, "cred") }

// parts is what the commands share.
type parts struct {
	dirs    dirs
	config  agent.Config
	vault   vault
	entries map[string]entry // what config.toml names
	log     *os.File
}

// assemble reads environment and configuration and returns the agent's configuration. An error in the configuration does not keep the commands that only read logs from working: it is returned beside usable parts.
func assemble() (parts, error) {
	d, err := findDirs()
	if err != nil {
		return parts{}, err
	}
	return assembleIn(d)
}

// assembleIn does the same for given folders.
func assembleIn(d dirs) (parts, error) {
	exe, err := os.Executable()
	if err != nil {
		return parts{}, fmt.Errorf("find this program: %w", err)
	}
	store := cred.Open(cred.Config{File: filepath.Join(d.credFolder(), "credentials.json")})
	p := parts{dirs: d, vault: vault{store: store, redactor: redact.New()}}
	p.config = agent.Config{
		Version: version(), DataDir: d.data, StateDir: d.state, WorktreeRoot: filepath.Join(d.state, "worktrees"),
		Branch: "nodwyn/{slug}-{id}", Private: []string{d.config, d.credFolder()}, Redactor: p.vault.redactor, Credentials: store,
		Supervisor: []string{exe, superviseVerb}, Env: os.Environ(), CacheDir: d.cache,
	}
	return p, p.configure()
}

// closing is how long the end of a command waits for a keychain that does not answer.
const closing = 2 * time.Second

// close lets go of what the parts hold open.
func (p *parts) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), closing)
	defer cancel()
	err := p.vault.store.Close(ctx)
	if p.log != nil {
		err = errors.Join(err, p.log.Close())
	}
	return err
}

func (p *parts) discoverer() discoverer { return discoverer{path: p.dirs.configFile(), vault: p.vault} }

// configure applies config.toml.
func (p *parts) configure() error {
	path := p.dirs.configFile()
	f, entries, err := readConfig(path, p.vault)
	if err != nil {
		p.config.NoModel = err
		p.config.Project = func(string) (agent.Project, error) { return agent.Project{}, err }
		return err
	}
	p.entries = entries
	p.config.Models, p.config.Discover = models(entries), p.discoverer().model
	p.config.Side = entries["side"].model
	p.config.NoModel = noModel(path)
	p.config.Project, p.config.Worktrees = projectLoader(f), f.Worktree.config()
	p.config.Sandbox = guard.NewSandbox(cmp.Or(f.Guard.Sandbox, guard.SandboxAuto), os.Getenv("PATH"))
	if f.Worktree.Root != "" {
		p.config.WorktreeRoot = f.Worktree.Root
	}
	if f.Worktree.Branch != "" {
		p.config.Branch = f.Worktree.Branch
	}
	return nil
}

// noModel is the error of a prompt in a session that was resumed without a model.
func noModel(path string) error {
	return &agent.ConfigError{File: path, Key: "control", Reason: "no model is configured: run `nodwyn setup`, then open the session again"}
}

// openLog opens the file that takes details for developers, so that stderr stays quiet. Without it details are dropped.
func (p *parts) openLog() {
	p.config.Log = slog.New(slog.DiscardHandler)
	if err := os.MkdirAll(p.dirs.state, 0o700); err != nil {
		return
	}
	f, err := os.OpenFile(filepath.Join(p.dirs.state, "nodwyn.log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return
	}
	p.log = f
	w := redacted{w: f, r: p.config.Redactor}
	p.config.Log = slog.New(slog.NewTextHandler(w, nil))
}

// redacted keeps secrets out of what developers read.
type redacted struct {
	w io.Writer
	r *redact.Redactor
}

func (r redacted) Write(p []byte) (int, error) {
	clean, _ := r.r.String(string(p))
	if _, err := io.WriteString(r.w, clean); err != nil {
		return 0, err
	}
	return len(p), nil
}

// superviseVerb is the hidden command by which nodwyn runs itself as the supervisor of a command's processes.
const superviseVerb = "supervise"

func supervise(args []string) int { return guard.Supervise(args) }

func platform() string { return runtime.GOOS + "/" + runtime.GOARCH }
