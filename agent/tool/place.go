package tool

import (
	"path"
	"path/filepath"
	"strings"
	"unicode"
)

// unlikely says why a path is hardly what a new file is to be called; empty when nothing speaks against it. Models write paths of other machines, and a folder named ~ in the tree is one that somebody removes with all their home. A file that is there may be called anything.
func unlikely(name string) string {
	switch {
	case name == "~" || strings.HasPrefix(name, "~/"):
		return "~ does not stand for the home folder here"
	case filepath.Separator == '/' && strings.Contains(name, `\`):
		return `folders are separated by "/" and not by "\"`
	case strings.Contains(name, "://"):
		return "it is an address and not a path"
	case strings.TrimSpace(name) != name || strings.ContainsFunc(name, unicode.IsControl):
		return "it holds white space at an end, or control characters"
	case strings.Trim(name, "`'\"") != name:
		return "it is in quotes"
	}
	return ""
}

// inTree returns a path as the tree names it, and false for one that leads out by its name. It looks at names only: what the guard lets through is the guard's business.
func (e Env) inTree(name string) (string, bool) {
	if name = e.Guard.Here(name); filepath.IsAbs(name) {
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
