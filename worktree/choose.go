package worktree

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

func (s LandSpec) chosen() bool { return len(s.Paths) > 0 || len(s.Hunks) > 0 }

// choose makes the chosen part of the session's work the tip: a commit of ours whose tree is the base with that part. It is also where the session counts from afterwards, so that the rest still shows.
func (r *Repository) choose(ctx context.Context, spec LandSpec) (LandSpec, error) {
	from, err := r.treeOf(ctx, spec.base)
	if err != nil {
		return spec, err
	}
	to, err := r.treeOf(ctx, spec.Tip)
	if err != nil {
		return spec, err
	}
	files, err := r.diff(ctx, from, to, "")
	if err != nil {
		return spec, err
	}
	picked, err := pick(files, spec.Paths, spec.Hunks)
	if err != nil {
		return spec, err
	}
	entries, err := r.chosenEntries(ctx, from, to, picked)
	if err != nil {
		return spec, err
	}
	tree, err := r.treeWith(ctx, from, entries)
	if err != nil {
		return spec, err
	}
	spec.Message = messageOf(spec)
	spec.Tip, err = r.commitTree(ctx, r.mainPlace().with(ours...), tree, "chosen to land", spec.base)
	return spec, err
}

// choice is a file of which something was chosen: all of it when hunks is nil.
type choice struct {
	file  FileDiff
	hunks []Hunk
}

// pick finds what paths and hunk ids mean, each of which has to mean something.
func pick(files []FileDiff, paths, ids []string) ([]choice, error) {
	usedPaths, usedIDs := make(map[string]bool), make(map[string]bool)
	var picked []choice
	for _, file := range files {
		whole := false
		for _, path := range paths {
			if folder := strings.TrimSuffix(path, "/"); within(file.Path, folder) || within(file.OldPath, folder) {
				usedPaths[path], whole = true, true
			}
		}
		var hunks []Hunk
		for _, hunk := range file.Hunks {
			if slices.Contains(ids, hunk.ID) {
				usedIDs[hunk.ID] = true
				hunks = append(hunks, hunk)
			}
		}
		switch {
		case whole, len(hunks) > 0 && len(hunks) == len(file.Hunks):
			picked = append(picked, choice{file: file})
		case len(hunks) > 0:
			picked = append(picked, choice{file, hunks})
		}
	}
	for _, path := range paths {
		if !usedPaths[path] {
			return nil, refuse(BadChoice, "path %q is none that the session changed since it began or last landed; choose one of its diff", path)
		}
	}
	for _, id := range ids {
		if !usedIDs[id] {
			return nil, refuse(BadChoice, "hunk %q is none of the session's diff as it is now; look at the diff again and choose from that", id)
		}
	}
	return picked, nil
}

// chosenEntries returns what the choice makes of the base's files.
func (r *Repository) chosenEntries(ctx context.Context, from, to string, picked []choice) ([]entry, error) {
	list, err := r.between(ctx, from, to)
	if err != nil {
		return nil, err
	}
	changed := make(map[string]delta)
	for _, d := range list {
		changed[d.path] = d
	}
	var entries []entry
	for _, c := range picked {
		d := changed[c.file.Path]
		if c.hunks == nil {
			entries = append(entries, entry{d.newMode, d.newID, d.path})
			if old, renamed := changed[c.file.OldPath]; renamed && old.deleted() {
				entries = append(entries, entry{old.newMode, old.newID, old.path})
			}
			continue
		}
		if c.file.Status != "M" || d.oldMode != d.newMode {
			return nil, refuse(BadChoice, "hunk %q is one of several of %q, whose name, type or mode changed too; choose the file by its path", c.hunks[0].ID, c.file.Path)
		}
		id, err := r.withHunks(ctx, d.oldID, c)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{d.oldMode, id, d.path})
	}
	return entries, nil
}

// withHunks stores the old content of a file with some of its hunks.
func (r *Repository) withHunks(ctx context.Context, blob string, c choice) (string, error) {
	at := r.mainPlace()
	old, err := r.git.Run(ctx, at.dir, at.environment(), nil, "cat-file", "blob", blob)
	if err != nil {
		return "", err
	}
	content, err := applyHunks(string(old), c.hunks)
	if err != nil {
		return "", fmt.Errorf("choose hunks of %q: %w", c.file.Path, err)
	}
	return r.change(ctx, at, []byte(content), "hash-object", "-w", "-t", "blob", "--stdin")
}

// applyHunks puts hunks into the content that they were made for.
func applyHunks(old string, hunks []Hunk) (string, error) {
	lines := slices.Collect(strings.Lines(old))
	var out strings.Builder
	next := 0 // the first line that is not written yet
	for _, h := range hunks {
		start, _, err := startsOf(h)
		if err != nil {
			return "", err
		}
		if start-1 < next || start-1 > len(lines) {
			return "", fmt.Errorf("hunk %q starts at line %d of %d", h.ID, start, len(lines))
		}
		for ; next < start-1; next++ {
			out.WriteString(lines[next])
		}
		texts := slices.Collect(strings.Lines(h.Text))
		for i, text := range texts {
			line := text[1:]
			if i+1 < len(texts) && texts[i+1][0] == '\\' {
				line = strings.TrimSuffix(line, "\n") // the file ends here, without a line feed
			}
			switch text[0] {
			case '+':
				out.WriteString(line)
			case ' ', '-':
				if next >= len(lines) || lines[next] != line {
					return "", fmt.Errorf("hunk %q does not fit line %d", h.ID, next+1)
				}
				if text[0] == ' ' {
					out.WriteString(line)
				}
				next++
			}
		}
	}
	for ; next < len(lines); next++ {
		out.WriteString(lines[next])
	}
	return out.String(), nil
}
