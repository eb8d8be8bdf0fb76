package worktree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// twoTurns is a session that changed a file in three places, and others in every other way, in two turns.
func (l *lab) twoTurns(r *Repository) (id Identity, one, two *Checkpoint) {
	l.t.Helper()
	id = l.create(r, "s1")
	l.write(id.Path, "a.txt", strings.Replace(lines("a", 20), "a 2\n", "a two\n", 1))
	l.write(id.Path, "one.txt", "one\n")
	one = l.checkpoint(r, id, 1, id.BaseCommit)
	text := strings.Replace(l.read(id.Path, "a.txt"), "a 10\n", "a ten\n", 1)
	l.write(id.Path, "a.txt", strings.Replace(text, "a 19\n", "a nineteen\n", 1))
	noError(l.t, os.Remove(filepath.Join(id.Path, "b.txt")))
	l.run(id.Path, "mv", "dir/c.txt", "dir/moved.txt")
	l.write(id.Path, "dir/moved.txt", strings.Replace(lines("c", 20), "c 4\n", "c four\n", 1)+"c 21\n")
	l.write(id.Path, "two/new.txt", "two\n")
	noError(l.t, os.Chmod(filepath.Join(id.Path, ".gitignore"), 0o755))
	two = l.checkpoint(r, id, 2, one.Commit)
	return id, one, two
}

// rewrite carries a prepared rewrite out.
func (l *lab) rewrite(r *Repository, id Identity, rw Rewrite, err error) Rewrite {
	l.t.Helper()
	noError(l.t, err)
	noError(l.t, r.ApplyRewrite(l.t.Context(), id, rw.Commit))
	now, err := r.Tree(l.t.Context(), id)
	noError(l.t, err)
	check(l.t, "tree after the rewrite", now, rw.Tree)
	return rw
}

// hunkOf returns the id of the hunk of a file that has a line.
func (l *lab) hunkOf(r *Repository, from, to, path, line string) string {
	l.t.Helper()
	files, err := r.Diff(l.t.Context(), from, to, path)
	noError(l.t, err)
	for _, f := range files {
		for _, h := range f.Hunks {
			if strings.Contains(h.Text, line) {
				return h.ID
			}
		}
	}
	l.t.Fatalf("no hunk of %s has %q", path, line)
	return ""
}

