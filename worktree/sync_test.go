package worktree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sync carries a sync with the base branch out.
func (l *lab) sync(r *Repository, id Identity, landings ...Landing) Sync {
	l.t.Helper()
	s, err := r.PrepareSync(l.t.Context(), id, SyncSpec{Session: sessionOf(id), Turn: 1, Landings: landings})
	s.Rewrite = l.rewrite(r, id, s.Rewrite, err)
	return s
}

func synced(s Sync) Landing { return Landing{Strategy: Synced, Base: s.Base} }

// edit changes one line of a file.
func (l *lab) edit(dir, name, old, changed string) {
	l.t.Helper()
	text := l.read(dir, name)
	if !strings.Contains(text, old) {
		l.t.Fatalf("%s lacks %q", name, old)
	}
	l.write(dir, name, strings.Replace(text, old, changed, 1))
}

func TestSyncBringsTheMovedTarget(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.edit(id.Path, "a.txt", "a 2\n", "a of the session\n")
	l.write(id.Path, "new.txt", "new\n")
	l.run(id.Path, "add", "new.txt")
	one := l.checkpoint(r, id, 1, id.BaseCommit)
	l.edit(l.repo, "a.txt", "a 18\n", "a of the person\n")
	l.run(l.repo, "rm", "-q", "b.txt")
	l.write(l.repo, "theirs.txt", "theirs\n")
	target := l.commit("by the person")
	before, person := l.look(id.Path), l.look(l.repo)

	s := l.sync(r, id)
	check(t, "sync", Sync{From: s.From, Onto: s.Onto, Base: s.Base, Conflicts: s.Conflicts, Yielded: s.Yielded}, Sync{From: id.BaseCommit, Onto: target, Base: target})
	check(t, "status", l.run(id.Path, "status", "--porcelain"), " M a.txt\nA  new.txt")
	check(t, "branch", l.run(l.repo, "rev-parse", id.Branch), target)
	check(t, "b.txt", exists(id.Path, "b.txt"), false)
	landings := []Landing{synced(s)}
	base, err := r.CountsFrom(t.Context(), id, landings)
	noError(t, err)
	check(t, "base", base, target)
	files, err := r.Diff(t.Context(), base, s.Commit, "")
	noError(t, err)
	check(t, "diff", namesIn(files), []string{"a.txt", "new.txt"})
	_, err = r.PrepareSync(t.Context(), id, SyncSpec{Session: "s1", Turn: 1, Landings: landings})
	checkRefused(t, err, NothingToSync)
	check(t, "the person's checkout", l.look(l.repo).files, person.files)

	undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: s.Commit})
	undone = l.rewrite(r, id, undone, err)
	after := l.look(id.Path)
	after.index, before.index = "", "" // the same but for times
	check(t, "tree after the undo", after, before)
	check(t, "snapshot after the undo", undone.Tree, one.Tree)
	redone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: undone.Commit})
	l.rewrite(r, id, redone, err)
	check(t, "status after the redo", l.run(id.Path, "status", "--porcelain"), " M a.txt\nA  new.txt")
	check(t, "administration", l.leftovers(id), nil)

	for _, strategy := range []Strategy{Squash, Merge, Rebase} {
		landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: strategy, Landings: landings, Tip: s.Commit, Turns: []TurnCommit{{s.Commit, "work"}}})
		noError(t, err)
		check(t, "landing by "+string(strategy), namesIn(landing.Files), []string{"a.txt", "new.txt"})
		if strategy == Rebase {
			noError(t, r.Apply(t.Context(), landing))
			landings = append(landings, landing)
		}
	}
	unlanded, err := r.Unlanded(t.Context(), id, s.Commit, landings)
	noError(t, err)
	check(t, "unlanded", unlanded, nil)
}

