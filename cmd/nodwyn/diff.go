package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/worktree"
)

func diffSession(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("diff", flag.ContinueOnError)
	turn := set.Int("turn", 0, "only what this turn changed")
	target := set.Bool("target", false, "compare with the target branch as it is now")
	words, err := parse(c, set, args, 1, 2)
	if err != nil {
		return err
	}
	path := ""
	if len(words) == 2 {
		path = words[1]
	}
	a, err := reader(c)
	if err != nil {
		return err
	}
	files, err := a.Diff(ctx, words[0], agent.DiffSpec{Path: path, Turn: *turn, Target: *target})
	if err != nil {
		return err
	}
	for _, f := range files {
		printFile(c, f)
	}
	return nil
}

func printFile(c *console, f worktree.FileDiff) {
	name := f.Path
	if f.OldPath != "" && f.OldPath != f.Path {
		name = f.OldPath + " → " + f.Path
	}
	fmt.Fprintf(c.out, "%s %s  +%d -%d\n", f.Status, name, f.Insertions, f.Deletions)
	if f.Binary {
		fmt.Fprintln(c.out, "binary")
	}
	for _, h := range f.Hunks {
		fmt.Fprintf(c.out, "%s\n%s", h.Header, h.Text)
	}
}

func landSession(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("land", flag.ContinueOnError)
	strategy := set.String("strategy", "squash", "squash or merge")
	into := set.String("into", "", "the target `BRANCH`; by default the one the session started from")
	message := set.String("message", "", "the commit's message; by default made of what was asked")
	preview := set.Bool("preview", false, "compute everything, move nothing")
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	p, err := assemble()
	if err != nil {
		return err
	}
	p.config.Asker = nobody{}
	a := agent.New(p.config)
	s, _, err := a.Resume(ctx, words[0], commandLine())
	if err != nil {
		return err
	}
	l, err := s.Land(ctx, agent.LandSpec{Strategy: *strategy, Into: *into, Message: *message, Preview: *preview, Actor: person()})
	if _, closed := s.Close(ctx, false); err == nil {
		err = closed
	}
	if err != nil {
		return err
	}
	printLanding(c, l, *preview)
	return nil
}

func printLanding(c *console, l worktree.Landing, preview bool) {
	if preview {
		fmt.Fprintf(c.out, "would land on %s:\n", l.Into)
	} else {
		fmt.Fprintf(c.out, "landed %s on %s:\n", l.Commit, l.Into)
	}
	for _, f := range l.Files {
		fmt.Fprintf(c.out, "%s %s  +%d -%d\n", f.Status, f.Path, f.Insertions, f.Deletions)
	}
	fmt.Fprintf(c.out, "\n%s", l.Message)
}
