package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent"
)

// worktrees lists the worktrees of all sessions, or removes those that nobody needs any more.
func worktrees(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("worktrees", flag.ContinueOnError)
	repo := set.String("repo", "", "only worktrees of the repository `DIR`")
	asJSON := set.Bool("json", false, "print one JSON object a line")
	preview := set.Bool("dry-run", false, "with prune: say what would be removed, and remove nothing")
	words, err := parse(c, set, args, 0, 1)
	if err != nil {
		return err
	}
	prune := len(words) == 1
	switch {
	case prune && words[0] != "prune":
		return misuse{fmt.Sprintf("%q is not understood: say prune, or nothing for the list", words[0])}
	case prune && *asJSON:
		return misuse{"--json is for the list"}
	case !prune && *preview:
		return misuse{"--dry-run is for `nodwyn worktrees prune`; the list removes nothing"}
	}
	root := ""
	if *repo != "" {
		if root, err = workFolder(*repo); err != nil {
			return err
		}
		root, _ = repositoryOf(ctx, root)
	}
	if prune {
		return pruneWorktrees(ctx, c, agent.PruneSpec{Repo: root, Preview: *preview})
	}
	return listWorktrees(ctx, c, root, *asJSON)
}

func listWorktrees(ctx context.Context, c *console, repo string, asJSON bool) error {
	a, err := reader(c)
	if err != nil {
		return err
	}
	list, err := a.Worktrees(ctx, repo)
	if err != nil {
		return err
	}
	if asJSON {
		return printWorktreesJSON(c.out, list)
	}
	s, now := styleOf(c.out), time.Now()
	for _, t := range list.Worktrees {
		if _, err := io.WriteString(c.out, describeWorktree(s, t, now)+"\n"); err != nil {
			return err
		}
	}
	if len(list.Worktrees) == 0 {
		if _, err := fmt.Fprintln(c.out, "no worktrees"); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintln(c.out, sum(list))
	return err
}

func printWorktreesJSON(out io.Writer, list agent.Worktrees) error {
	for _, t := range list.Worktrees {
		line, err := json.Marshal(t)
		if err != nil {
			return fmt.Errorf("print worktree %s: %w", t.Path, err)
		}
		if _, err := fmt.Fprintf(out, "%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

// pruneWorktrees removes what may go, and fails when some of it could not.
func pruneWorktrees(ctx context.Context, c *console, spec agent.PruneSpec) error {
	p, err := assemble()
	if err != nil {
		return err
	}
	defer p.close()
	p.config.Asker = nobody{}
	a := agent.New(p.config)
	gone, failed := 0, 0
	spec.Client = commandLine()
	spec.Told = func(t agent.Worktree, err error) {
		if err != nil {
			failed++
			fmt.Fprintf(c.err, "nodwyn worktrees: cannot remove %s: %s\n", t.Session, visible(err.Error()))
			return
		}
		if t.Removable {
			gone++
		}
		fmt.Fprintln(c.out, pruned(t, spec.Preview))
	}
	list, err := a.Prune(ctx, spec)
	if err != nil {
		return err
	}
	if err := tellKept(c.out, list, gone, spec.Preview); err != nil {
		return err
	}
	if failed > 0 {
		return fmt.Errorf("%s could not be removed", count(failed, "worktree"))
	}
	return nil
}

// tellKept names what a prune never touches, with what the person can do about it.
func tellKept(out io.Writer, list agent.Worktrees, gone int, preview bool) error {
	var b strings.Builder
	now := time.Now()
	for _, t := range list.Worktrees {
		if t.State == agent.WorktreeTrash && !t.Until.IsZero() || t.Removable {
			continue
		}
		fmt.Fprintf(&b, "%s %s\n  %s\n", t.Session, stateOf(t, now), fate(t, now))
	}
	if gone == 0 {
		b.WriteString("nothing to prune\n")
	}
	if !preview || gone == 0 {
		b.WriteString(sum(list) + "\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// sweeping lets go of old trash beside what a server does. The function that it returns ends it and waits for it.
func sweeping(ctx context.Context, a *agent.Agent, log *slog.Logger) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var sweep sync.WaitGroup
	sweep.Go(func() {
		if err := a.SweepTrash(ctx); err != nil && ctx.Err() == nil {
			log.Warn("sweep the trash", "err", err) // the next server tries again
		}
	})
	return func() {
		cancel()
		sweep.Wait()
	}
}
