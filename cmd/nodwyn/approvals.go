package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/nodwyn/nodwyn/agent/guard"
	"github.com/nodwyn/nodwyn/worktree"
)

// approvals lists what was allowed for good, or takes some of it back.
func approvals(ctx context.Context, c *console, args []string) error {
	set := flag.NewFlagSet("approvals", flag.ContinueOnError)
	repo := set.String("repo", "", "only those of the repository `DIR`")
	words, err := parse(c, set, args, 0, 2)
	if err != nil {
		return err
	}
	p, broken := assemble()
	if broken != nil && p.config.StateDir == "" {
		return broken
	}
	defer p.close()
	all, err := guard.Kept(p.config.StateDir)
	if err != nil {
		return err
	}
	list := numbered(all)
	if *repo != "" {
		key, err := approvalsKey(ctx, *repo)
		if err != nil {
			return err
		}
		list = slices.DeleteFunc(list, func(k kept) bool { return k.repository != key })
	}
	if len(words) == 0 {
		return listApprovals(c, list)
	}
	if words[0] != "revoke" || len(words) != 2 {
		return misuse{"say nothing for the list, or revoke and a number of it, or revoke all"}
	}
	return revokeApprovals(c, p.config.StateDir, list, words[1])
}

// kept is an approval, the repository that it holds in, and its number in the whole list.
type kept struct {
	guard.Approval
	repository string
	number     int
}

// numbered puts all approvals in an order that stays until one of them changes.
func numbered(all map[string][]guard.Approval) []kept {
	var list []kept
	for _, repository := range slices.Sorted(maps.Keys(all)) {
		for _, v := range all[repository] {
			list = append(list, kept{v, repository, len(list) + 1})
		}
	}
	return list
}

// approvalsKey is what approvals of a folder belong to: the repository's common git folder, or the folder itself.
func approvalsKey(ctx context.Context, dir string) (string, error) {
	root, err := workFolder(dir)
	if err != nil {
		return "", err
	}
	r, err := worktree.Open(ctx, guard.NewGit(nil), root)
	if err != nil {
		return root, nil
	}
	return r.CommonDir(), nil
}

func listApprovals(c *console, list []kept) error {
	if len(list) == 0 {
		_, err := fmt.Fprintln(c.out, "nothing is allowed for good; rules of the configuration stand in config.toml under [guard]")
		return err
	}
	last := ""
	for _, k := range list {
		if k.repository != last {
			if _, err := fmt.Fprintln(c.out, k.repository); err != nil {
				return err
			}
			last = k.repository
		}
		if _, err := fmt.Fprintf(c.out, "%4d  %s, allowed by %s on %s\n", k.number, k.Words(), k.Actor, k.At.Local().Format("2006-01-02 15:04")); err != nil {
			return err
		}
	}
	return nil
}

// revokeApprovals takes one back by its number, or all that are listed. A session that is open asks again from then on.
func revokeApprovals(c *console, stateDir string, list []kept, which string) error {
	number, err := strconv.Atoi(which)
	if err != nil && which != "all" {
		return misuse{fmt.Sprintf("%q is no number of the list and not all", which)}
	}
	wanted := slices.DeleteFunc(slices.Clone(list), func(k kept) bool { return which != "all" && k.number != number })
	if len(wanted) == 0 {
		return misuse{fmt.Sprintf("%s is not in the list; `nodwyn approvals` shows it", which)}
	}
	for _, k := range wanted {
		gone, err := guard.Forget(stateDir, k.repository, k.Same)
		if err != nil {
			return err
		}
		if len(gone) == 0 {
			return errors.New("it was taken back meanwhile by somebody else")
		}
		if _, err := fmt.Fprintf(c.out, "no longer allowed in %s: %s\n", k.repository, k.Words()); err != nil {
			return err
		}
	}
	return nil
}
