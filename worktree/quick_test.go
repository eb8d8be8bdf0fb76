package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// uncommittedState is what a worktree may hold when it is snapshotted.
type uncommittedState struct {
	name string
	base func(l *lab) // what is committed beside the lab's first files
	edit func(l *lab, dir string)
	// slow says that git has to look at every file.
	slow bool
}

func statesOfFiles() []uncommittedState {
	return []uncommittedState{
		{name: "nothing"},
		{name: "every kind", edit: (*lab).unfinished},
		{name: "edits of the same tick and size", edit: func(l *lab, dir string) {
			l.write(dir, "a.txt", strings.Replace(lines("a", 20), "a 3", "b 3", 1))
		}},
		{name: "a folder where a file was", edit: func(l *lab, dir string) {
			noError(l.t, os.Remove(filepath.Join(dir, "a.txt")))
			l.write(dir, "a.txt/in", "x\n")
		}},
		{name: "a file where a folder was", edit: func(l *lab, dir string) {
			noError(l.t, os.RemoveAll(filepath.Join(dir, "dir")))
			l.write(dir, "dir", "x\n")
		}},
		{name: "a staged folder where a file was, and gone again", edit: func(l *lab, dir string) {
			noError(l.t, os.Remove(filepath.Join(dir, "a.txt")))
			l.write(dir, "a.txt/in", "x\n")
			l.run(dir, "add", "-A")
			noError(l.t, os.RemoveAll(filepath.Join(dir, "a.txt")))
			l.write(dir, "a.txt", "again a file\n")
		}},
		{name: "an untracked file where one was removed from the index", edit: func(l *lab, dir string) {
			l.run(dir, "rm", "-q", "--cached", "a.txt")
			l.write(dir, "a.txt", "another\n")
		}},
		{name: "a file that is only announced", edit: func(l *lab, dir string) {
			l.write(dir, "sub/announced", "x\n")
			l.write(dir, "announced and gone", "x\n")
			l.run(dir, "add", "-N", "sub/announced", "announced and gone")
			noError(l.t, os.Remove(filepath.Join(dir, "announced and gone")))
		}},
		{name: "everything gone", edit: func(l *lab, dir string) {
			for _, name := range []string{"a.txt", "b.txt", "dir", ".gitignore"} {
				noError(l.t, os.RemoveAll(filepath.Join(dir, name)))
			}
		}},
		{name: "odd names", edit: func(l *lab, dir string) {
			for _, name := range []string{"a\nb/c\td", "-x", "\"quoted\"", "a b/é/ü", "dir.x", "dir-x/y", "dir0", "\\n", "$(x)", ":(top)x", "\xff"} {
				l.write(dir, name, "x\n")
			}
		}},
		{name: "an executable file and a link", edit: func(l *lab, dir string) {
			noError(l.t, os.Chmod(filepath.Join(dir, "a.txt"), 0o755))
			noError(l.t, os.Remove(filepath.Join(dir, "b.txt")))
			noError(l.t, os.Symlink("nowhere", filepath.Join(dir, "b.txt")))
		}},
	}
}