func TestSyncLeavesMarkersWhereBothChanged(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.crlf text eol=crlf\n")
	l.write(l.repo, "x.crlf", "one\r\ntwo\r\n")
	l.write(l.repo, "marks.txt", "<<<<<<< not ours\n=======\n>>>>>>> not ours\nlast\n")
	l.write(l.repo, "pic", "\x00\x01")
	l.commit("attributes")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	for dir, word := range map[string]string{id.Path: "session", l.repo: "person"} {
		l.edit(dir, "a.txt", "a 2\n", "a of the "+word+"\n")
		l.edit(dir, "x.crlf", "two\r\n", "two of the "+word+"\r\n")
		l.edit(dir, "marks.txt", "last\n", "last of the "+word+"\n")
		l.write(dir, "pic", "\x00"+word)
	}
	l.write(id.Path, "b.txt", "of the session\n")
	l.run(l.repo, "rm", "-q", "b.txt")
	target := l.commit("by the person")
	before := l.look(id.Path)
	s := l.sync(r, id)
	check(t, "base", s.Base, target)
	var kinds []string
	for _, c := range s.Conflicts {
		kinds = append(kinds, c.Path+" "+c.Kind)
	}
	check(t, "conflicts", kinds, []string{"a.txt contents", "b.txt modify/delete", "marks.txt contents", "pic binary", "x.crlf contents"})
	check(t, "lines of a.txt", s.Conflicts[0].Lines, []ConflictLines{{First: 2, Count: 1}})
	check(t, "a.txt", l.read(id.Path, "a.txt"), strings.Replace(lines("a", 20), "a 2\n", "<<<<<<< the session's work\na of the session\n=======\na of the person\n>>>>>>> brought in from main\n", 1))
	check(t, "x.crlf", l.read(id.Path, "x.crlf"), "one\r\n<<<<<<< the session's work\r\ntwo of the session\r\n=======\r\ntwo of the person\r\n>>>>>>> brought in from main\r\n")
	check(t, "b.txt", l.read(id.Path, "b.txt"), "of the session\n")
	check(t, "pic", l.read(id.Path, "pic"), "\x00session")

	paths := make([]string, 0, len(s.Conflicts))
	for _, c := range s.Conflicts {
		paths = append(paths, c.Path)
	}
	left, err := r.Unresolved(t.Context(), id, "", paths)
	noError(t, err)
	check(t, "unresolved", left, []string{"a.txt", "marks.txt", "x.crlf"})
	l.edit(id.Path, "a.txt", "<<<<<<< the session's work\na of the session\n=======\n", "")
	l.write(id.Path, "marks.txt", "<<<<<<< not ours\n=======\n>>>>>>> not ours\nlast of both\n")
	l.write(id.Path, "x.crlf", "one\r\nboth\r\n")
	left, err = r.Unresolved(t.Context(), id, "", paths)
	noError(t, err)
	check(t, "unresolved when one side is gone", left, []string{"a.txt"})
	l.edit(id.Path, "a.txt", ">>>>>>> brought in from main\n", "")
	point := l.checkpoint(r, id, 2, s.Commit)
	left, err = r.Unresolved(t.Context(), id, point.Commit, paths)
	noError(t, err)
	check(t, "unresolved in the end", left, nil)
	landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Merge, Landings: []Landing{synced(s)}, Tip: point.Commit, Turns: []TurnCommit{{point.Commit, "work"}}})
	noError(t, err)
	check(t, "landing", namesIn(landing.Files), []string{"b.txt", "marks.txt", "pic", "x.crlf"})

	undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 2, Commit: s.Commit})
	if err == nil {
		t.Fatalf("got %+v, want conflicts with what was resolved", undone.Files)
	}
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{Session: "s1", Turn: 2, Last: point.Commit, To: s.Commit})
	l.rewrite(r, id, rw, err)
	undone, err = r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 2, Commit: s.Commit})
	l.rewrite(r, id, undone, err)
	check(t, "files after the undo", l.files(id.Path), before.files)
}

