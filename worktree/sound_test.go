package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

// nest makes two repositories in the session's tree, one with a commit and one without.
func (l *lab) nest(id Identity) {
	l.t.Helper()
	l.write(id.Path, "lib/work.c", "work\n")
	l.run(id.Path, "init", "-q", "lib")
	l.run(filepath.Join(id.Path, "lib"), "add", "-A")
	l.run(filepath.Join(id.Path, "lib"), "commit", "-q", "-m", "work")
	l.write(id.Path, "deep/lib2/w.c", "more\n")
	l.run(filepath.Join(id.Path, "deep"), "init", "-q", "lib2")
}

func TestNestedRepositoriesNeverLand(t *testing.T) {
	for _, stage := range []bool{false, true} {
		l := newLab(t)
		r := l.open(l.repo)
		id, turns := l.work(r)
		landing := l.land(r, id, specOf(Squash, turns...))
		landings := []Landing{landing}
		l.nest(id)
		if stage {
			l.run(id.Path, "add", "lib")
			l.run(id.Path, "commit", "-q", "-m", "with lib")
		}
		three := l.checkpoint(r, id, 3, turns[1].Commit)
		spec := specOf(Squash, TurnCommit{three.Commit, "nest"})
		spec.Landings = landings
		_, err := r.Prepare(t.Context(), id, spec)
		checkRefused(t, err, NestedRepository)

		want := []string{"deep/lib2", "lib"}
		unlanded, err := r.Unlanded(t.Context(), id, three.Commit, landings)
		noError(t, err)
		check(t, "unlanded", unlanded, want)
		removed, unlanded := l.remove(r, id, RemoveSpec{Landings: landings, Tip: three.Commit})
		check(t, "removed", removed, false)
		check(t, "unlanded on removal", unlanded, want)

		// As the message says: without their .git they are files like others.
		noError(t, os.RemoveAll(filepath.Join(id.Path, "lib/.git")))
		noError(t, os.RemoveAll(filepath.Join(id.Path, "deep/lib2/.git")))
		if stage {
			l.run(id.Path, "rm", "-q", "--cached", "lib")
		}
		four := l.checkpoint(r, id, 4, three.Commit)
		spec.Tip, spec.Turns = four.Commit, []TurnCommit{{four.Commit, "files"}}
		last := l.land(r, id, spec)
		check(t, "landed", l.read(l.repo, "lib/work.c")+l.read(l.repo, "deep/lib2/w.c"), "work\nmore\n")
		removed, _ = l.remove(r, id, RemoveSpec{Landings: append(landings, last), Tip: four.Commit})
		check(t, "removed at last", removed, true)
	}
}

// A repository that a landing of another nodwyn took for landed is not lost by closing the session.
func TestNestedRepositoryOutlivesItsLandedLink(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.nest(id)
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	l.run(l.repo, "merge", "-q", "--ff-only", point.Commit)
	removed, unlanded := l.remove(r, id, RemoveSpec{Tip: point.Commit})
	check(t, "removed", removed, false)
	check(t, "unlanded", unlanded, []string{"deep/lib2", "lib"})
}

func TestLandingOfASubmoduleOfTheBase(t *testing.T) {
	l := newLab(t)
	l.run(l.dir, "clone", "-q", "repo", "other")
	l.run(l.repo, "-c", "protocol.file.allow=always", "submodule", "add", "-q", filepath.Join(l.dir, "other"), "sub")
	l.commit("submodule")
	r := l.open(l.repo)
	id, turns := l.work(r)
	landing := l.land(r, id, specOf(Squash, turns...))
	removed, unlanded := l.remove(r, id, RemoveSpec{Landings: []Landing{landing}, Tip: turns[1].Commit})
	check(t, "removed", removed, true)
	check(t, "unlanded", unlanded, nil)
}

func TestLandingRefusesADeletionThatNobodyStaged(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	for name := range l.files(id.Path) {
		noError(t, os.Remove(filepath.Join(id.Path, name)))
	}
	l.write(id.Path, ".cache/x", "x\n")
	point := l.checkpoint(r, id, 1, id.BaseCommit)
	spec := specOf(Squash, TurnCommit{point.Commit, "empty it"})
	_, err := r.Prepare(t.Context(), id, spec)
	checkRefused(t, err, WorktreeBroken)
	l.run(id.Path, "add", "-A")
	landing := l.land(r, id, spec)
	check(t, "files", len(landing.Files), 5)
}
