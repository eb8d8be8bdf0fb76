package guard

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
)

// PathRule lets commands that begin with Prefix change more than the tree, in a sandbox.
type PathRule struct {
	// Prefix are the leading words of the programs that are meant.
	Prefix []string
	// Write are the folders or files: absolute, or below the home folder with "~/" in front.
	Write []string
}

func (r PathRule) validate() error {
	if len(r.Prefix) == 0 || slices.Contains(r.Prefix, "") {
		return fmt.Errorf("prefix %q has no or an empty word", r.Prefix)
	}
	if len(r.Write) == 0 {
		return fmt.Errorf("paths for %q: write names no folder", strings.Join(r.Prefix, " "))
	}
	for _, path := range r.Write {
		below, home := strings.CutPrefix(path, "~/")
		clean := filepath.Clean(path)
		switch {
		case home && filepath.IsLocal(below) && filepath.Clean(below) != ".":
		case !filepath.IsAbs(path) || strings.ContainsRune(path, 0):
			return fmt.Errorf("write %q is neither absolute nor below ~/", path)
		case clean == filepath.Dir(clean):
			return fmt.Errorf("write %q is the whole machine", path)
		}
	}
	return nil
}

// places lists what the rules let the programs of a command change beside the tree. A rule holds for the command as soon as one of its programs begins so.
func (g *Guard) places(r *reading) ([]string, error) {
	var list []string
	for _, rule := range g.cfg.Policy.Paths {
		if !slices.ContainsFunc(r.parts, func(p plainPart) bool { return hasPrefix(p.argv, rule.Prefix) }) {
			continue
		}
		for _, path := range rule.Write {
			if below, home := strings.CutPrefix(path, "~/"); home {
				path = filepath.Join(lookupEnv(g.cfg.environment(), "HOME"), below)
			}
			if i := slices.IndexFunc(g.cfg.Forbidden, func(f string) bool { return within(path, f) || within(f, path) }); i >= 0 {
				return nil, fmt.Errorf("[guard] paths lets %q write to %q, and %q in it is closed to sessions", strings.Join(rule.Prefix, " "), path, g.cfg.Forbidden[i])
			}
			list = append(list, path)
		}
	}
	return list, nil
}

func hasPrefix(argv, prefix []string) bool {
	return len(argv) >= len(prefix) && slices.Equal(argv[:len(prefix)], prefix)
}

// within reports whether an absolute path is dir or lies below it, by its name.
func within(path, dir string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}