func TestSyncKeepsWhatWasCarried(t *testing.T) {
	l := newLab(t)
	l.edit(l.repo, "a.txt", "a 3\n", "a carried\n")
	l.edit(l.repo, "b.txt", "b 3\n", "b carried\n")
	l.write(l.repo, "mine.txt", "carried\n")
	r := l.open(l.repo)
	id, c := l.start(r, "s1", everything)
	l.edit(id.Path, "a.txt", "a 10\n", "a of the session\n")
	l.checkpoint(r, id, 1, c.Commit)
	// The person commits b.txt in another form, and something else.
	l.edit(l.repo, "b.txt", "b carried\n", "b changed again\n")
	l.edit(l.repo, "dir/c.txt", "c 5\n", "c of the person\n")
	l.run(l.repo, "commit", "-q", "-m", "some", "b.txt", "dir/c.txt")
	target := l.run(l.repo, "rev-parse", "HEAD")

	s := l.sync(r, id, began(c)...)
	check(t, "yielded", s.Yielded, []string{"b.txt"})
	check(t, "conflicts", s.Conflicts, nil)
	check(t, "parent of the base", l.run(l.repo, "rev-parse", s.Base+"^"), target)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), " M a.txt\n?? mine.txt")
	landings := append(began(c), synced(s))
	base, err := r.CountsFrom(t.Context(), id, landings)
	noError(t, err)
	files, err := r.Diff(t.Context(), base, s.Commit, "")
	noError(t, err)
	check(t, "diff", namesIn(files), []string{"a.txt"})
	check(t, "lines", [2]int{files[0].Insertions, files[0].Deletions}, [2]int{1, 1})
	landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Merge, Landings: landings, Tip: s.Commit, Turns: []TurnCommit{{s.Commit, "work"}}})
	noError(t, err)
	check(t, "landing", namesIn(landing.Files), []string{"a.txt"})
	noError(t, r.Apply(t.Context(), landing))
	check(t, "a.txt of the person", l.read(l.repo, "a.txt"), l.read(id.Path, "a.txt"))

	// A second sync after the landing, with the carried state committed at last.
	l.write(l.repo, "later.txt", "later\n")
	l.commit("the rest")
	landings = append(landings, landing)
	again := l.sync(r, id, landings...)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "")
	check(t, "base", again.Base, l.run(l.repo, "rev-parse", "main"))
}

func TestSyncAfterALanding(t *testing.T) {
	for _, c := range []struct {
		strategy Strategy
		into     string
		counted  bool // whether what landed is beside the target in the new base
	}{{Squash, "main", false}, {Merge, "main", false}, {Rebase, "main", false}, {Patch, "main", true}, {Branch, "topic", true}} {
		t.Run(string(c.strategy), func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.edit(id.Path, "a.txt", "a 2\n", "a of the session\n")
			l.write(id.Path, "new.txt", "new\n")
			one := l.checkpoint(r, id, 1, id.BaseCommit)
			l.write(l.repo, "between.txt", "x\n")
			l.run(l.repo, "add", "between.txt")
			l.run(l.repo, "commit", "-q", "-m", "before the landing")
			landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: c.strategy, Into: c.into, Tip: one.Commit, Turns: []TurnCommit{{one.Commit, "work"}}})
			noError(t, err)
			noError(t, r.Apply(t.Context(), landing))
			l.edit(id.Path, "a.txt", "a 10\n", "a unlanded\n")
			l.checkpoint(r, id, 2, one.Commit)
			l.write(l.repo, "later.txt", "x\n")
			l.run(l.repo, "add", "later.txt")
			l.run(l.repo, "commit", "-q", "-m", "after the landing")
			// As a resumed session knows it.
			known := Landing{Into: landing.Into, Previous: landing.Previous, Commit: landing.Commit, Base: landing.Base}
			if c.strategy == Patch {
				known.Strategy = Patch
			}
			s := l.sync(r, id, known)
			check(t, "base is the target", s.Base == l.run(l.repo, "rev-parse", "main"), !c.counted)
			check(t, "files", []bool{exists(id.Path, "new.txt"), exists(id.Path, "between.txt"), exists(id.Path, "later.txt")}, []bool{true, true, true})
			files, err := r.Diff(t.Context(), s.Base, s.Commit, "")
			noError(t, err)
			check(t, "diff", namesIn(files), []string{"a.txt"})
			check(t, "lines", [2]int{files[0].Insertions, files[0].Deletions}, [2]int{1, 1})
			next, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Squash, Landings: []Landing{known, synced(s)}, Tip: s.Commit})
			noError(t, err)
			check(t, "next landing", namesIn(next.Files), []string{"a.txt"})
		})
	}
}

func TestSyncOfABranchWithCommitsOfItsOwn(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.edit(id.Path, "a.txt", "a 2\n", "a of the session\n")
	l.run(id.Path, "commit", "-q", "-a", "-m", "by the session")
	head := l.run(id.Path, "rev-parse", "HEAD")
	l.checkpoint(r, id, 1, id.BaseCommit)
	l.edit(l.repo, "a.txt", "a 18\n", "a of the person\n")
	l.commit("by the person")
	s := l.sync(r, id)
	check(t, "HEAD", l.run(id.Path, "rev-parse", "HEAD"), head)
	files, err := r.Diff(t.Context(), s.Base, s.Commit, "")
	noError(t, err)
	check(t, "lines", [2]int{files[0].Insertions, files[0].Deletions}, [2]int{1, 1})
	landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Squash, Landings: []Landing{synced(s)}, Tip: s.Commit})
	noError(t, err)
	check(t, "landing", [2]int{landing.Files[0].Insertions, landing.Files[0].Deletions}, [2]int{1, 1})
	undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: s.Commit})
	l.rewrite(r, id, undone, err)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "")
}