func TestRevertTakesBackWhatWasChosen(t *testing.T) {
	skipOnWindows(t)
	for _, c := range []struct {
		name  string
		spec  func(l *lab, r *Repository, id Identity, one, two *Checkpoint) RevertSpec
		after string // what differs from the base then, as git lists it
	}{
		{"everything after a turn", func(_ *lab, _ *Repository, _ Identity, one, _ *Checkpoint) RevertSpec {
			return RevertSpec{To: one.Commit}
		}, "M\ta.txt\nA\tone.txt"},
		{"everything", func(_ *lab, _ *Repository, id Identity, _, _ *Checkpoint) RevertSpec {
			return RevertSpec{To: id.BaseCommit}
		}, ""},
		{"a file", func(_ *lab, _ *Repository, id Identity, _, _ *Checkpoint) RevertSpec {
			return RevertSpec{To: id.BaseCommit, Path: "a.txt"}
		}, "M\t.gitignore\nD\tb.txt\nR087\tdir/c.txt\tdir/moved.txt\nA\tone.txt\nA\ttwo/new.txt"},
		{"a folder with a renamed file", func(_ *lab, _ *Repository, id Identity, _, _ *Checkpoint) RevertSpec {
			return RevertSpec{To: id.BaseCommit, Path: "dir"}
		}, "M\t.gitignore\nM\ta.txt\nD\tb.txt\nA\tone.txt\nA\ttwo/new.txt"},
		{"a hunk", func(l *lab, r *Repository, id Identity, _, two *Checkpoint) RevertSpec {
			return RevertSpec{To: id.BaseCommit, Hunk: l.hunkOf(r, id.BaseCommit, two.Commit, "a.txt", "+a ten")}
		}, "M\t.gitignore\nM\ta.txt\nD\tb.txt\nR087\tdir/c.txt\tdir/moved.txt\nA\tone.txt\nA\ttwo/new.txt"},
		{"a hunk of a renamed file", func(l *lab, r *Repository, id Identity, _, two *Checkpoint) RevertSpec {
			return RevertSpec{To: id.BaseCommit, Path: "dir/moved.txt", Hunk: l.hunkOf(r, id.BaseCommit, two.Commit, "dir/moved.txt", "+c four")}
		}, "M\t.gitignore\nM\ta.txt\nD\tb.txt\nR094\tdir/c.txt\tdir/moved.txt\nA\tone.txt\nA\ttwo/new.txt"},
		{"a deleted file", func(_ *lab, _ *Repository, id Identity, _, _ *Checkpoint) RevertSpec {
			return RevertSpec{To: id.BaseCommit, Path: "b.txt"}
		}, "M\t.gitignore\nM\ta.txt\nR087\tdir/c.txt\tdir/moved.txt\nA\tone.txt\nA\ttwo/new.txt"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, one, two := l.twoTurns(r)
			spec := c.spec(l, r, id, one, two)
			spec.Session, spec.Turn, spec.Last = "s1", 2, two.Commit
			before, person := l.look(id.Path), l.look(l.repo)

			spec.Preview = true
			refs := l.run(l.repo, "for-each-ref")
			preview, err := r.PrepareRevert(t.Context(), id, spec)
			noError(t, err)
			check(t, "refs after a preview", l.run(l.repo, "for-each-ref"), refs)
			spec.Preview = false
			rw, err := r.PrepareRevert(t.Context(), id, spec)
			check(t, "tree before it is carried out", l.look(id.Path), before)
			l.rewrite(r, id, rw, err)
			check(t, "previewed", preview.Files, rw.Files)
			check(t, "difference", l.run(l.repo, "diff", "--name-status", "-M", id.BaseCommit, rw.Commit), c.after)
			check(t, "ref", l.run(l.repo, "rev-parse", "refs/nodwyn/s1/0002.1"), rw.Commit)
			after := l.look(id.Path)
			check(t, "index and HEAD", [2]string{after.index, after.head}, [2]string{before.index, before.head})

			undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 2, Commit: rw.Commit})
			undone = l.rewrite(r, id, undone, err)
			check(t, "files after the undo", l.look(id.Path), before)
			redone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 2, Commit: undone.Commit})
			l.rewrite(r, id, redone, err)
			check(t, "files after the redo", l.files(id.Path), after.files)
			check(t, "refs", strings.Count(l.run(l.repo, "for-each-ref", "refs/nodwyn/s1/0002.*"), "\n"), 2)
			check(t, "the person's checkout", l.look(l.repo), person)
			check(t, "administration", l.leftovers(id), nil)
			check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
		})
	}
}

func TestRevertKeepsWhatSomebodyEditedSince(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, one, two := l.twoTurns(r)
	l.write(id.Path, "a.txt", strings.Replace(l.read(id.Path, "a.txt"), "a 15\n", "a of the person\n", 1))
	l.write(id.Path, "theirs.txt", "theirs\n")
	l.write(id.Path, "one.txt", "theirs\n")
	files, _, err := r.PersonEdits(t.Context(), id, two.Commit)
	noError(t, err)
	check(t, "edits since", namesIn(files), []string{"a.txt", "one.txt", "theirs.txt"})
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 2, Last: two.Commit, To: one.Commit})
	l.rewrite(r, id, rw, err)
	want := strings.Replace(lines("a", 20), "a 2\n", "a two\n", 1)
	check(t, "a.txt", l.read(id.Path, "a.txt"), strings.Replace(want, "a 15\n", "a of the person\n", 1))
	check(t, "theirs.txt", l.read(id.Path, "theirs.txt"), "theirs\n")
	check(t, "one.txt", l.read(id.Path, "one.txt"), "theirs\n")
	check(t, "new.txt", exists(id.Path, "two/new.txt"), false)
}

