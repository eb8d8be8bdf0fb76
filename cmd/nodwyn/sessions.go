package main

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/nodwyn/nodwyn/agent"
)

// everything is a limit that no number of sessions reaches.
const everything = 1 << 30

func listSessions(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("sessions", flag.ContinueOnError)
	repo := set.String("repo", "", "only sessions of the repository or folder `DIR`")
	asJSON := set.Bool("json", false, "print one JSON object a line")
	if _, err := parse(c, set, args, 0, 0); err != nil {
		return err
	}
	a, err := reader(c)
	if err != nil {
		return err
	}
	spec := agent.ListSpec{Limit: everything}
	if *repo != "" {
		dir, err := folder(*repo)
		if err != nil {
			return err
		}
		spec.Repo, _ = repositoryOf(ctx, dir)
	}
	list, _, err := a.List(ctx, spec)
	switch {
	case err != nil:
		return err
	case *asJSON:
		return printJSON(c, list)
	case len(list) == 0:
		return noSessions(c, spec.Repo)
	}
	return printTable(c, a, list)
}

// noSessions tells a filter that fits nothing from a beginning.
func noSessions(c *console, repo string) error {
	text := "no sessions yet; `nodwyn run \"TASK\"` starts one"
	if repo != "" {
		text = fmt.Sprintf("no sessions in %s; `nodwyn sessions` without --repo lists all", repo)
	}
	_, err := fmt.Fprintln(c.out, text)
	return err
}

func printJSON(c *console, list []agent.Summary) error {
	for _, s := range list {
		line, err := json.Marshal(s)
		if err != nil {
			return fmt.Errorf("print session %s: %w", s.Session, err)
		}
		if _, err := fmt.Fprintf(c.out, "%s\n", line); err != nil {
			return err
		}
	}
	return nil
}

func printTable(c *console, a *agent.Agent, list []agent.Summary) error {
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	zone, _ := time.Now().Zone()
	fmt.Fprintf(w, "SESSION\tLAST EVENT (%s)\tTURNS\tSTATE\tWHERE\tTITLE\n", zone)
	for _, s := range list {
		if err := printRow(w, a, s); err != nil {
			return err
		}
	}
	return w.Flush()
}

func printRow(w io.Writer, a *agent.Agent, s agent.Summary) error {
	if s.Status == "damaged" {
		s.Title = "`nodwyn verify " + short(s.Session) + "` says what is wrong"
	}
	_, err := fmt.Fprintf(w, "%s\t%s\t%d\t%s\t%s\t%s\n", s.Session, s.Updated.Local().Format("2006-01-02 15:04"),
		s.Turns, standingOf(a, s), homely(cmp.Or(s.Repository, s.Repo)), clipLine(visible(s.Title), 60))
	return err
}

// homely shortens the person's own folder.
func homely(path string) string {
	home, err := os.UserHomeDir()
	if rest, ok := strings.CutPrefix(path, home+string(os.PathSeparator)); ok && err == nil && home != "" {
		return "~" + string(os.PathSeparator) + rest
	}
	return path
}
