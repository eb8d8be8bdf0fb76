package worktree

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// fillSubmodules checks out the submodules of a tree from the copies that the person's checkout has of them below shared; each gets a repository of its own, which borrows their objects. Nothing is fetched, and the configuration that the worktrees share is not written, as an init would. A submodule that cannot be had stays empty and is named.
//
// A process that dies in it leaves a submodule empty or half checked out; git submodule update, by the next Equip or by hand, goes on from there.
func (r *Repository) fillSubmodules(ctx context.Context, at place, shared, prefix string, e *Equipment) error {
	links, err := r.submodules(ctx, at)
	if err != nil || len(links) == 0 {
		return err
	}
	for _, link := range links {
		link.shown = path.Join(prefix, link.path)
		why, err := r.fillSubmodule(ctx, at, shared, link)
		if err != nil {
			return err
		}
		if why != "" {
			e.Empty = append(e.Empty, LeftOut{link.shown, why})
			continue
		}
		e.Submodules = append(e.Submodules, link.shown)
		if err := r.fillSubmodules(ctx, link.place(at), link.module(shared), link.shown, e); err != nil {
			return err
		}
	}
	return nil
}

// submodule is a commit that stands in an index in place of a file.
type submodule struct {
	path, commit string
	// name is what .gitmodules calls it; empty when it does not.
	name string
	// shown is its path from the top of the session's tree.
	shown string
}

// module returns the repository that a git folder keeps for the submodule.
func (s submodule) module(gitDir string) string {
	return filepath.Join(gitDir, "modules", filepath.FromSlash(s.name))
}

func (s submodule) place(outer place) place {
	dir := filepath.Join(outer.dir, filepath.FromSlash(s.path))
	return place{dir: dir, gitDir: s.module(outer.gitDir), env: []string{"GIT_WORK_TREE=" + dir, "GIT_CEILING_DIRECTORIES=" + filepath.Dir(dir)}}
}

// submodules lists the submodules of a tree, by its index.
func (r *Repository) submodules(ctx context.Context, at place) ([]submodule, error) {
	out, err := r.ask(ctx, at, "ls-files", "--stage", "-z")
	if err != nil {
		return nil, fmt.Errorf("list submodules of %q: %w", at.dir, err)
	}
	var links []submodule
	for in := (&fields{out}); in.rest != ""; {
		what, name, _ := strings.Cut(in.next(), "\t")
		if parts := strings.Fields(what); len(parts) == 3 && parts[0] == gitlink {
			links = append(links, submodule{path: name, commit: parts[1]})
		}
	}
	if len(links) == 0 {
		return nil, nil
	}
	names, err := r.submoduleNames(ctx, at)
	for i := range links {
		links[i].name = names[links[i].path]
	}
	return links, err
}

func (r *Repository) submoduleNames(ctx context.Context, at place) (map[string]string, error) {
	file := filepath.Join(at.dir, ".gitmodules")
	if stat, err := os.Lstat(file); err != nil || !stat.Mode().IsRegular() {
		return nil, nil
	}
	out, err := r.ask(ctx, at, "config", "--file", file, "-z", "--get-regexp", `^submodule\..*\.path$`)
	if exitCode(err) >= 1 { // it names none, or cannot be read
		return nil, nil
	}
	names := make(map[string]string)
	for in := (&fields{out}); in.rest != ""; {
		key, value, _ := strings.Cut(in.next(), "\n")
		key = strings.TrimSuffix(strings.TrimPrefix(key, "submodule."), ".path")
		if filepath.IsLocal(filepath.FromSlash(key)) { // it becomes a folder below modules
			names[value] = key
		}
	}
	return names, err
}

// fillSubmodule checks one submodule out, or says why not.
func (r *Repository) fillSubmodule(ctx context.Context, at place, shared string, s submodule) (why string, err error) {
	if s.name == "" {
		return "no entry of .gitmodules names it", nil
	}
	module := s.module(shared)
	if _, err := os.Stat(filepath.Join(module, "objects")); err != nil {
		return "your checkout does not have it either; run git submodule update --init in the worktree", nil
	}
	if _, err := r.ask(ctx, place{dir: module, gitDir: module}, "cat-file", "-e", s.commit+"^{commit}"); err != nil {
		if exitCode(err) < 1 {
			return "", err
		}
		return fmt.Sprintf("your copy of it lacks commit %.12s; run git submodule update in the worktree", s.commit), nil
	}
	_, err = r.change(ctx, at.with(borrowing(s.name, module)...), nil, "submodule", "update", "--checkout", "--no-fetch", "--reference", module, "--", s.path)
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		return fmt.Sprintf("git could not check it out (%s)", lastLine(err)), nil
	}
	return "", r.trueAddress(ctx, module, s.module(at.gitDir))
}

// borrowing makes git clone a submodule from a folder, and from nothing else.
func borrowing(name, module string) []string {
	return configured([][2]string{
		{"submodule." + name + ".url", module}, {"submodule." + name + ".active", "true"}, {"submodule." + name + ".update", "checkout"},
	}, "GIT_ALLOW_PROTOCOL=file")
}

// configured is the environment for a command that needs settings of its own beside the usual ones.
func configured(more [][2]string, env ...string) []string {
	env = append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)+len(more)))
	for i, s := range more {
		n := len(settings) + i
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s[1]))
	}
	return env
}

// trueAddress gives a clone the address that the person's copy has, so that a fetch there goes where they expect.
func (r *Repository) trueAddress(ctx context.Context, module, clone string) error {
	at := place{dir: module, gitDir: module}
	url, err := r.ask(ctx, at, "config", "--get", "remote.origin.url")
	if exitCode(err) >= 1 {
		return nil // it has no remote of that name
	}
	if err == nil {
		_, err = r.change(ctx, at, nil, "config", "--file", filepath.Join(clone, "config"), "remote.origin.url", url)
	}
	return err
}

// lastLine returns git's last word, which for a command of many steps says why it gave up.
func lastLine(err error) string {
	lines := strings.Split(strings.TrimSpace(stderrOf(err)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return last
	}
	return err.Error()
}

// changedSubmodules lists the submodules of a checkout that hold what no snapshot of it does: commits of their own, edits, new files.
func (r *Repository) changedSubmodules(ctx context.Context, at place) ([]string, error) {
	states, err := r.submoduleStates(ctx, at)
	return slices.Sorted(maps.Keys(states)), err
}

// submoduleStates returns git's letters for each submodule that differs from what the index says: C for another commit, M for edits, U for new files, in this order, with a dot for what is not so.
func (r *Repository) submoduleStates(ctx context.Context, at place) (map[string]string, error) {
	links, err := r.submodules(ctx, at)
	if err != nil || len(links) == 0 {
		return nil, err
	}
	out, err := r.ask(ctx, at, "status", "--porcelain=v2", "-z", "--untracked-files=normal", "--no-renames", "--ignore-submodules=none")
	if err != nil {
		return nil, fmt.Errorf("see what changed in submodules of %q: %w", at.dir, err)
	}
	states := make(map[string]string)
	for record := range strings.SplitSeq(out, "\x00") {
		parts := strings.SplitN(record, " ", 9)
		if len(parts) != 9 || parts[0] != "1" {
			continue
		}
		if state, is := strings.CutPrefix(parts[2], "S"); is && state != "..." {
			states[parts[8]] = state
		}
	}
	return states, nil
}
