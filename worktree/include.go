package worktree

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// IncludeFile is the file in the person's checkout that names ignored files which a worktree needs, in the syntax of .gitignore.
const IncludeFile = ".worktreeinclude"

// EquipSpec says what a tree gets that no commit holds.
type EquipSpec struct {
	// From is a folder of the checkout that the files come from, the main one or a linked worktree; empty means the main one.
	From string
	// Ignored are patterns in the syntax of .gitignore; what they match is copied if git ignores it.
	Ignored []string
	// Limit is how many bytes may be copied; zero means 512 MB.
	Limit int64
	// Submodules checks out those submodules whose commits are in this repository already. Nothing is fetched.
	Submodules bool
}

// LeftOut is a path that a tree did not get.
type LeftOut struct {
	// Path is relative to the tree, with a slash at its end for a folder.
	Path string
	// Why says it in words.
	Why string
}

// Equipment is what a tree got, and what it did not get.
type Equipment struct {
	// Copied are the ignored files that were copied now, or that an earlier call copied and that are still there.
	Copied []string
	// LeftOut are those that the patterns name and that were not copied, the first hundred by name.
	LeftOut []LeftOut
	// MoreLeftOut counts the rest of them.
	MoreLeftOut int
	// Hooks is the folder of core.hooksPath when the person's checkout has it and the tree does not, so that commits made in the tree pass over the person's hooks; else empty.
	Hooks string
	// Submodules are those that were checked out.
	Submodules []string
	// Empty are those that were not.
	Empty []LeftOut
}

// mostNamed is how many paths a list names before it only counts.
const mostNamed = 100

func (e *Equipment) leave(name, why string) {
	if len(e.LeftOut) == mostNamed {
		e.MoreLeftOut++
		return
	}
	e.LeftOut = append(e.LeftOut, LeftOut{name, why})
}

// Equip gives a session's tree what no commit holds: ignored files of the person's, and submodules. It is for every tree that was made, anew or again. What is in the tree already stays; what cannot be had is named and stops nothing. Copies are files of their own and never hard links; a symbolic link that stays inside the checkout is made again, one that leads out of it is left out, and none is followed.
//
// A process that dies in it leaves a tree with some of its files; the next Equip adds the others and writes again what was cut off.
func (r *Repository) Equip(ctx context.Context, id Identity, spec EquipSpec) (Equipment, error) {
	var e Equipment
	if err := r.equip(ctx, id, spec, &e); err != nil {
		return e, fmt.Errorf("equip worktree %q: %w", id.Path, err)
	}
	return e, nil
}

func (r *Repository) equip(ctx context.Context, id Identity, spec EquipSpec, e *Equipment) error {
	tree, err := r.checked(id.Path)
	if err != nil {
		return err
	}
	if err := r.hideRoot(tree.path); err != nil {
		return err
	}
	from, err := r.checkoutAt(ctx, spec.From)
	switch {
	case errors.Is(err, errNoCheckout): // no files lie anywhere
	case err != nil:
		return err
	default:
		if err := r.copyIgnored(ctx, tree, from, spec, e); err != nil {
			return err
		}
		if e.Hooks, err = r.missingHooks(ctx, tree, from); err != nil {
			return err
		}
	}
	if !spec.Submodules {
		return nil
	}
	return r.fillSubmodules(ctx, tree.at, r.common, "", e)
}

func (r *Repository) copyIgnored(ctx context.Context, tree checkout, from place, spec EquipSpec, e *Equipment) error {
	patterns, err := patternsOf(spec)
	if err != nil {
		return err
	}
	if patterns == "" {
		return nil
	}
	names, err := r.included(ctx, from, patterns, e)
	if err != nil {
		return err
	}
	if names, err = r.fitting(ctx, tree, from.dir, names, e); err != nil {
		return err
	}
	c, err := openCopies(tree, from.dir, spec.Limit)
	if err != nil {
		return err
	}
	return errors.Join(c.copyAll(ctx, names, e), c.close())
}

// IncludePatterns returns what the IncludeFile of the checkout says that the session was asked from; empty when there is none. They are the repository's word: the caller decides whether they count.
func (r *Repository) IncludePatterns(ctx context.Context, from string) (string, error) {
	return r.PlainText(ctx, from, IncludeFile)
}

// PlainText returns the text of a small regular file of the checkout that a session was asked from, named with slashes; empty when there is none.
func (r *Repository) PlainText(ctx context.Context, from, name string) (string, error) {
	at, err := r.checkoutAt(ctx, from)
	if errors.Is(err, errNoCheckout) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return readPlain(filepath.Join(at.dir, filepath.FromSlash(name)))
}

// patternsOf joins the patterns of a spec.
func patternsOf(spec EquipSpec) (string, error) {
	for _, pattern := range spec.Ignored {
		if strings.ContainsAny(pattern, "\r\n\x00") {
			return "", fmt.Errorf("copy ignored files: pattern %q has more than one line", pattern)
		}
	}
	return strings.TrimSpace(strings.Join(spec.Ignored, "\n")), nil
}