func TestUndoOfASyncThatWasBuiltOn(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(l.repo, "theirs.txt", "theirs\n")
	target := l.commit("by the person")
	s := l.sync(r, id)
	check(t, "HEAD", l.run(id.Path, "rev-parse", "HEAD"), target)
	l.write(id.Path, "new.txt", "new\n")
	l.run(id.Path, "add", "-A")
	l.run(id.Path, "commit", "-q", "-m", "on it")
	_, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: s.Commit})
	checkRefused(t, err, SyncBuiltOn)
	l.run(id.Path, "reset", "-q", "--soft", target)
	undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: s.Commit})
	l.rewrite(r, id, undone, err)
	check(t, "files", []bool{exists(id.Path, "new.txt"), exists(id.Path, "theirs.txt")}, []bool{true, false})
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "A  new.txt")
}

func TestRevertAcrossASyncKeepsWhatCameIn(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, one, _ := l.twoTurns(r)
	l.edit(l.repo, "a.txt", "a 15\n", "a of the person\n")
	l.commit("by the person")
	s := l.sync(r, id)
	rw, err := r.PrepareRevert(t.Context(), id, RevertSpec{
		Session: "s1", Turn: 2, Last: s.Commit, To: one.Commit, Syncs: []Synchronized{{From: s.From, To: s.Base}},
	})
	l.rewrite(r, id, rw, err)
	check(t, "difference", l.run(id.Path, "diff", "--name-status", "HEAD", rw.Commit), "M\ta.txt\nA\tone.txt")
	want := strings.Replace(strings.Replace(lines("a", 20), "a 2\n", "a two\n", 1), "a 15\n", "a of the person\n", 1)
	check(t, "a.txt", l.read(id.Path, "a.txt"), want)
}

func TestSyncOfATreeWhereAllIsStaged(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	for dir, word := range map[string]string{id.Path: "session", l.repo: "person"} {
		l.edit(dir, "a.txt", "a 2\n", "a of the "+word+"\n")
	}
	l.write(id.Path, "new.txt", "new\n")
	l.run(id.Path, "add", "-A")
	l.commit("by the person")
	before := l.look(id.Path)
	s := l.sync(r, id)
	check(t, "conflicts", len(s.Conflicts), 1)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "M  a.txt\nA  new.txt")
	check(t, "what the snapshot says of it", l.run(l.repo, "rev-parse", s.Commit+"^2^{tree}"), s.Tree)
	undone, err := r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 1, Commit: s.Commit})
	l.rewrite(r, id, undone, err)
	after := l.look(id.Path)
	after.index, before.index = "", "" // the same but for times
	check(t, "tree after the undo", after, before)
}

func TestSyncRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(l *lab, r *Repository, id *Identity, spec *SyncSpec)
		want Reason
	}{
		{"no branch to follow", func(_ *lab, _ *Repository, id *Identity, _ *SyncSpec) { id.Base = "" }, NoTarget},
		{"unknown branch", func(_ *lab, _ *Repository, _ *Identity, s *SyncSpec) { s.Onto = "nowhere" }, NoTarget},
		{"its own branch", func(_ *lab, _ *Repository, id *Identity, s *SyncSpec) { s.Onto = id.Branch }, NoTarget},
		{"old git", func(_ *lab, r *Repository, _ *Identity, _ *SyncSpec) { r.version = Version{2, 37} }, GitTooOld},
		{"nothing new", func(l *lab, _ *Repository, _ *Identity, _ *SyncSpec) { l.run(l.repo, "reset", "-q", "--hard", "HEAD^") }, NothingToSync},
		{"unmerged files", func(l *lab, _ *Repository, id *Identity, _ *SyncSpec) {
			stages := "0 " + strings.Repeat("0", 40) + "\ta.txt\n100644 " + l.run(l.repo, "rev-parse", "main:b.txt") + " 1\ta.txt\n"
			_, err := l.git.Run(l.t.Context(), id.Path, nil, []byte(stages), "update-index", "--index-info")
			noError(l.t, err)
		}, WorktreeBroken},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.write(l.repo, "theirs.txt", "theirs\n")
			l.commit("by the person")
			spec := SyncSpec{Session: "s1", Turn: 1}
			c.set(l, r, &id, &spec)
			before := l.look(id.Path)
			_, err := r.PrepareSync(t.Context(), id, spec)
			checkRefused(t, err, c.want)
			check(t, "tree", l.look(id.Path), before)
		})
	}
}

