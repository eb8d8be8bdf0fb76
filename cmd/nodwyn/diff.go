package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/view"
	"github.com/nodwyn/nodwyn/worktree"
)

func diffSession(ctx context.Context, c *console, args []string) error {
	var spec agent.DiffSpec
	set := flag.NewFlagSet("diff", flag.ContinueOnError)
	set.IntVar(&spec.Turn, "turn", 0, "only what turn `N` changed")
	set.BoolVar(&spec.Target, "target", false, "compare with the target branch as it is now")
	words, err := parse(c, set, args, 1, 2)
	if err != nil {
		return err
	}
	if len(words) == 2 {
		spec.Path = words[1]
	}
	a, id, err := readSession(ctx, c, words[0])
	if err != nil {
		return err
	}
	st, err := a.State(id)
	if err != nil {
		return err
	}
	if spec.Turn < 0 || spec.Turn > st.Turn {
		return misuse{fmt.Sprintf("there is no turn %d: session %s has %s", spec.Turn, id, count(st.Turn, "turn"))}
	}
	files, err := a.Diff(ctx, id, spec)
	if errors.Is(err, agent.ErrNoWorktree) {
		return fmt.Errorf("%w, so what it wrote is there already", err)
	}
	if err != nil {
		return err
	}
	if len(files) == 0 {
		fmt.Fprintln(c.err, whyEmpty(st, spec))
	}
	return printFiles(c.out, styleOf(c.out), files)
}

// whyEmpty says why there is nothing to show.
func whyEmpty(st view.State, spec agent.DiffSpec) string {
	switch w := st.Config.Worktree; {
	case spec.Path != "":
		return fmt.Sprintf("nothing: no change at %q", spec.Path)
	case spec.Turn > 0:
		return fmt.Sprintf("nothing: turn %d changed no file", spec.Turn)
	case st.Base != w.BaseCommit:
		return "nothing: everything has landed; --turn N shows what a turn changed"
	case spec.Target:
		return "nothing: the target has everything"
	}
	return "nothing: the session changed no file"
}

func printFiles(out io.Writer, s style, files []worktree.FileDiff) error {
	for _, f := range files {
		name := f.Path
		if f.OldPath != "" && f.OldPath != f.Path {
			name = f.OldPath + " → " + f.Path
		}
		text := s.bold(fmt.Sprintf("%s %s  +%d -%d", f.Status, name, f.Insertions, f.Deletions)) + "\n"
		if f.Binary {
			text += "binary\n"
		}
		for _, h := range f.Hunks {
			text += s.diff(h.Header + "\n" + h.Text)
		}
		if _, err := io.WriteString(out, text); err != nil {
			return err
		}
	}
	return nil
}
