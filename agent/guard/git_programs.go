package guard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nodwyn/nodwyn/agent/guard/internal/effect"
)

// Program is a setting with which a repository's own configuration names a program for git to run. It has no effect on nodwyn's git.
type Program struct {
	// Key is the setting, such as "filter.x.clean".
	Key string
	// Command is what it says.
	Command string
}

// Programs lists what the repository at dir names for git to run and nodwyn's git passes over, so that a person can be told: a filter that is not run leaves the files of a session as they are stored.
func (g *Git) Programs(ctx context.Context, dir string) ([]Program, error) {
	found, err := g.configured(ctx, gitPlace{dir: dir}, false)
	if err != nil {
		return nil, err
	}
	var programs []Program
	for _, s := range found.theirs {
		p := Program{Key: s.key, Command: s.value}
		if !slices.Contains(programs, p) {
			programs = append(programs, p)
		}
	}
	return programs, nil
}

// passOver returns a git command that somebody else runs in dir, without the programs that the repository names there.
func (g *Git) passOver(ctx context.Context, dir string, argv, env []string) (words, vars []string, err error) {
	found, err := g.configured(ctx, gitPlace{dir: dir}, true)
	if err != nil {
		return nil, nil, err
	}
	flags, vars := configEnv(found.overrides())
	return slices.Concat(argv[:1], flags, argv[1:]), append(slices.Clip(env), vars...), nil
}

// configEnv returns the flags and variables by which git gets settings. They go through the environment, because a name such as that of a filter may hold anything.
func configEnv(list []setting) (flags, env []string) {
	for i, s := range list {
		name := fmt.Sprintf("NODWYN_GIT_%d", i)
		flags = append(flags, "--config-env="+s.key+"="+name)
		env = append(env, name+"="+s.value)
	}
	return flags, env
}

// setting is a line of a configuration.
type setting struct{ key, value string }

// settings is what matters of a configuration here.
type settings struct {
	person []setting // the system's and the person's own
	theirs []setting // those of the repository that name programs, and are passed over
}

// programKey is a setting that names a program, and the value that stands for none. A section matches with and without a name inside.
type programKey struct{ section, key, none string }

// mergeAsText is a driver that does what git does without one. What it cannot merge, be it binary, is a conflict.
const mergeAsText = "git merge-file -q --marker-size=%L %A %O %B || exit 1"

// programKeys are in the form that git lists them. An external diff that fails makes an error, which is better than a diff that is none.
var programKeys = [...]programKey{
	{"filter", "clean", ""}, {"filter", "smudge", ""}, {"filter", "process", ""}, {"filter", "required", "false"},
	{"merge", "driver", mergeAsText}, {"diff", "textconv", "cat"}, {"diff", "command", "false"}, {"diff", "external", "false"},
	{"core", "sshcommand", "ssh"}, {"core", "askpass", ""}, {"core", "gitproxy", "false"}, {"core", "alternaterefscommand", "true"},
	{"core", "editor", "true"}, {"sequence", "editor", "true"}, {"core", "pager", "cat"}, {"credential", "helper", ""},
	{"gpg", "program", "false"}, {"gpg", "defaultkeycommand", "false"}, {"submodule", "update", "checkout"},
	{"remote", "uploadpack", "git-upload-pack"}, {"remote", "receivepack", "git-receive-pack"}, {"remote", "vcs", ""},
	{"trailer", "command", ""}, {"trailer", "cmd", ""},
	{"lfs", "clean", ""}, {"lfs", "smudge", ""}, {"lfs", "path", ""}, {"lfs", "standalonetransferagent", ""},
}

// largeFiles are the settings that git-lfs writes into a repository by itself. They name a program that is installed, and nothing else.
var largeFiles = [...]setting{
	{"filter.lfs.clean", "git-lfs clean -- %f"}, {"filter.lfs.smudge", "git-lfs smudge -- %f"},
	{"filter.lfs.smudge", "git-lfs smudge --skip -- %f"}, {"filter.lfs.process", "git-lfs filter-process"},
	{"filter.lfs.process", "git-lfs filter-process --skip"}, {"filter.lfs.required", "true"},
}

// gitlinkMode begins the line of an index entry that is another repository.
const gitlinkMode = "160000 "

// split parts a key as git lists it: the section, the name inside it, which may hold dots, and the last word.
func split(key string) (section, word string) {
	section, _, _ = strings.Cut(key, ".")
	return section, key[strings.LastIndexByte(key, '.')+1:]
}

func programKeyOf(key string) *programKey {
	section, word := split(key)
	for i, k := range programKeys {
		if k.section == section && k.key == word {
			return &programKeys[i]
		}
	}
	return nil
}

