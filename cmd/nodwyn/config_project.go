package main

import (
	"path/filepath"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
)

// projectFile is where a repository narrows what a session may do.
const projectFile = ".nodwyn/config.toml"

// projectLoader returns what reads a repository's own configuration on top of the person's.
func projectLoader(person file) func(root string) (agent.Project, error) {
	return func(root string) (agent.Project, error) {
		path := filepath.Join(root, filepath.FromSlash(projectFile))
		project, text, err := loadFile(path)
		if err != nil {
			return agent.Project{}, err
		}
		key, why := widens(person, project)
		if key == nil {
			key, why = project.Worktree.senseless()
		}
		if key != nil {
			return agent.Project{}, &agent.ConfigError{File: path, Line: keyLine(text, key), Key: key.String(), Reason: why}
		}
		return merge(person, project), nil
	}
}

// widens finds a key by which a repository would get more than the person's own configuration gives.
func widens(person, project file) (toml.Key, string) {
	const onlyPerson = "a repository may only narrow what is allowed; this belongs in your own configuration"
	switch {
	case project.Control != nil:
		return toml.Key{"control"}, onlyPerson
	case project.Side != nil:
		return toml.Key{"side"}, onlyPerson
	case len(project.Servers) > 0:
		return toml.Key{"servers"}, onlyPerson
	case len(project.Models) > 0:
		return toml.Key{"models"}, onlyPerson
	case project.Worktree.onlyPersons() != "":
		return toml.Key{"worktree", project.Worktree.onlyPersons()}, onlyPerson
	case len(project.Guard.Allow) > 0:
		return toml.Key{"guard", "allow"}, onlyPerson
	case len(project.Guard.Hosts) > 0:
		return toml.Key{"guard", "hosts"}, onlyPerson
	case len(project.Guard.Paths) > 0:
		return toml.Key{"guard", "paths"}, onlyPerson
	case project.Guard.Sandbox != "":
		return toml.Key{"guard", "sandbox"}, onlyPerson
	case project.Guard.PromptTimeout != 0:
		return toml.Key{"guard", "prompt_timeout"}, onlyPerson
	}
	if key := laxer(person.Guard, project.Guard); key != "" {
		return toml.Key{"guard", key}, "this is laxer than your own configuration; a repository may only narrow what is allowed"
	}
	switch {
	case project.Index.MaxFile > person.Index.MaxFile && person.Index.MaxFile != 0:
		return toml.Key{"index", "max_file"}, "this is more than your own configuration allows (" + strconv.FormatInt(int64(person.Index.MaxFile), 10) + " bytes)"
	case project.Index.MaxFiles > person.Index.MaxFiles && person.Index.MaxFiles != 0:
		return toml.Key{"index", "max_files"}, "this is more than your own configuration allows (" + strconv.Itoa(person.Index.MaxFiles) + ")"
	}
	return nil, ""
}

// The values of each policy, the laxest first.
var (
	readLadder  = []string{"workspace", "ask"}
	writeLadder = []string{"session-worktree", "ask", "deny"}
	execLadder  = []string{"ask", "deny"}
)

func laxer(person, project guardSection) string {
	switch {
	case rung(readLadder, project.Read, 0) < rung(readLadder, person.Read, 0) && project.Read != "":
		return "read"
	case rung(writeLadder, project.Write, 1) < rung(writeLadder, person.Write, 1) && project.Write != "":
		return "write"
	case rung(execLadder, project.Exec, 0) < rung(execLadder, person.Exec, 0) && project.Exec != "":
		return "exec"
	}
	return ""
}

// rung is a value's place on a ladder; an absent value stands where the default does.
func rung(ladder []string, value string, standard int) int {
	if i := slices.Index(ladder, value); i >= 0 {
		return i
	}
	return standard
}

// merge adds what the project narrows to what the person configured.
func merge(person, project file) agent.Project {
	g := person.Guard
	g.Read, g.Write, g.Exec = or(project.Guard.Read, g.Read), or(project.Guard.Write, g.Write), or(project.Guard.Exec, g.Exec)
	g.Deny = slices.Concat(g.Deny, project.Guard.Deny)
	g.Ask = slices.Concat(g.Ask, project.Guard.Ask)
	x := person.Index
	if project.Index.MaxFile != 0 {
		x.MaxFile = project.Index.MaxFile
	}
	if project.Index.MaxFiles != 0 {
		x.MaxFiles = project.Index.MaxFiles
	}
	x.Exclude = slices.Concat(x.Exclude, project.Index.Exclude)
	return agent.Project{Policy: g.policy(), Index: x.options(), Setup: setupCommands(project.Worktree.Setup)}
}

func or(first, second string) string {
	if first != "" {
		return first
	}
	return second
}

// validate refuses values that no key can have, naming the key.
func (f file) validate(path, text string) error {
	g := f.Guard
	for _, c := range []struct {
		key, value string
		ladder     []string
	}{
		{"read", g.Read, readLadder}, {"write", g.Write, writeLadder}, {"exec", g.Exec, execLadder},
		{"sandbox", g.Sandbox, []string{guard.SandboxAuto, guard.SandboxRequire, guard.SandboxOff}},
	} {
		if c.value == "" || slices.Contains(c.ladder, c.value) {
			continue
		}
		key := toml.Key{"guard", c.key}
		reason := strconv.Quote(c.value) + " is not one of " + quoted(c.ladder)
		return &agent.ConfigError{File: path, Line: keyLine(text, key), Key: key.String(), Reason: reason}
	}
	if err := g.policy().Validate(); err != nil {
		return &agent.ConfigError{File: path, Line: keyLine(text, toml.Key{"guard"}), Key: "guard", Reason: err.Error()}
	}
	if key, why := f.Worktree.senseless(); key != nil {
		return &agent.ConfigError{File: path, Line: keyLine(text, key), Key: key.String(), Reason: why}
	}
	return nil
}

func quoted(values []string) string {
	out := ""
	for i, v := range values {
		if i > 0 {
			out += ", "
		}
		out += strconv.Quote(v)
	}
	return out
}
