package worktree

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Git names the sides of a merge by the commits that stand in for them, which tell people nothing.
var (
	sideForm   = regexp.MustCompile(`(?m)^(<{7,}|>{7,}) [0-9a-f]{40,64}(:.*?)?(\r?)$`)
	markerForm = regexp.MustCompile(`(?m)^(<{7,} the session's work|>{7,} brought in from .*?)\r?$`)
)

// label gives the conflict markers in a merged tree names that a person and Unresolved know.
func (r *Repository) label(ctx context.Context, tree, onto string, conflicts []Conflict) (string, error) {
	has, err := r.entriesIn(ctx, tree)
	if err != nil {
		return "", err
	}
	var entries []entry
	for _, c := range conflicts {
		e, there := has[c.Path]
		if !there || !strings.HasPrefix(e.mode, "100") {
			continue
		}
		text, err := r.blob(ctx, e.id)
		if err != nil {
			return "", err
		}
		labelled := sideForm.ReplaceAllStringFunc(text, func(line string) string { return labelled(line, onto) })
		if labelled == text {
			continue
		}
		if e.id, err = r.change(ctx, r.mainPlace(), []byte(labelled), "hash-object", "-w", "-t", "blob", "--stdin"); err != nil {
			return "", err
		}
		entries = append(entries, e)
	}
	return r.treeWith(ctx, tree, entries)
}

func labelled(line, onto string) string {
	parts := sideForm.FindStringSubmatch(line)
	if parts[1][0] == '<' {
		return parts[1] + " the session's work" + parts[2] + parts[3]
	}
	return parts[1] + " brought in from " + onto + parts[2] + parts[3]
}

func (r *Repository) blob(ctx context.Context, id string) (string, error) {
	at := r.mainPlace()
	out, err := r.git.Run(ctx, at.dir, at.environment(), nil, "cat-file", "blob", id)
	return string(out), err
}

// Unresolved returns those of the paths in which markers of a sync's conflicts are left. Revision is a snapshot; empty means the files as they are now.
func (r *Repository) Unresolved(ctx context.Context, id Identity, revision string, paths []string) ([]string, error) {
	left, err := r.unresolved(ctx, id, revision, paths)
	if err != nil {
		return nil, fmt.Errorf("look for conflict markers in worktree %q: %w", id.Path, err)
	}
	return left, nil
}

func (r *Repository) unresolved(ctx context.Context, id Identity, revision string, paths []string) ([]string, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	var err error
	if revision == "" {
		revision, err = r.Tree(ctx, id)
	} else {
		revision, err = r.treeOf(ctx, revision)
	}
	if err != nil {
		return nil, err
	}
	has, err := r.entriesIn(ctx, revision)
	if err != nil {
		return nil, err
	}
	var left []string
	for _, name := range paths {
		e, there := has[name]
		if !there || !strings.HasPrefix(e.mode, "100") {
			continue
		}
		text, err := r.blob(ctx, e.id)
		if err != nil {
			return nil, err
		}
		if markerForm.MatchString(text) {
			left = append(left, name)
		}
	}
	slices.Sort(left)
	return slices.Compact(left), nil
}
