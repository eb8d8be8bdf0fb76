package main

import (
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog/redact"
)

// dirs are where nodwyn keeps things, by the XDG base directory rules.
type dirs struct {
	config, data, state string
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

// parts is what the commands share.
type parts struct {
	dirs   dirs
	config agent.Config
	log    *os.File
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
	p := parts{dirs: d}
	p.config = agent.Config{
		Version: version(), DataDir: d.data, StateDir: d.state, WorktreeRoot: filepath.Join(d.state, "worktrees"),
		Branch: "nodwyn/{slug}-{id}", Private: []string{d.config}, Redactor: redact.New(),
		Supervisor: []string{exe, superviseVerb}, Env: os.Environ(),
	}
	return p, p.configure()
}

// configure applies config.toml.
func (p *parts) configure() error {
	path := p.dirs.configFile()
	f, text, err := loadFile(path)
	if err == nil {
		err = f.validate(path, text)
	}
	if err == nil {
		p.config.Models, err = registry(path, text, f, p.config.Redactor)
	}
	if err != nil {
		p.config.NoModel = err
		p.config.Project = func(string) (agent.Project, error) { return agent.Project{}, err }
		return err
	}
	p.config.NoModel = noModel(path)
	p.config.Project = projectLoader(f)
	if f.Worktree.Root != "" {
		p.config.WorktreeRoot = f.Worktree.Root
	}
	if f.Worktree.Branch != "" {
		p.config.Branch = f.Worktree.Branch
	}
	return nil
}

// noModel is the error of the first session without a model.
func noModel(path string) error {
	return &agent.ConfigError{File: path, Key: "control", Reason: "no model is configured: add [control] with server and model, and [servers.NAME] with api and url; README.md has an example"}
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