func TestRevertRefusesWhereEditsMeet(t *testing.T) {
	skipOnWindows(t)
	for _, c := range []struct {
		name string
		edit func(l *lab, dir string)
		want []Conflict
	}{
		{"the same line", func(l *lab, dir string) {
			l.write(dir, "a.txt", strings.Replace(l.read(dir, "a.txt"), "a ten\n", "a of the person\n", 1))
		}, []Conflict{{Path: "a.txt", Kind: edited}}},
		{"a file that goes", func(l *lab, dir string) { l.write(dir, "two/new.txt", "more\n") }, []Conflict{{Path: "two/new.txt", Kind: edited}}},
		{"a folder where a file comes back", func(l *lab, dir string) { l.write(dir, "b.txt/theirs", "x\n") }, []Conflict{{Path: "b.txt/theirs", Kind: edited}}},
		{"an ignored file where a file comes back", func(l *lab, dir string) {
			l.run(dir, "rm", "-q", "--cached", "b.txt")
			l.write(l.repo, ".git/info/exclude", "b.txt\n")
			l.write(dir, "b.txt", "x\n")
		}, []Conflict{{Path: "b.txt", Kind: ignored}}},
		{"an ignored folder where a file comes back", func(l *lab, dir string) {
			l.write(l.repo, ".git/info/exclude", "b.txt/\n")
			l.write(dir, "b.txt/theirs", "x\n")
		}, []Conflict{{Path: "b.txt/theirs", Kind: ignored}}},
		{"an ignored file where a folder comes back", func(l *lab, dir string) {
			l.run(dir, "rm", "-q", "-f", "-r", "--cached", "dir")
			noError(l.t, os.RemoveAll(filepath.Join(dir, "dir")))
			l.write(l.repo, ".git/info/exclude", "/dir\n")
			l.write(dir, "dir", "x\n")
		}, []Conflict{{Path: "dir", Kind: ignored}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, one, two := l.twoTurns(r)
			c.edit(l, id.Path)
			before := l.look(id.Path)
			_, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 2, Last: two.Commit, To: one.Commit})
			checkConflicts(t, err, c.want...)
			check(t, "tree", l.look(id.Path), before)
		})
	}
}

func TestRevertIsRefusedWhenAFileChangedAfterItWasPrepared(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, one, two := l.twoTurns(r)
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 2, Last: two.Commit, To: one.Commit})
	noError(t, err)
	l.write(id.Path, "elsewhere.txt", "new\n")
	l.write(id.Path, "a.txt", "meanwhile\n")
	before := l.look(id.Path)
	checkConflicts(t, r.ApplyRewrite(t.Context(), id, rw.Commit), Conflict{Path: "a.txt", Kind: edited})
	check(t, "tree", l.look(id.Path), before)
	done, err := r.RecoverRewrite(t.Context(), id, rw.Commit)
	noError(t, err)
	check(t, "done", done, false)
	l.run(id.Path, "cat-file", "-e", rw.Commit)
	l.write(id.Path, "a.txt", l.run(l.repo, "show", two.Commit+":a.txt")+"\n")
	noError(t, r.ApplyRewrite(t.Context(), id, rw.Commit))
	noError(t, r.ApplyRewrite(t.Context(), id, rw.Commit))
	check(t, "elsewhere.txt", l.read(id.Path, "elsewhere.txt"), "new\n")
}

func TestRevertIsRefusedWhenAnIgnoredFileCameAfterItWasPrepared(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, one, two := l.twoTurns(r)
	l.run(id.Path, "rm", "-q", "--cached", "b.txt")
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 2, Last: two.Commit, To: one.Commit})
	noError(t, err)
	l.write(l.repo, ".git/info/exclude", "b.txt\n")
	l.write(id.Path, "b.txt", "ignored\n")
	before := l.look(id.Path)
	checkConflicts(t, r.ApplyRewrite(t.Context(), id, rw.Commit), Conflict{Path: "b.txt", Kind: ignored})
	check(t, "tree", l.look(id.Path), before)
}

// A file whose bytes git would not give back is not written anew because of somebody's edits in it.
func TestRevertLeavesMixedLineEndsAlone(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.mixed text\n")
	l.write(l.repo, "x.mixed", lines("x", 20))
	l.commit("attributes")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.edit(id.Path, "x.mixed", "x 2\n", "x two\n")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	l.edit(id.Path, "x.mixed", "x 15\n", "x of the person\r\n")
	before := l.look(id.Path)
	_, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 1, Last: point.Commit, To: id.BaseCommit})
	checkConflicts(t, err, Conflict{Path: "x.mixed", Kind: edited})
	check(t, "tree", l.look(id.Path), before)
}