// readPlain reads a small regular file; one that does not exist, or that is something else, is empty.
func readPlain(name string) (string, error) {
	const most = 1 << 20
	stat, err := os.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) || err == nil && (!stat.Mode().IsRegular() || stat.Size() > most) {
		return "", nil
	}
	text, err := os.ReadFile(name)
	return string(text), err
}

// included lists the files of a checkout that the patterns match and that git ignores. Git itself reads the patterns, so that they mean what they mean in a .gitignore.
func (r *Repository) included(ctx context.Context, from place, patterns string, e *Equipment) ([]string, error) {
	list, err := os.CreateTemp(from.gitDir, "nodwyn-include-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(list.Name())
	_, err = list.WriteString(patterns + "\n")
	if closed := list.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	out, err := r.ask(ctx, from, "ls-files", "--others", "--ignored", "--exclude-from="+list.Name(), "-z")
	if err != nil {
		return nil, fmt.Errorf("list ignored files of %q: %w", from.dir, err)
	}
	var names []string
	for in := (&fields{out}); in.rest != ""; {
		names = append(names, in.next())
	}
	ignored, err := r.ignoredOf(ctx, from, names)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !ignored[name] })
	return withoutRepositories(names, e), nil
}

func withoutRepositories(names []string, e *Equipment) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		nested := strings.HasSuffix(name, "/")
		if nested {
			e.leave(name, "it is a repository of its own")
		}
		return nested
	})
}

// ignoredOf says which of the untracked names git ignores at a place. The command takes no literal pathspecs; with a folder before it and without a look at the index, no name is anything else.
func (r *Repository) ignoredOf(ctx context.Context, at place, names []string) (map[string]bool, error) {
	if len(names) == 0 {
		return nil, nil
	}
	list := "./" + strings.Join(names, "\x00./") + "\x00"
	at = at.with("GIT_LITERAL_PATHSPECS=0")
	out, err := r.git.Run(ctx, at.dir, at.environment(), []byte(list), "check-ignore", "--no-index", "-z", "--stdin")
	if err != nil && exitCode(err) != 1 { // 1: none of them
		return nil, fmt.Errorf("see which files git ignores in %q: %w", at.dir, err)
	}
	ignored := make(map[string]bool)
	for in := (&fields{string(out)}); in.rest != ""; {
		ignored[strings.TrimPrefix(in.next(), "./")] = true
	}
	return ignored, nil
}

// fitting drops the files that a tree must not get: those that git would not ignore there, which would look like the session's work, and those of a Python environment, which holds the absolute paths of where it was made.
func (r *Repository) fitting(ctx context.Context, tree checkout, from string, names []string, e *Equipment) ([]string, error) {
	environments := make(map[string]bool)
	names = slices.DeleteFunc(names, func(name string) bool {
		folder := environmentAbove(from, name, environments)
		if folder != "" {
			return true
		}
		blocked := aboveIsNoFolder(tree.path, name)
		if blocked {
			e.leave(name, "the tree has something else where its folder would be")
		}
		return blocked
	})
	for folder, is := range environments {
		if is {
			e.leave(folder+"/", "it is a Python environment, whose paths hold only where it was made; make one in the worktree")
		}
	}
	ignored, err := r.ignoredOf(ctx, tree.at, names)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(name string) bool {
		if !ignored[name] {
			e.leave(name, "git does not ignore it at the session's base commit")
		}
		return !ignored[name]
	})
	slices.SortFunc(e.LeftOut, func(a, b LeftOut) int { return strings.Compare(a.Path, b.Path) })
	return names, nil
}

// environmentAbove returns the folder above a file that is a Python environment. Known remembers the answers.
func environmentAbove(dir, name string, known map[string]bool) string {
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		is, asked := known[above]
		if !asked {
			_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(above), "pyvenv.cfg"))
			is = err == nil
			known[above] = is
		}
		if is {
			return above
		}
	}
	return ""
}

// aboveIsNoFolder reports whether something above a path is there and no real folder: a link would lead the copy elsewhere.
func aboveIsNoFolder(dir, name string) bool {
	for above := path.Dir(name); above != "."; above = path.Dir(above) {
		stat, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(above)))
		if err == nil && !stat.IsDir() {
			return true
		}
	}
	return false
}

// missingHooks returns the folder of the person's hooks when it lies in their checkout and not in the tree, as the one that husky makes and ignores.
func (r *Repository) missingHooks(ctx context.Context, tree checkout, from place) (string, error) {
	folder, err := r.setting(ctx, "--type=path", "core.hooksPath")
	if err != nil || folder == "" || !filepath.IsLocal(folder) {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(from.dir, folder)); err != nil {
		return "", nil
	}
	if _, err := os.Stat(filepath.Join(tree.path, folder)); err == nil {
		return "", nil
	}
	return filepath.ToSlash(folder), nil
}