func statesBySettings() []uncommittedState {
	return []uncommittedState{
		{name: "modes that the file system does not have", base: func(l *lab) {
			noError(l.t, os.Chmod(filepath.Join(l.repo, "a.txt"), 0o755))
			l.commit("executable")
			l.run(l.repo, "config", "core.fileMode", "false")
			l.run(l.repo, "config", "core.symlinks", "false")
		}, edit: func(l *lab, dir string) {
			l.write(dir, "a.txt", "still executable\n")
			noError(l.t, os.Chmod(filepath.Join(dir, "a.txt"), 0o644))
			l.write(dir, "new", "x\n")
		}},
		{name: "line ends as the file had them", base: func(l *lab) {
			l.write(l.repo, "crlf.txt", "one\r\ntwo\r\n")
			l.commit("line ends")
			l.run(l.repo, "config", "core.autocrlf", "true")
		}, edit: func(l *lab, dir string) {
			l.write(dir, "crlf.txt", "one\r\ntwo\r\nthree\r\n")
			l.write(dir, "new.txt", "one\r\n")
		}},
		{name: "line ends by attributes that go", base: func(l *lab) {
			l.write(l.repo, ".gitattributes", "*.txt text eol=crlf\n")
			l.write(l.repo, "dir/.gitattributes", "*.txt -text\n")
			l.commit("attributes")
		}, edit: func(l *lab, dir string) {
			noError(l.t, os.Remove(filepath.Join(dir, "dir/.gitattributes")))
			l.write(dir, "a.txt", "one\r\ntwo\r\n")
			l.write(dir, "dir/c.txt", "one\r\ntwo\r\n")
		}},
		{name: "a filter", base: func(l *lab) {
			l.write(l.repo, ".gitattributes", "*.up filter=up\n")
			l.commit("attributes")
			l.run(l.repo, "config", "filter.up.clean", "tr a-z A-Z")
		}, edit: func(l *lab, dir string) { l.write(dir, "dir/x.up", "small\n") }},
		{name: "a file that is ignored but tracked", base: func(l *lab) {
			l.write(l.repo, "kept.log", "x\n")
			l.run(l.repo, "add", "-f", "kept.log")
			l.run(l.repo, "commit", "-q", "-m", "ignored")
		}, edit: func(l *lab, dir string) { l.write(dir, "kept.log", "y\n") }},
		{name: "files that git is told to take as unchanged", edit: func(l *lab, dir string) {
			l.run(dir, "update-index", "--assume-unchanged", "a.txt")
			l.run(dir, "update-index", "--skip-worktree", "b.txt")
			l.write(dir, "a.txt", "x\n")
			noError(l.t, os.Remove(filepath.Join(dir, "b.txt")))
		}},
		{name: "a repository of its own", slow: true, edit: func(l *lab, dir string) {
			l.run(dir, "init", "-q", "own")
			l.write(dir, "own/x", "x\n")
		}},
		{name: "a sparse checkout", slow: true, edit: func(l *lab, dir string) {
			l.run(dir, "sparse-checkout", "set", "dir")
			l.write(dir, "dir/c.txt", "x\n")
		}},
		{name: "an unresolved merge", slow: true, base: func(l *lab) {
			l.run(l.repo, "checkout", "-q", "-b", "other")
			l.write(l.repo, "a.txt", "theirs\n")
			l.commit("theirs")
			l.run(l.repo, "checkout", "-q", "main")
			l.write(l.repo, "a.txt", "ours\n")
			l.commit("ours")
		}, edit: func(l *lab, dir string) {
			_, err := l.git.Run(l.t.Context(), dir, nil, nil, "merge", "-q", "other")
			check(l.t, "exit code of the merge", exitCode(err), 1)
		}},
	}
}

// TestQuickSnapshotIsTheWholeOne holds the snapshot that is worked out from the status against the one for which git looks at every file.
func TestQuickSnapshotIsTheWholeOne(t *testing.T) {
	skipOnWindows(t)
	for _, c := range append(statesOfFiles(), statesBySettings()...) {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			if c.base != nil {
				c.base(l)
			}
			r := l.open(l.repo)
			id := l.create(r, "s1")
			if c.edit != nil {
				c.edit(l, id.Path)
			}
			tree, err := r.checked(id.Path)
			noError(t, err)
			before := l.look(id.Path)
			quick, is, err := r.quickSnapshot(t.Context(), tree)
			noError(t, err)
			check(t, "quick", is, !c.slow)
			check(t, "tree", l.look(id.Path), before)
			whole, scratch, err := r.snapshotIndex(t.Context(), tree)
			noError(t, err)
			discardIndex(scratch)
			if is {
				check(t, "snapshot", quick, whole)
			}
			check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
		})
	}
}

func TestTreeWithRefusesWhatIsNoTree(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.run(l.repo, "rev-parse", "HEAD:a.txt")
	for _, c := range []struct {
		name    string
		entries []entry
		want    string
	}{
		{"a file and a folder", []entry{{"100644", id, "x"}, {"100644", id, "x/y"}}, `make a tree: "x" is to be a file and a folder`},
		{"no object", []entry{{"100644", strings.Repeat("0", len(id)), "x"}}, `make a tree: "x" has no object, its id is "` + strings.Repeat("0", len(id)) + `"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := r.treeWith(t.Context(), "HEAD", c.entries)
			if err == nil || err.Error() != c.want {
				t.Errorf("got error %v, want %s", err, c.want)
			}
		})
	}
}
