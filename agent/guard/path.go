package guard

import (
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// place is where a path of a call lies.
type place struct {
	rel    string // relative to the tree with its links followed; as it was given when hazard is set
	abs    string
	hazard *Hazard
}

// locate finds the place of a path that a model or a person named. A path that must not be used is a place with a hazard; an error is one of the file system's.
func (s *shared) locate(op Op, name string) (place, error) {
	tree, err := s.tree()
	if err != nil {
		return place{}, err
	}
	rel, ok := s.relative(tree, name)
	if !ok {
		return s.outside(name, effect.ErrEscape), nil
	}
	real, err := tree.Resolve(rel)
	if errors.Is(err, fs.ErrNotExist) && op != OpWrite {
		return place{}, explain(op, rel, 0, err)
	}
	if err != nil {
		return s.outside(name, err), nil
	}
	p := place{rel: real, abs: filepath.Join(s.cfg.Root, filepath.FromSlash(real))}
	if s.isForbidden(real) {
		p.hazard = closed()
	}
	return p, nil
}

// outside is the place of a path that has none in the tree, for the reason err.
func (s *shared) outside(name string, err error) place {
	p := place{rel: name, abs: filepath.FromSlash(name), hazard: hazardOf(err)}
	if !filepath.IsAbs(p.abs) {
		p.abs = filepath.Join(s.cfg.Root, p.abs)
	}
	switch {
	case errors.Is(err, effect.ErrEscape):
		p.hazard.Reason += "; paths are relative to " + s.cfg.Root
	case errors.Is(err, fs.ErrNotExist):
		p.hazard = &Hazard{"not-a-folder", "a part of its path is no folder"}
	case p.hazard == nil:
		p.hazard = &Hazard{"system", visible(err.Error())}
	}
	return p
}

// Here returns a path into the person's checkout as the one at the same place of the session's own tree, with slashes, and any other as it is: a model that met such a path in some output means its own tree, and the checkout is never touched.
func (s *shared) Here(name string) string {
	if s.cfg.Checkout == "" || !filepath.IsAbs(name) {
		return name
	}
	if rel, err := filepath.Rel(s.cfg.Root, name); err == nil && filepath.IsLocal(rel) {
		return name
	}
	rel, err := filepath.Rel(s.cfg.Checkout, name)
	if err != nil || !filepath.IsLocal(rel) {
		return name
	}
	return filepath.ToSlash(rel)
}

// relative returns name below the tree with slashes. It keeps "..", which Resolve weighs against the links that stand before it.
func (s *shared) relative(tree *effect.Tree, name string) (string, bool) {
	if name == "" || strings.ContainsRune(name, 0) {
		return "", false
	}
	name = s.Here(name)
	if filepath.IsAbs(name) {
		return tree.Rel(filepath.Clean(name))
	}
	if filepath.VolumeName(name) != "" {
		return "", false
	}
	return filepath.ToSlash(name), true
}

func closed() *Hazard {
	return &Hazard{"forbidden", "its folder belongs to nodwyn or to the person alone, and is closed to sessions"}
}

func (s *shared) isForbidden(rel string) bool {
	for _, f := range s.forbidden {
		if below(rel, f) {
			return true
		}
	}
	return false
}

// below reports whether rel is dir or lies in it, component by component and in any case.
func below(rel, dir string) bool {
	parts, want := foldAll(rel), foldAll(dir)
	if len(parts) < len(want) {
		return false
	}
	for i, w := range want {
		if parts[i] != w {
			return false
		}
	}
	return true
}

// folder finds the place of a command's folder, which must be one, and opens it: what a person allows is a command in that folder, whatever has its name when they answer. There is no folder to close when the place has a hazard.
func (s *shared) folder(name string) (place, *effect.Folder, error) {
	if name == "" {
		name = "."
	}
	p, err := s.locate(OpExec, name)
	if err != nil || p.hazard != nil {
		return p, nil, err
	}
	tree, err := s.tree()
	if err != nil {
		return place{}, nil, err
	}
	if p.rel != "." {
		c := tree.Cursor()
		defer c.Close()
		entry, err := c.Stat(p.rel)
		if err != nil {
			return place{}, nil, explain(OpExec, path.Clean(name), 0, err)
		}
		if entry.Mode.Type() != fs.ModeDir {
			p.hazard = &Hazard{"not-a-folder", "its working folder " + p.rel + " is no folder"}
			return p, nil, nil
		}
	}
	open, err := tree.Folder(p.rel)
	if err != nil {
		return place{}, nil, explain(OpExec, p.rel, 0, err)
	}
	return p, open, nil
}