// namesNoProgram reports whether a command has nothing to do with programs, whatever is configured: it touches neither the content of files nor another repository.
func namesNoProgram(args []string) bool {
	return len(args) > 0 && slices.Contains([]string{
		"version", "check-ref-format", "rev-parse", "symbolic-ref", "for-each-ref", "update-ref", "ls-files", "var", "config",
	}, args[0])
}

// looksInside reports whether a command asks repositories that lie inside this one for their state, by a git that obeys their configuration and gets our settings.
func looksInside(args []string) bool {
	if slices.Contains(args, "--no-checkout") || slices.Contains(args, "--ignore-submodules=dirty") {
		return false // no file is looked at, or of a repository inside only which commit it has
	}
	return len(args) > 0 && !slices.Contains([]string{
		"merge-base", "merge-tree", "write-tree", "commit-tree", "mktree", "read-tree", "update-index", "diff-tree", "diff-index", "hash-object", "checkout-index", "cat-file", "ls-tree", "rev-list", "log", "init",
	}, args[0])
}

// configured reads the settings, as they are at this moment: what a command of the session has put there since is passed over, too.
func (g *Git) configured(ctx context.Context, at gitPlace, inside bool) (settings, error) {
	var s settings
	seen := make(map[string]bool)
	for todo := []gitPlace{at}; len(todo) > 0; todo = todo[1:] {
		next := todo[0]
		if seen[next.dir] {
			continue // a broken repository inside, for which git answers with the one around it
		}
		seen[next.dir] = true
		out, err := g.run(ctx, next, nil, nil, []string{"config", "--list", "--includes", "--show-scope", "-z"})
		if err != nil {
			return settings{}, err
		}
		s.add(splitNUL(out))
		if !inside {
			break
		}
		nested, err := g.nested(ctx, next)
		if err != nil {
			return settings{}, err
		}
		todo = append(todo, nested...)
	}
	return s, nil
}

// add takes the settings of one listing: a scope and a line, by turns. The person's are the same in every listing.
func (s *settings) add(list []string) {
	first := len(s.person) == 0
	for i := 0; i+1 < len(list); i += 2 {
		key, value, _ := strings.Cut(list[i+1], "\n")
		line := setting{key, value}
		switch own := list[i] == "local" || list[i] == "worktree"; {
		case own && programKeyOf(key) != nil && !slices.Contains(largeFiles[:], line):
			s.theirs = append(s.theirs, line)
		case !own && first && programKeyOf(key) != nil:
			s.person = append(s.person, line)
		}
	}
}

// nested finds the repositories in the index of this one. They are entered by their folders, as git does: what pins the place of the outer one is not for them.
func (g *Git) nested(ctx context.Context, at gitPlace) ([]gitPlace, error) {
	out, err := g.run(ctx, at.with("GIT_LITERAL_PATHSPECS=0"), nil, nil, []string{"ls-files", "--stage", "-z", "--", ":/"})
	if _, ok := errors.AsType[*GitError](err); ok {
		return nil, nil // there is no index, or one that the command itself will complain about
	}
	if err != nil {
		return nil, err
	}
	var places []gitPlace
	for line := range bytes.SplitSeq(out, []byte{0}) { // of a large index this is a lot
		if !bytes.HasPrefix(line, []byte(gitlinkMode)) {
			continue
		}
		_, name, _ := bytes.Cut(line, []byte("\t"))
		if dir := filepath.Join(at.dir, filepath.FromSlash(string(name))); effect.IsRepository(dir) {
			places = append(places, gitPlace{dir: dir})
		}
	}
	return places, nil
}

// overrides are the settings that take the place of the repository's own: the person's, or none.
func (s settings) overrides() []setting {
	var out []setting
	var helpers bool
	for _, line := range s.theirs {
		switch section, _ := split(line.key); section {
		case "lfs": // git-lfs would run it, so git-lfs is not run
			out = append(out, setting{"filter.lfs.clean", ""}, setting{"filter.lfs.smudge", ""}, setting{"filter.lfs.process", ""}, setting{"filter.lfs.required", "false"})
		case "credential": // helpers add up, and an empty one drops all before it
			out, helpers = append(out, setting{line.key, ""}), true
		default:
			out = append(out, setting{line.key, s.personal(line.key)})
		}
	}
	for _, line := range s.person {
		if section, _ := split(line.key); helpers && section == "credential" {
			out = append(out, line)
		}
	}
	return out
}

// personal is what the person says about a key, the last time they do.
func (s settings) personal(key string) string {
	for _, line := range slices.Backward(s.person) {
		if line.key == key {
			return line.value
		}
	}
	return programKeyOf(key).none
}
