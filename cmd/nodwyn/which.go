package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/sessionlog"
	"github.com/nodwyn/nodwyn/worktree"
)

// lastWord stands for the newest session.
const lastWord = "last"

// whichSession finds the session that a word on the command line means: its id, the beginning or the end of one, or the newest.
func whichSession(ctx context.Context, a *agent.Agent, word string) (string, error) {
	if word == lastWord {
		return newest(ctx, a)
	}
	entries, err := sessionlog.List(a.SessionsDir())
	if err != nil {
		return "", fmt.Errorf("look for session %q: %w", word, err)
	}
	var fitting []string
	for _, e := range entries {
		if e.Session == word {
			return word, nil
		}
		if word != "" && (strings.HasPrefix(e.Session, word) || strings.HasSuffix(e.Session, word)) {
			fitting = append(fitting, e.Session)
		}
	}
	switch len(fitting) {
	case 0:
		return "", fmt.Errorf("session %q: %w; `nodwyn sessions` lists them", word, agent.ErrUnknownSession)
	case 1:
		return fitting[0], nil
	}
	return "", misuse{fmt.Sprintf("%q fits %s, the newest %s: write more of the id", word, count(len(fitting), "session"), fitting[len(fitting)-1])}
}

// newest is the last session that was begun: of the repository that the person stands in, if they stand in one.
func newest(ctx context.Context, a *agent.Agent) (string, error) {
	here, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the current folder: %w", err)
	}
	root, found := repositoryOf(ctx, here)
	spec, of := agent.ListSpec{Limit: 1}, ""
	if found {
		spec.Repo, of = root, " of "+root
	}
	list, _, err := a.List(ctx, spec)
	if err != nil {
		return "", err
	}
	if len(list) == 0 {
		return "", fmt.Errorf("session %q: there is none%s yet: %w; `nodwyn sessions` lists all", lastWord, of, agent.ErrUnknownSession)
	}
	return list[0].Session, nil
}

// repositoryOf returns the main tree of the repository around dir. Without one it returns dir itself, and false.
func repositoryOf(ctx context.Context, dir string) (string, bool) {
	r, err := worktree.Open(ctx, guard.NewGit(os.Environ()), dir)
	if err != nil {
		return dir, false
	}
	return r.Root(), true
}

// folder makes a folder on the command line absolute.
func folder(dir string) (string, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find folder %q: %w", dir, err)
	}
	return abs, nil
}

// workFolder makes the folder of --repo absolute, and refuses what is none.
func workFolder(dir string) (string, error) {
	abs, err := folder(dir)
	if err != nil {
		return "", err
	}
	found, err := os.Stat(abs)
	switch {
	case err != nil:
		return "", misuse{fmt.Sprintf("--repo: %q cannot be used: %v", dir, errors.Unwrap(err))}
	case !found.IsDir():
		return "", misuse{fmt.Sprintf("--repo: %q is a file: it takes a folder", dir)}
	}
	return abs, nil
}

// short is the end of an id, which no other session has.
func short(id string) string { return id[strings.LastIndexByte(id, '-')+1:] }
