package tool

import (
	"path"
	"path/filepath"
)

// inTree returns a path as the tree names it, and false for one that leads out by its name. It looks at names only: what the guard lets through is the guard's business.
func (e Env) inTree(name string) (string, bool) {
	if filepath.IsAbs(name) {
		rel, err := filepath.Rel(e.Index.Root(), name)
		if err != nil {
			return "", false
		}
		name = rel
	}
	clean := path.Clean(filepath.ToSlash(name))
	return clean, filepath.IsLocal(filepath.FromSlash(clean))
}

// touched returns a path for Result.Touched.
func (e Env) touched(name string) []string {
	rel, ok := e.inTree(name)
	if !ok {
		return nil
	}
	return []string{rel}
}

// touchedFolder returns a folder for Result.Touched.
func (e Env) touchedFolder(name string) []string {
	rel, ok := e.inTree(name)
	if !ok {
		return nil
	}
	return []string{rel + "/"}
}
