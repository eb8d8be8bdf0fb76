package worktree

import (
	"context"
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
	o := obstacles{dir: at.dir, files: make(map[string]bool), folders: make(map[string][]string)}
	for _, file := range l.Files {
		o.need(file.Path)
		if file.OldPath != "" {
			o.need(file.OldPath)
		}
	}
	files, err := r.status(ctx, at, "--ignored=matching")
	var conflicts []Conflict
	for _, file := range files {
		for _, path := range o.blockedBy(file) {
			conflicts = append(conflicts, Conflict{Path: path, Kind: file.kind})
		}
	}
	return conflicts, err
}

func (o obstacles) need(name string) {
	o.files[name] = true
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		o.folders[above] = append(o.folders[above], name)
	}
}

// blockedBy returns the paths in the way for one line of status.
func (o obstacles) blockedBy(file fileStatus) []string {
	if folder, ok := strings.CutSuffix(file.path, "/"); ok {
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
