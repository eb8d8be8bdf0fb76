package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// changes makes a tree with three hunks in a.txt and other files of every sort.
func (l *lab) changes(r *Repository) (Identity, TurnCommit) {
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", strings.NewReplacer("a 1\n", "a one\n", "a 10\n", "a ten\n", "a 20\n", "a twenty").Replace(lines("a", 20)))
	l.write(id.Path, "new/x", "x\n")
	l.write(id.Path, "new/y", "y\n")
	l.run(id.Path, "mv", "b.txt", "moved.txt")
	l.write(id.Path, "moved.txt", strings.NewReplacer("b 1\n", "b one\n", "b 20\n", "b twenty\n").Replace(lines("b", 20)))
	noError(l.t, os.Remove(filepath.Join(id.Path, "dir/c.txt")))
	return id, TurnCommit{l.checkpoint(r, id, 1, id.BaseCommit).Commit, "all of it"}
}

// hunksOf returns the ids of a file's hunks.
func hunksOf(files []FileDiff, path string) []string {
	var ids []string
	for _, file := range files {
		for _, hunk := range file.Hunks {
			if file.Path == path {
				ids = append(ids, hunk.ID)
			}
		}
	}
	return ids
}

func TestLandChosenParts(t *testing.T) {
	for _, strategy := range strategies {
		t.Run(string(strategy), func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turn := l.changes(r)
			diff, err := r.Diff(t.Context(), id.BaseCommit, turn.Commit, "")
			noError(t, err)
			ids := hunksOf(diff, "a.txt")
			spec := specOf(strategy, turn)
			if strategy == Branch {
				spec.Into = "topic"
			}
			spec.Hunks, spec.Paths = []string{ids[2], ids[0]}, []string{"new/x", "dir"}
			first := l.land(r, id, spec)
			if strategy == Branch {
				l.run(l.repo, "checkout", "-q", "topic")
			}
			check(t, "a.txt", l.read(l.repo, "a.txt"), strings.NewReplacer("a 1\n", "a one\n", "a 20\n", "a twenty").Replace(lines("a", 20)))
			for name, want := range map[string]bool{"new/x": true, "new/y": false, "dir/c.txt": false, "b.txt": true, "moved.txt": false} {
				check(t, name, exists(l.repo, name), want)
			}
			if strategy != Patch {
				check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), "")
				check(t, "snapshots in history", strings.Contains(l.run(l.repo, "log", "--format=%an"), "nodwyn"), false)
			}

			// The rest still shows, and lands next.
			base, err := r.CountsFrom(t.Context(), id, []Landing{first})
			noError(t, err)
			check(t, "counts from", base, first.Base)
			rest, err := r.Diff(t.Context(), base, turn.Commit, "")
			noError(t, err)
			check(t, "left of a.txt", len(hunksOf(rest, "a.txt")), 1)
			check(t, "left of moved.txt", hunksOf(rest, "moved.txt"), hunksOf(diff, "moved.txt"))
			spec.Hunks, spec.Paths, spec.Landings = nil, nil, []Landing{first}
			second := l.land(r, id, spec)
			check(t, "what landed next", pathsIn(second.Files), "a.txt b.txt moved.txt new/y")
			check(t, "files", l.files(l.repo), l.files(id.Path))
		})
	}
}

func pathsIn(files []FileDiff) string {
	var names []string
	for _, f := range files {
		if f.OldPath != "" {
			names = append(names, f.OldPath)
		}
		names = append(names, f.Path)
	}
	return strings.Join(names, " ")
}

func TestLandAChosenRename(t *testing.T) {
	for _, name := range []string{"moved.txt", "b.txt"} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turn := l.changes(r)
		spec := specOf(Squash, turn)
		spec.Paths = []string{name}
		l.land(r, id, spec)
		check(t, "moved.txt", l.read(l.repo, "moved.txt"), l.read(id.Path, "moved.txt"))
		check(t, "b.txt", exists(l.repo, "b.txt"), false)
		check(t, "a.txt", l.read(l.repo, "a.txt"), lines("a", 20))
	}
}