// A sync, or its undoing, that dies at any call leaves the old state or the new one, HEAD and index included, and can be carried out again.
func TestSyncIsWholeOrNotAtAll(t *testing.T) {
	skipOnWindows(t)
	for _, undo := range []bool{false, true} {
		t.Run(fmt.Sprint("undo ", undo), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(5, 6))
			for calls := 1; !t.Failed() && !syncDies(t, random, calls, undo); calls++ {
			}
		})
	}
}

func syncDies(t *testing.T, random *rand.Rand, calls int, undo bool) (survived bool) {
	l := newLab(t)
	r := l.open(l.repo)
	id, _, _ := l.twoTurns(r)
	l.edit(l.repo, "a.txt", "a 15\n", "a of the person\n")
	l.write(l.repo, "theirs.txt", "theirs\n")
	head := l.commit("by the person")
	s, err := r.PrepareSync(t.Context(), id, SyncSpec{Session: "s1", Turn: 2})
	rw := s.Rewrite
	if undo {
		l.rewrite(r, id, rw, err)
		head = id.BaseCommit
		rw, err = r.PrepareUndo(t.Context(), id, UndoSpec{Session: "s1", Turn: 2, Commit: s.Commit})
	}
	noError(t, err)
	old, status := l.look(id.Path), l.standsAs(id.Path)
	survived, err = l.die(r, random, calls, calls%2 == 0, func(r *Repository) error { return r.ApplyRewrite(t.Context(), id, rw.Commit) })
	noError(t, err)
	r = l.again(r)
	what := fmt.Sprintf("after %d calls", calls)
	done, err := r.RecoverRewrite(t.Context(), id, rw.Commit)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if survived {
		check(t, "done", done, true)
	}
	if !done {
		check(t, what, l.files(id.Path), old.files)
		check(t, what, l.standsAs(id.Path), status)
		noError(t, r.ApplyRewrite(t.Context(), id, rw.Commit))
	}
	now, err := r.Tree(t.Context(), id)
	noError(t, err)
	check(t, what, now, rw.Tree)
	check(t, "HEAD "+what, l.run(id.Path, "rev-parse", "HEAD"), head)
	check(t, "staged "+what, l.run(id.Path, "diff", "--cached", "--name-status"), "R100\tdir/c.txt\tdir/moved.txt")
	return survived
}

func TestSyncIsRefusedWhenTheBranchChangedAfterItWasPrepared(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(l.repo, "theirs.txt", "theirs\n")
	l.commit("by the person")
	s, err := r.PrepareSync(t.Context(), id, SyncSpec{Session: "s1", Turn: 1})
	noError(t, err)
	l.run(id.Path, "checkout", "-q", "-b", "other")
	before := l.look(id.Path)
	checkConflicts(t, r.ApplyRewrite(t.Context(), id, s.Commit), Conflict{Path: "other", Kind: moved})
	check(t, "tree", l.look(id.Path), before)
}

func TestAgainstTheTarget(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.edit(id.Path, "a.txt", "a 2\n", "a of the session\n")
	l.edit(id.Path, "b.txt", "b 2\n", "b of the session\n")
	noError(t, os.Remove(filepath.Join(id.Path, "dir/c.txt")))
	one := l.checkpoint(r, id, 1, id.BaseCommit)
	l.edit(l.repo, "a.txt", "a 18\n", "a of the person\n")
	l.edit(l.repo, "b.txt", "b 2\n", "b of the person\n")
	l.write(l.repo, "theirs.txt", "theirs\n")
	l.commit("by the person")
	files, conflicts, err := r.Against(t.Context(), id, "", one.Commit, nil)
	noError(t, err)
	check(t, "files", namesIn(files), []string{"a.txt", "b.txt", "dir/c.txt"})
	check(t, "a.txt", [2]int{files[0].Insertions, files[0].Deletions}, [2]int{1, 1})
	check(t, "conflicts", len(conflicts), 1)
	check(t, "conflict", conflicts[0].Path, "b.txt")
}
