package main

import (
	"context"
	"flag"
	"fmt"

	"github.com/go-json-experiment/json"
)

// egress prints what a session sent where, as its log has it.
func egress(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("egress", flag.ContinueOnError)
	turn := set.Int("turn", 0, "only turn `N`")
	asJSON := set.Bool("json", false, "print one JSON object a line")
	words, err := parse(c, set, args, 1, 1)
	if err != nil {
		return err
	}
	a, id, err := readSession(ctx, c, words[0])
	if err != nil {
		return err
	}
	rows, err := a.Egress(id, *turn)
	if err != nil {
		return err
	}
	for _, r := range rows {
		if *asJSON {
			line, err := json.Marshal(r)
			if err != nil {
				return err
			}
			if _, err := fmt.Fprintf(c.out, "%s\n", line); err != nil {
				return err
			}
			continue
		}
		went := "sent"
		if !r.Allowed {
			went = "refused"
		}
		if r.Purpose == "command" { // how much went is seen by nobody
			if _, err := fmt.Fprintf(c.out, "%-8s %6d connections            to %s for a command (%s)\n", went, r.Requests, r.Host, r.Reason); err != nil {
				return err
			}
			continue
		}
		if _, err := fmt.Fprintf(c.out, "%-8s %6d requests %10d bytes  to %s for the %s (%s)\n", went, r.Requests, r.Bytes, r.Host, r.Purpose, r.Reason); err != nil {
			return err
		}
	}
	if len(rows) == 0 && !*asJSON {
		_, err = fmt.Fprintln(c.out, "nothing was sent")
	}
	return err
}