func TestLandAllHunksOfARename(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turn := l.changes(r)
	diff, err := r.Diff(t.Context(), id.BaseCommit, turn.Commit, "")
	noError(t, err)
	spec := specOf(Squash, turn)
	spec.Hunks = hunksOf(diff, "moved.txt")
	l.land(r, id, spec)
	check(t, "moved.txt", l.read(l.repo, "moved.txt"), l.read(id.Path, "moved.txt"))
}

func TestLandAChosenBinaryAndMode(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "binary", "\x00\x01\n")
	noError(t, os.Chmod(filepath.Join(id.Path, "a.txt"), 0o755))
	l.write(id.Path, "b.txt", strings.NewReplacer("b 1\n", "b one\n", "b 20\n", "b twenty\n").Replace(lines("b", 20)))
	noError(t, os.Chmod(filepath.Join(id.Path, "b.txt"), 0o755))
	turn := TurnCommit{l.checkpoint(r, id, 1, id.BaseCommit).Commit, "x"}
	diff, err := r.Diff(t.Context(), id.BaseCommit, turn.Commit, "")
	noError(t, err)
	spec := specOf(Squash, turn)
	spec.Hunks = hunksOf(diff, "b.txt")[:1]
	_, err = r.Prepare(t.Context(), id, spec)
	checkRefused(t, err, BadChoice)
	spec.Hunks, spec.Paths = nil, []string{"binary", "a.txt"}
	l.land(r, id, spec)
	files := l.files(id.Path)
	got := l.files(l.repo)
	check(t, "binary", got["binary"], files["binary"])
	check(t, "a.txt", got["a.txt"], files["a.txt"])
	check(t, "b.txt", l.read(l.repo, "b.txt"), lines("b", 20))
}

// What the session merged from the target and was not chosen must not be taken back there.
func TestLandChosenAfterTheSessionMergedTheTarget(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "b.txt", "of the person\n")
	l.commit("by the person")
	l.run(id.Path, "add", "-A")
	l.run(id.Path, "commit", "-q", "-m", "by the agent")
	l.run(id.Path, "merge", "-q", "main")
	three := l.checkpoint(r, id, 3, turns[1].Commit)
	spec := specOf(Squash, TurnCommit{three.Commit, "merge"})
	spec.Paths = []string{"a.txt"}
	landing := l.land(r, id, spec)
	check(t, "files", pathsIn(landing.Files), "a.txt")
	check(t, "b.txt", l.read(l.repo, "b.txt"), "of the person\n")
}

func TestChoiceThatMeansNothing(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turn := l.changes(r)
	for _, c := range []struct{ paths, hunks []string }{
		{paths: []string{"a.txt", "unchanged"}}, {paths: []string{".gitignore"}}, {paths: []string{"a"}}, {hunks: []string{"0123456789ab"}},
	} {
		spec := specOf(Squash, turn)
		spec.Paths, spec.Hunks = c.paths, c.hunks
		_, err := r.Prepare(t.Context(), id, spec)
		checkRefused(t, err, BadChoice)
	}
}

func TestApplyHunks(t *testing.T) {
	for _, c := range []struct{ name, old, want string }{
		{"line feed taken from the end", "a\nb\n", "a\nc"},
		{"line feed given to the end", "a\nb", "a\nb\n"},
		{"carriage returns", "a\r\nb\r\n", "a\r\nc\r\nb\r\n"},
		{"first line", "b\n", "a\nb\n"},
		{"everything", "a\nb\n", "c\n"},
		{"to nothing", "a\n", ""},
		{"not UTF-8", "\xff\na\n", "\xff\n\xfe\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			l.write(l.repo, "x", c.old)
			from := l.commit("old")
			l.write(l.repo, "x", c.want)
			to := l.commit("new")
			diff, err := r.Diff(t.Context(), from, to, "")
			noError(t, err)
			got, err := applyHunks(c.old, diff[0].Hunks)
			noError(t, err)
			check(t, "content", got, c.want)
		})
	}
	if _, err := applyHunks("other\n", []Hunk{{Header: "@@ -1 +1 @@", Text: "-a\n+b\n"}}); err == nil {
		t.Error("a hunk that does not fit: got no error")
	}
}
