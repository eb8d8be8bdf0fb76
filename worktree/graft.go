package worktree

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// folderMode is the mode of a folder in a tree.
const folderMode = "40000"

// subtree is one folder of a tree that is made from another tree. Only those exist in which something changes, so that the work goes with the changes and not with the size of the repository.
type subtree struct {
	// id is the folder in the base; empty when there is none.
	id string
	// has is what it holds in the base, by name.
	has map[string]entry
	// gone and set are its own files that change.
	gone []string
	set  map[string]entry
	// within are the folders in it in which something changes.
	within map[string]*subtree
}

// treeWith returns a tree that is base but for some entries; what has no mode goes. An empty base is a tree without any.
func (r *Repository) treeWith(ctx context.Context, base string, entries []entry) (tree string, err error) {
	if base != "" {
		if base, err = r.treeOf(ctx, base); err != nil || len(entries) == 0 {
			return base, err
		}
	}
	root := &subtree{id: base}
	for _, e := range entries {
		root.take(e.path, e)
	}
	if err := r.readFolders(ctx, root); err != nil {
		return "", err
	}
	w := treeWriter{long: len(cmp.Or(base, firstID(entries))) > 2*sha1.Size}
	top, err := w.seal("", root)
	if err != nil {
		return "", err
	}
	return r.writeTrees(ctx, &w, top.id)
}

func firstID(entries []entry) string {
	if len(entries) == 0 {
		return ""
	}
	return entries[0].id
}

func (f *subtree) take(path string, e entry) {
	name, rest, inside := strings.Cut(path, "/")
	switch {
	case inside && f.within[name] == nil:
		if f.within == nil {
			f.within = make(map[string]*subtree)
		}
		f.within[name] = &subtree{}
		fallthrough
	case inside:
		f.within[name].take(rest, e)
	case e.mode == noMode:
		f.gone = append(f.gone, name)
	default:
		if f.set == nil {
			f.set = make(map[string]entry)
		}
		f.set[name] = e
	}
}

// readFolders reads what the folders hold in the base, one level at a time: a name may hold anything, an id may not.
func (r *Repository) readFolders(ctx context.Context, root *subtree) error {
	for level := []*subtree{root}; len(level) > 0; {
		if err := r.readLevel(ctx, level); err != nil {
			return err
		}
		var next []*subtree
		for _, f := range level {
			for name, sub := range f.within {
				if e := f.has[name]; e.mode == folderMode {
					sub.id = e.id
					next = append(next, sub)
				}
			}
		}
		level = next
	}
	return nil
}

func (r *Repository) readLevel(ctx context.Context, level []*subtree) error {
	var ids strings.Builder
	for _, f := range level {
		if f.id != "" {
			ids.WriteString(f.id + "\n")
		}
	}
	if ids.Len() == 0 {
		return nil
	}
	at := r.mainPlace()
	out, err := r.git.Run(ctx, at.dir, at.environment(), []byte(ids.String()), "cat-file", "--batch")
	if err != nil {
		return err
	}
	for _, f := range level {
		if f.id == "" {
			continue
		}
		if f.has, out, err = parseFolder(f.id, out); err != nil {
			return fmt.Errorf("read tree %s: %w", f.id, err)
		}
	}
	return nil
}

// parseFolder reads one answer of cat-file --batch, which is to be a tree, and returns what stands behind it.
func parseFolder(id string, out []byte) (map[string]entry, []byte, error) {
	head, rest, _ := bytes.Cut(out, []byte("\n"))
	size, ok := strings.CutPrefix(string(head), id+" tree ")
	n, err := strconv.Atoi(size)
	if !ok || err != nil || n < 0 || n >= len(rest) {
		return nil, nil, fmt.Errorf("git answered %q", head)
	}
	body, rest := rest[:n], rest[n+1:]
	has := make(map[string]entry)
	for raw := len(id) / 2; len(body) > 0; {
		mode, after, _ := bytes.Cut(body, []byte(" "))
		name, after, found := bytes.Cut(after, []byte{0})
		if !found || len(after) < raw {
			return nil, nil, fmt.Errorf("it ends within an entry")
		}
		has[string(name)] = entry{string(mode), hex.EncodeToString(after[:raw]), string(name)}
		body = after[raw:]
	}
	return has, rest, nil
}

// treeWriter collects new trees for git to write, those inside first, and works out their ids, which their parents hold.
type treeWriter struct {
	// long says that ids are SHA-256.
	long  bool
	input bytes.Buffer
	ids   []string
}

// adds reports whether a file comes into the folder.
func (f *subtree) adds() bool {
	for _, sub := range f.within {
		if sub.adds() {
			return true
		}
	}
	return len(f.set) > 0
}

// seal adds a folder as it is to be: what goes goes first, then a file may take the place of a folder, and a folder that of a file. It returns an entry without a mode when nothing is in it.
func (w *treeWriter) seal(path string, f *subtree) (entry, error) {
	all := f.has
	if all == nil {
		all = make(map[string]entry)
	}
	for _, name := range f.gone {
		if all[name].mode != folderMode {
			delete(all, name)
		}
	}
	for name, sub := range f.within {
		if _, file := f.set[name]; file && sub.adds() {
			return entry{}, fmt.Errorf("make a tree: %q is to be a file and a folder", path+name)
		}
		e, err := w.seal(path+name+"/", sub)
		switch {
		case err != nil:
			return entry{}, err
		case e.mode != "":
			all[name] = entry{e.mode, e.id, name}
		case all[name].mode == folderMode:
			delete(all, name)
		}
	}
	for name, e := range f.set {
		all[name] = entry{e.mode, e.id, name}
	}
	if len(all) == 0 && path != "" {
		return entry{}, nil
	}
	return w.write(all)
}

func (w *treeWriter) write(all map[string]entry) (entry, error) {
	list := make([]entry, 0, len(all))
	for _, e := range all {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var body []byte
	for _, e := range list {
		id, err := hex.DecodeString(e.id)
		if err != nil || strings.Trim(e.id, "0") == "" {
			return entry{}, fmt.Errorf("make a tree: %q has no object, its id is %q", e.path, e.id)
		}
		body = fmt.Appendf(body, "%s %s\x00%s", e.mode, e.path, id)
		fmt.Fprintf(&w.input, "%s %s %s\t%s\x00", e.mode, e.objectType(), e.id, e.path)
	}
	w.input.WriteByte(0)
	object := append(fmt.Appendf(nil, "tree %d\x00", len(body)), body...)
	id := fmt.Sprintf("%x", sha1.Sum(object))
	if w.long {
		id = fmt.Sprintf("%x", sha256.Sum256(object))
	}
	w.ids = append(w.ids, id)
	return entry{mode: folderMode, id: id}, nil
}

// sortName is by what git orders the entries of a tree: a folder as if a slash stood behind its name.
func (e entry) sortName() string {
	if e.mode == folderMode {
		return e.path + "/"
	}
	return e.path
}

func (e entry) objectType() string {
	switch e.mode {
	case folderMode:
		return "tree"
	case gitlink:
		return "commit"
	default:
		return "blob"
	}
}

// writeTrees has git write the trees and holds their ids against those that were worked out.
func (r *Repository) writeTrees(ctx context.Context, w *treeWriter, top string) (string, error) {
	out, err := r.change(ctx, r.mainPlace(), w.input.Bytes(), "mktree", "-z", "--missing", "--batch")
	if err != nil {
		return "", err
	}
	if written := strings.Fields(out); !slices.Equal(written, w.ids) {
		return "", fmt.Errorf("make a tree: git wrote it as %q, and not as %q", written[len(written)-1:], top)
	}
	return top, nil
}
