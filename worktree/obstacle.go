package worktree

import (
	"context"
	"os"
	"path"
	"path/filepath"
	"regexp"
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

// inTheWay lists the files of a checkout that keep a landing of the named paths from it. Git's own refusal also names them, but in prose, and only the first.
func (r *Repository) inTheWay(ctx context.Context, at place, names []string) ([]Conflict, error) {
	o := needs(at.dir, names)
	files, err := r.status(ctx, at, "--ignored=matching")
	var conflicts []Conflict
	for _, file := range files {
		for _, path := range o.blockedBy(file) {
			conflicts = append(conflicts, Conflict{Path: path, Kind: file.kind})
		}
	}
	return conflicts, err
}

// refusalForm is how git's plumbing names the file that it refuses to write over.
var refusalForm = regexp.MustCompile(`(?m)^error: (Entry|Updating|(Untracked working tree file)) '(.*)' (?:not uptodate|would )`)

// namedBy takes the file from git's own words, which are the last resort: a file whose change is hidden from status (assume-unchanged, skip-worktree) is named nowhere else.
func namedBy(refusal error) []Conflict {
	var conflicts []Conflict
	for _, parts := range refusalForm.FindAllStringSubmatch(stderrOf(refusal), -1) {
		kind := uncommitted
		if parts[2] != "" {
			kind = untracked
		}
		conflicts = append(conflicts, Conflict{Path: parts[3], Kind: kind})
	}
	return conflicts
}

func needs(dir string, names []string) obstacles {
	o := obstacles{dir: dir, files: make(map[string]bool), folders: make(map[string][]string)}
	for _, name := range names {
		o.need(name)
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
