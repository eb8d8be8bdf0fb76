package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent"
)

// setupTimeout ends a set-up command that names no time of its own.
const setupTimeout = 10 * time.Minute

// worktreeSection is [worktree]. The switches are pointers, so that a project's file cannot set one without being seen.
type worktreeSection struct {
	Root             string         `toml:"root"`
	Branch           string         `toml:"branch"`
	CarryUncommitted *bool          `toml:"carry_uncommitted"`
	CopyIgnored      []string       `toml:"copy_ignored"`
	Setup            []setupSection `toml:"setup"`
	Spare            *bool          `toml:"spare"`
	Quota            size           `toml:"quota"`
}

type setupSection struct {
	Run     []string `toml:"run"`
	Timeout span     `toml:"timeout"`
}

// config is what sessions see of the section.
func (w worktreeSection) config() agent.WorktreeConfig {
	return agent.WorktreeConfig{
		Carry: w.CarryUncommitted != nil && *w.CarryUncommitted, CopyIgnored: w.CopyIgnored, Setup: setupCommands(w.Setup),
		Spare: w.Spare != nil && *w.Spare, Quota: cmp.Or(int64(w.Quota), agent.DefaultQuota),
	}
}

func setupCommands(sections []setupSection) []agent.SetupCommand {
	var setup []agent.SetupCommand
	for _, s := range sections {
		setup = append(setup, agent.SetupCommand{Run: s.Run, Timeout: cmp.Or(time.Duration(s.Timeout), setupTimeout)})
	}
	return setup
}

// onlyPersons finds a key of the section that a repository may not set: all but the set-up, which waits for trust.
func (w worktreeSection) onlyPersons() string {
	for _, k := range []struct {
		key string
		set bool
	}{
		{"root", w.Root != ""}, {"branch", w.Branch != ""}, {"carry_uncommitted", w.CarryUncommitted != nil},
		{"copy_ignored", w.CopyIgnored != nil}, {"spare", w.Spare != nil}, {"quota", w.Quota != 0},
	} {
		if k.set {
			return k.key
		}
	}
	return ""
}

// senseless finds a value that no worktree could be given, with what is wrong about it.
func (w worktreeSection) senseless() (toml.Key, string) {
	for _, pattern := range w.CopyIgnored {
		if why := senselessPattern(pattern); why != "" {
			return toml.Key{"worktree", "copy_ignored"}, why
		}
	}
	for i, s := range w.Setup {
		if len(s.Run) == 0 || s.Run[0] == "" {
			return toml.Key{"worktree", "setup"}, fmt.Sprintf("command %d names no program: run is a list of words, such as run = [\"npm\", \"ci\"]", i+1)
		}
		if slices.ContainsFunc(s.Run, func(word string) bool { return strings.ContainsRune(word, 0) }) {
			return toml.Key{"worktree", "setup"}, fmt.Sprintf("command %d holds a NUL character, which no command can be given", i+1)
		}
	}
	return nil, ""
}

// senselessPattern says why a pattern would match nothing, or something else than it seems to.
func senselessPattern(pattern string) string {
	switch text := strings.TrimSpace(pattern); {
	case strings.ContainsAny(pattern, "\r\n\x00"):
		return "a pattern has more than one line or a NUL character"
	case text == "" || strings.HasPrefix(text, "#"):
		return "an empty pattern or a comment matches nothing"
	case strings.Contains("/"+text+"/", "/../"):
		return "\"" + pattern + "\" leads out of the repository; patterns are those of a .gitignore at its top"
	}
	return ""
}
