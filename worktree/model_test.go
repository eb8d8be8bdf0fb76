package worktree

import (
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// file is what the model knows of a file; nil stands for none.
type modelFile struct {
	exec bool
	text string
}

// tree is the model of a tree, an index or a folder.
type modelTree map[string]*modelFile

func (f *modelFile) String() string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("exec=%v %q", f.exec, f.text)
}

func same(a, b *modelFile) bool {
	if a == nil || b == nil {
		return a == b
	}
	return *a == *b
}

func (t modelTree) clone() modelTree {
	c := make(modelTree)
	for name, f := range t {
		c.put(name, f)
	}
	return c
}

func (t modelTree) put(name string, f *modelFile) {
	delete(t, name)
	if f != nil {
		c := *f
		t[name] = &c
	}
}

// entries are the lines of ls-files -s.
func (t modelTree) entries() string {
	var out []string
	for name, f := range t {
		mode := "100644"
		if f.exec {
			mode = "100755"
		}
		sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(f.text), f.text))
		out = append(out, fmt.Sprintf("%s %s 0\t%s", mode, hex.EncodeToString(sum[:]), name))
	}
	slices.SortFunc(out, func(a, b string) int { return strings.Compare(a[strings.Index(a, "\t"):], b[strings.Index(b, "\t"):]) })
	return strings.Join(out, "\n")
}

func (t modelTree) String() string {
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(t)) {
		fmt.Fprintf(&out, "%s: %s\n", name, t[name])
	}
	return out.String()
}

// merged is what three trees make, by the rules of the model: a line that one side changed is that side's. Refused names the paths that both changed in one place.
func merged(base, ours, theirs modelTree) (result modelTree, refused []string) {
	result = make(modelTree)
	names := maps.Clone(base)
	maps.Copy(names, ours)
	maps.Copy(names, theirs)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		f, ok := mergedFile(base[name], ours[name], theirs[name])
		if !ok {
			refused = append(refused, name)
		}
		result.put(name, f)
	}
	return result, refused
}

func mergedFile(base, ours, theirs *modelFile) (*modelFile, bool) {
	switch {
	case same(base, theirs), same(ours, theirs):
		return ours, true
	case same(base, ours):
		return theirs, true
	case base == nil || ours == nil || theirs == nil:
		return ours, false
	}
	result := &modelFile{exec: ours.exec}
	if base.exec == ours.exec {
		result.exec = theirs.exec
	}
	from, one, two := strings.SplitAfter(base.text, "\n"), strings.SplitAfter(ours.text, "\n"), strings.SplitAfter(theirs.text, "\n")
	if len(from) != len(one) || len(from) != len(two) {
		return ours, false
	}
	for i := range from {
		switch {
		case from[i] == two[i], one[i] == two[i]:
			result.text += one[i]
		case from[i] == one[i]:
			result.text += two[i]
		default:
			return ours, false
		}
	}
	return result, true
}

// folderTree reads a folder into the model.
func (l *lab) folderTree(dir string) modelTree {
	t := make(modelTree)
	noError(l.t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == ".git" || entry.IsDir() {
			if err == nil && entry.Name() == ".git" && entry.IsDir() {
				return fs.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, path)
		text, err := os.ReadFile(path)
		stat, _ := entry.Info()
		t[filepath.ToSlash(name)] = &modelFile{exec: stat.Mode()&0o100 != 0, text: string(text)}
		return err
	}))
	return t
}

// writeFile makes the disk say what the model says of one file.
func (l *lab) writeFile(dir, name string, f *modelFile) {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if f == nil {
		noError(l.t, os.RemoveAll(path))
		return
	}
	noError(l.t, os.MkdirAll(filepath.Dir(path), 0o755))
	noError(l.t, os.RemoveAll(path))
	mode := fs.FileMode(0o644)
	if f.exec {
		mode = 0o755
	}
	noError(l.t, os.WriteFile(path, []byte(f.text), mode))
}
