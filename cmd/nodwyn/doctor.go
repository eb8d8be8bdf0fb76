package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/worktree"
)

// finding is one thing the doctor looked at: a sentence on how it is, and what to do when it is not well.
type finding struct {
	ok        bool
	what, fix string
}

// doctor looks at what a session needs. It exits with 1 when something keeps the main job from working.
func doctor(ctx context.Context, c *console, args []string) error {
	if _, err := parse(c, flag.NewFlagSet("doctor", flag.ContinueOnError), args, 0, 0); err != nil {
		return err
	}
	p, broken := assemble()
	if broken != nil && p.config.DataDir == "" {
		return broken
	}
	defer p.close()
	findings := []finding{
		checkGit(ctx), checkFolder("session logs", filepath.Join(p.config.DataDir, "sessions")), checkFolder("worktrees", p.config.WorktreeRoot),
		checkConfig(p, broken),
	}
	if broken == nil {
		findings = slices.Concat(findings, checkModels(ctx, p))
	}
	findings = append(findings, checkStore(ctx, p), checkLogs(ctx, p),
		checkSandbox(p))
	sick := 0
	for _, f := range findings {
		mark := "ok  "
		if !f.ok {
			mark = "FIX "
			sick++
		}
		fmt.Fprintf(c.out, "%s%s\n", mark, f.what)
		if !f.ok && f.fix != "" {
			fmt.Fprintf(c.out, "      %s\n", f.fix)
		}
	}
	if sick > 0 {
		return ended{exitFailed}
	}
	return nil
}

// checkSandbox says what contains commands here, and how to get more. None is only a defect where the configuration requires one.
func checkSandbox(p parts) finding {
	s := p.config.Sandbox
	notes := strings.Join(s.Notes(), "; ")
	switch {
	case s.Contains():
		return finding{ok: true, what: "commands run in a sandbox (" + s.Backend() + "): " + notes}
	case s.Required():
		return finding{what: "the configuration requires a sandbox for commands, and there is none: " + notes, fix: "do what the sentence above says, or set sandbox = \"auto\" under [guard]"}
	case notes == "":
		return finding{ok: true, what: "commands run without a sandbox, so every command that you did not allow asks"}
	}
	return finding{ok: true, what: "commands run without a sandbox, so every command that you did not allow asks: " + notes}
}

func checkGit(ctx context.Context) finding {
	out, err := guard.NewGit(os.Environ()).Run(ctx, os.TempDir(), nil, nil, "version")
	if err != nil {
		return finding{what: fmt.Sprintf("git does not run: %v", err), fix: "install git 2.38 or newer; without it sessions work in the folder itself"}
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	var v worktree.Version
	if _, err := fmt.Sscanf(version, "%d.%d", &v.Major, &v.Minor); err != nil || v.Before(worktree.Version{Major: 2, Minor: 38}) {
		return finding{what: "git is " + version + ", which cannot compute a landing", fix: "install git 2.38 or newer"}
	}
	return finding{ok: true, what: "git is " + version}
}

// checkFolder makes the folder, as the first session would, and writes to it.
func checkFolder(what, dir string) finding {
	err := os.MkdirAll(dir, 0o700)
	if err == nil {
		var f *os.File
		if f, err = os.CreateTemp(dir, ".doctor-*"); err == nil {
			err = errors.Join(f.Close(), os.Remove(f.Name()))
		}
	}
	if err != nil {
		return finding{what: fmt.Sprintf("the folder for %s cannot be written: %v", what, err), fix: "make it writable, or point XDG_DATA_HOME and XDG_STATE_HOME elsewhere"}
	}
	return finding{ok: true, what: fmt.Sprintf("%s go to %s", what, dir)}
}

func checkConfig(p parts, broken error) finding {
	path := p.dirs.configFile()
	if broken != nil {
		return finding{what: broken.Error(), fix: "correct that line; no session starts before"}
	}
	if _, err := os.Stat(path); err != nil {
		return finding{ok: true, what: "there is no " + path + ", so a model is looked for when a session starts"}
	}
	return finding{ok: true, what: "the configuration is " + path}
}

func checkLogs(ctx context.Context, p parts) finding {
	list, _, err := agent.New(p.config).List(ctx, agent.ListSpec{Limit: everything})
	if err != nil {
		return finding{what: err.Error()}
	}
	damaged, unfinished := 0, 0
	for _, s := range list {
		if s.Status == "damaged" {
			damaged++
		} else if s.Unfinished {
			unfinished++
		}
	}
	if damaged > 0 {
		return finding{what: fmt.Sprintf("%d of %d session logs are damaged", damaged, len(list)), fix: "`nodwyn verify` names file and line of each"}
	}
	return finding{ok: true, what: fmt.Sprintf("%d session logs, %d of them unfinished", len(list), unfinished)}
}
