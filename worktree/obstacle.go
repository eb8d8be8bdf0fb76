package worktree

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// obstacles knows which paths a landing needs in a checkout.
type obstacles struct {
	dir string
	// files are the paths that the landing writes or removes.
	files map[string]bool
	// folders are the folders above them, each with the files below it.
	folders map[string][]string
}

// inTheWay lists the files of a checkout that keep a landing from it. Git's own refusal also names them, but in prose.
func (r *Repository) inTheWay(ctx context.Context, at place, l Landing) ([]Conflict, error) {
	o := needs(at.dir, l)
	files, err := r.status(ctx, at, "--ignored=matching")
	var conflicts []Conflict
	for _, file := range files {
		for _, path := range o.blockedBy(file) {
			conflicts = append(conflicts, Conflict{Path: path, Kind: file.kind})
		}
	}
	return conflicts, err
}

// deletedThere lists the files of a landing that the person deleted without committing that. Git takes a missing file for one that is up to date, and would write it again.
func (r *Repository) deletedThere(ctx context.Context, at place, l Landing) ([]Conflict, error) {
	out, err := r.ask(ctx, at, "ls-files", "--deleted", "-z")
	if err != nil {
		return nil, fmt.Errorf("list deleted files in %q: %w", at.dir, err)
	}
	o := needs(at.dir, l)
	var conflicts []Conflict
	for in := (&fields{out}); in.rest != ""; {
		if name := in.next(); o.files[name] {
			conflicts = append(conflicts, Conflict{Path: name, Kind: uncommitted})
		}
	}
	return conflicts, nil
}

// namedBy takes the files from git's own words, which are the last resort: files whose change is hidden from status (assume-unchanged, skip-worktree) are named nowhere else. Git puts each on a line of its own behind a tab.
func namedBy(refusal error, l Landing) []Conflict {
	o := needs("", l)
	kind := uncommitted
	var conflicts []Conflict
	for line := range strings.Lines(stderrOf(refusal)) {
		name, listed := strings.CutPrefix(strings.TrimRight(line, "\n"), "\t")
		if listed && (o.files[name] || o.folders[name] != nil) {
			conflicts = append(conflicts, Conflict{Path: name, Kind: kind})
		}
		if strings.Contains(line, "untracked") {
			kind = untracked
		}
	}
	return conflicts
}

func needs(dir string, l Landing) obstacles {
	o := obstacles{dir: dir, files: make(map[string]bool), folders: make(map[string][]string)}
	for _, file := range l.Files {
		o.need(file.Path)
		if file.OldPath != "" {
			o.need(file.OldPath)
		}
	}
	return o
}

func (o obstacles) need(name string) {
	o.files[name] = true
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		o.folders[above] = append(o.folders[above], name)
	}
}

// blockedBy returns the paths in the way for one line of status.
func (o obstacles) blockedBy(file fileStatus) []string {
	folder, isFolder := strings.CutSuffix(file.path, "/")
	if isFolder && o.files[folder] {
		return []string{folder}
	}
	if isFolder {
		return o.existing(o.folders[folder])
	}
	if o.files[file.path] || o.folders[file.path] != nil {
		return []string{file.path}
	}
	for above := path.Dir(file.path); above != "."; above = path.Dir(above) {
		if o.files[above] {
			return []string{file.path}
		}
	}
	return nil
}

// existing looks into an ignored folder, which status does not list file by file.
func (o obstacles) existing(names []string) []string {
	var found []string
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(o.dir, filepath.FromSlash(name))); err == nil {
			found = append(found, name)
		}
	}
	return found
}
