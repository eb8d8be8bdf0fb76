package main

import (
	"context"
	"flag"
	"fmt"
	"os"

	"github.com/nodwyn/nodwyn/agent"
	"github.com/nodwyn/nodwyn/agent/cred"
)

// credentials lists, stores and removes keys. A value comes from stdin or a hidden prompt and is never shown.
func credentials(ctx context.Context, c *console, args []string) error {
	words, err := parse(c, flag.NewFlagSet("cred", flag.ContinueOnError), args, 1, 2)
	if err != nil {
		return err
	}
	p, broken := assemble()
	if broken != nil && p.config.DataDir == "" {
		return broken
	}
	defer p.close()
	a := agent.New(p.config)
	verb, class := words[0], ""
	if len(words) == 2 {
		class = words[1]
	}
	switch {
	case verb == "list" && class == "":
		return listCredentials(ctx, c, a)
	case verb == "register" && class != "":
		return registerCredential(ctx, c, a, p.vault.store, class)
	case verb == "remove" && class != "":
		if err := a.RemoveCredential(ctx, class, person()); err != nil {
			return err
		}
		_, err := fmt.Fprintf(c.out, "removed %s\n", class)
		return err
	}
	return misuse{"say list, register CLASS or remove CLASS"}
}

func listCredentials(ctx context.Context, c *console, a *agent.Agent) error {
	entries, err := a.Credentials(ctx)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if _, err := fmt.Fprintf(c.out, "%s\t%s\n", e.Class, e.ID); err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		fmt.Fprintln(c.err, "no credential is stored; `nodwyn cred register CLASS` stores one")
	}
	return nil
}

func registerCredential(ctx context.Context, c *console, a *agent.Agent, store *cred.Store, class string) error {
	value, err := askKey(c, fmt.Sprintf("value of %s (not shown): ", class))
	if err != nil {
		return err
	}
	if err := a.RegisterCredential(ctx, class, value, person()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(c.out, "stored %s, %s\n", class, whereStored(ctx, store, class))
	return err
}

// askKey reads a key from the terminal without showing it, or from what stdin is instead.
func askKey(c *console, prompt string) (string, error) {
	f, ok := c.in.(*os.File)
	if !ok || !isTerminal(c.in) {
		return readKey(c.in)
	}
	return newScreen(f, c.err).hidden(prompt)
}

// whereStored says where the value of a class is, for a person.
func whereStored(ctx context.Context, store *cred.Store, class string) string {
	entries, err := store.List(ctx)
	if err != nil {
		return "though the list of credentials cannot be read: " + err.Error()
	}
	for _, e := range entries {
		if e.Class == class && e.ID == cred.InKeychain {
			return "in the system's keychain"
		}
	}
	return "in a file that only you can read"
}
