package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"text/tabwriter"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/sessionlog/view"
)

// everything is a limit that no number of sessions reaches.
const everything = 1 << 30

func listSessions(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("sessions", flag.ContinueOnError)
	repo := set.String("repo", "", "only sessions of this repository or folder")
	asJSON := set.Bool("json", false, "one JSON object a line")
	if _, err := parse(c, set, args, 0, 0); err != nil {
		return err
	}
	a, err := reader(c)
	if err != nil {
		return err
	}
	spec := agent.ListSpec{Limit: everything}
	if *repo != "" {
		if spec.Repo, err = filepath.Abs(*repo); err != nil {
			return fmt.Errorf("find %s: %w", *repo, err)
		}
	}
	list, _, err := a.List(ctx, spec)
	if err != nil {
		return err
	}
	if *asJSON {
		return printJSON(c, list)
	}
	return printTable(c, list)
}

func printJSON(c *console, list []agent.Summary) error {
	enc := json.NewEncoder(c.out)
	enc.SetEscapeHTML(false)
	for _, s := range list {
		if err := enc.Encode(s); err != nil {
			return err
		}
	}
	return nil
}

func printTable(c *console, list []agent.Summary) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.out, "no sessions yet; `nodwyn run \"TASK\"` starts one")
		return err
	}
	w := tabwriter.NewWriter(c.out, 0, 0, 2, ' ', 0)
	for _, s := range list {
		status := s.Status
		switch {
		case s.OpenElsewhere:
			status = "open"
		case s.Unfinished:
			status = "unfinished"
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%d turns\t%s\n", s.Session, s.Updated.Local().Format("2006-01-02 15:04"), status, s.Turns, s.Title)
	}
	return w.Flush()
}

func viewSession(_ context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("view", flag.ContinueOnError)
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	a, err := reader(c)
	if err != nil {
		return err
	}
	v, err := a.View(words[0])
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "session %s: %s\n\n%s", words[0], v.Status, view.Render(v.Cards))
	return err
}

// verifyLogs goes on after a damaged log, so that one run names them all.
func verifyLogs(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("verify", flag.ContinueOnError)
	ids, err := parse(c, set, args, 0, -1)
	if err != nil {
		return err
	}
	a, err := reader(c)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		list, _, err := a.List(ctx, agent.ListSpec{Limit: everything})
		if err != nil {
			return err
		}
		for _, s := range list {
			ids = append(ids, s.Session)
		}
	}
	return verifyEach(c, a, ids)
}

func verifyEach(c *console, a *agent.Agent, ids []string) error {
	unknown, damaged := 0, 0
	for _, id := range ids {
		n, err := a.Verify(id)
		switch {
		case err == nil:
			fmt.Fprintf(c.out, "%s: %d events, intact\n", id, n)
			continue
		case errors.Is(err, agent.ErrUnknownSession):
			unknown++
		default:
			damaged++
		}
		fmt.Fprintf(c.err, "%v\n", err)
	}
	switch {
	case damaged > 0:
		return fmt.Errorf("%d of %d logs cannot be read", damaged, len(ids))
	case unknown > 0:
		return misuse{"`nodwyn sessions` lists the sessions"}
	}
	return nil
}