func TestRevertRefuses(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, _, two := l.twoTurns(r)
	for _, c := range []struct {
		name string
		spec RevertSpec
		want Reason
	}{
		{"nothing to take back", RevertSpec{To: two.Commit}, NothingToRevert},
		{"unknown path", RevertSpec{To: id.BaseCommit, Path: "nowhere"}, BadChoice},
		{"unknown hunk", RevertSpec{To: id.BaseCommit, Hunk: "0123456789ab"}, BadChoice},
		{"hunk of another file", RevertSpec{To: id.BaseCommit, Path: "one.txt", Hunk: l.hunkOf(r, id.BaseCommit, two.Commit, "a.txt", "+a ten")}, BadChoice},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Session, c.spec.Turn, c.spec.Last = "s1", 2, two.Commit
			_, err := r.PrepareRevert(t.Context(), id, c.spec)
			checkRefused(t, err, c.want)
		})
	}
	if _, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 2, Commit: two.Commit}); err == nil {
		t.Error("a checkpoint was undone as a rewrite")
	}
}

func TestRevertKeepsWhatIsStaged(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.spread(id)
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	staged, files := l.run(id.Path, "diff", "--cached"), l.files(id.Path)
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 1, Last: point.Commit, To: id.BaseCommit})
	l.rewrite(r, id, rw, err)
	check(t, "staged", l.run(id.Path, "diff", "--cached"), staged)
	noError(t, os.RemoveAll(id.Path))
	l.restore(r, id, rw.Commit)
	check(t, "staged after a restore", l.run(id.Path, "diff", "--cached"), staged)
	undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: rw.Commit})
	l.rewrite(r, id, undone, err)
	check(t, "files", l.files(id.Path), files)
}

func TestRevertWritesThroughFilters(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.crlf text eol=crlf\n*.up filter=up\n")
	l.run(l.repo, "config", "filter.up.clean", "tr a-z A-Z")
	l.run(l.repo, "config", "filter.up.smudge", "tr A-Z a-z")
	l.write(l.repo, "x.crlf", "one\r\ntwo\r\n")
	l.write(l.repo, "x.up", "word\n")
	l.commit("attributes")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	before := l.files(id.Path)
	l.write(id.Path, "x.crlf", "other\r\n")
	l.write(id.Path, "x.up", "other\n")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 1, Last: point.Commit, To: id.BaseCommit})
	l.rewrite(r, id, rw, err)
	check(t, "files", l.files(id.Path), before)
}

// A revert that dies at any call, also half way through writing the files, leaves the old state or the new one, and can be carried out again.
func TestRevertIsWholeOrNotAtAll(t *testing.T) {
	skipOnWindows(t)
	random := rand.New(rand.NewPCG(3, 4))
	for calls := 1; ; calls++ {
		l := newLab(t)
		r := l.open(l.repo)
		id, one, two := l.twoTurns(r)
		l.write(id.Path, "a.txt", strings.Replace(l.read(id.Path, "a.txt"), "a 15\n", "a of the person\n", 1))
		old := l.look(id.Path)
		rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 2, Last: two.Commit, To: one.Commit})
		noError(t, err)
		survived, err := l.die(r, random, calls, calls%2 == 0, func(r *Repository) error { return r.ApplyRewrite(t.Context(), id, rw.Commit) })
		noError(t, err)
		if survived {
			check(t, "calls of a rewrite are many", calls > 10, true)
			return
		}
		r = l.again(r)
		what := fmt.Sprintf("after %d calls", calls)
		for range 2 {
			done, err := r.RecoverRewrite(t.Context(), id, rw.Commit)
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			if !done {
				check(t, what, l.files(id.Path), old.files)
			}
		}
		if err := r.ApplyRewrite(t.Context(), id, rw.Commit); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		now, err := r.Tree(t.Context(), id)
		noError(t, err)
		check(t, what, now, rw.Tree)
		after := l.look(id.Path)
		check(t, "index and HEAD "+what, [2]string{after.index, after.head}, [2]string{old.index, old.head})
	}
}
