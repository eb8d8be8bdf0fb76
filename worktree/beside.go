package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// carried puts a move into a tree of the person's: as it is where only the move changes a file, merged where both do.
//
// Only the files that both change are merged, and in trees that have nothing else: git would follow renames in whole ones, and nobody can see in advance which of a person's uncommitted files it takes for the renamed one. Git before 2.49 cannot be told not to.
func (r *Repository) carried(ctx context.Context, s *shift, from, theirs string, touched []delta) (string, error) {
	set := make(map[string]entry)
	for _, e := range newSide(touched) {
		set[e.path] = e
	}
	if len(s.parted) > 0 {
		both, err := r.mergedFiles(ctx, s, from, theirs, touched)
		if err != nil {
			return "", err
		}
		for name := range s.parted {
			e, there := both[name]
			if !there {
				e = entry{noMode, set[name].id, name}
			}
			set[name] = e
		}
	}
	return r.treeWith(ctx, theirs, slices.Collect(maps.Values(set)))
}

// mergedFiles merges the files that both the person and the move change.
func (r *Repository) mergedFiles(ctx context.Context, s *shift, from, theirs string, touched []delta) (map[string]entry, error) {
	own, err := r.between(ctx, from, theirs)
	if err != nil {
		return nil, err
	}
	sides := [3]map[string]entry{{}, {}, {}} // before, the person's, the move's
	for _, d := range touched {
		if s.parted[d.path] {
			sides[0][d.path] = entry{d.oldMode, d.oldID, d.path}
			sides[1][d.path] = sides[0][d.path]
			sides[2][d.path] = entry{d.newMode, d.newID, d.path}
		}
	}
	for _, d := range own {
		if s.parted[d.path] {
			sides[1][d.path] = entry{d.newMode, d.newID, d.path}
		}
	}
	var trees [3]string
	for i, side := range sides {
		if trees[i], err = r.treeWith(ctx, "", slices.Collect(maps.Values(side))); err != nil {
			return nil, err
		}
	}
	merged, conflicts, err := r.merge3At(ctx, s.at, trees[0], trees[1], trees[2])
	if err != nil {
		return nil, err
	}
	if len(conflicts) > 0 {
		return nil, &ConflictError{Conflicts: conflicts}
	}
	return r.entriesIn(ctx, merged)
}

// inPlace says of each conflict what the file is to the person, which helps more than what it is to the merge, and where the lines meet.
func (r *Repository) inPlace(ctx context.Context, s *shift, err error, from, to string) error {
	conflict, ok := errors.AsType[*ConflictError](err)
	if !ok {
		return err
	}
	if err := r.nameKinds(ctx, s, conflict.Conflicts); err != nil {
		return err
	}
	conflict.Conflicts = r.meetings(ctx, conflict.Conflicts, from, s.before, to)
	return conflict
}

func (r *Repository) nameKinds(ctx context.Context, s *shift, conflicts []Conflict) error {
	for i, c := range conflicts {
		kind, err := r.kindOf(ctx, s.at, c.Path)
		if err != nil {
			return fmt.Errorf("see what %q is in %q: %w", c.Path, s.at.dir, err)
		}
		conflicts[i].Kind = kind
	}
	return nil
}

func (r *Repository) kindOf(ctx context.Context, at place, path string) (string, error) {
	for _, known := range [...][]string{
		{"ls-files", "-z", "--", path}, {"ls-tree", "--name-only", "-z", "--full-tree", "HEAD", "--", path},
	} {
		if out, err := r.ask(ctx, at, known...); err != nil || out != "" {
			return uncommitted, err
		}
	}
	out, err := r.ask(ctx, at, "ls-files", "--others", "--ignored", "--exclude-standard", "-z", "--", path)
	if out != "" {
		return ignored, err
	}
	return untracked, err
}

// comesBack makes sure that git gives back the person's files as they are before it writes them anew with more lines. It does not when a conversion of line ends or a filter is no round trip, as with mixed line ends.
func (r *Repository) comesBack(ctx context.Context, s *shift) error {
	if len(s.parted) == 0 {
		return nil
	}
	moving, err := r.between(ctx, s.before, s.after)
	if err != nil {
		return err
	}
	var conflicts []Conflict
	for _, d := range moving {
		if !s.parted[d.path] || !strings.HasPrefix(d.oldMode, "100") {
			continue
		}
		there, err := os.ReadFile(filepath.Join(s.at.dir, filepath.FromSlash(d.path)))
		if err != nil {
			return fmt.Errorf("read %q: %w", d.path, err)
		}
		back, err := r.written(ctx, s.at, d.path, d.oldID)
		if err != nil {
			return err
		}
		if back != string(there) {
			conflicts = append(conflicts, Conflict{Path: d.path, Kind: uncommitted})
		}
	}
	if len(conflicts) > 0 {
		return &ConflictError{Conflicts: conflicts}
	}
	return nil
}

// written returns what git would write for a blob at a path.
func (r *Repository) written(ctx context.Context, at place, path, blob string) (string, error) {
	out, err := r.git.Run(ctx, at.dir, at.environment(), nil, "cat-file", "--filters", "--path="+path, blob)
	if err != nil {
		return "", filterRefusal(err)
	}
	return string(out), nil
}
