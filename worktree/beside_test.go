package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// In the files that both change, the landing's lines come in and git goes on showing exactly the person's own edits, staged ones as staged.
func TestLandBesideEditsOfTheSameFile(t *testing.T) {
	for _, strategy := range []Strategy{Squash, Merge, Rebase} {
		t.Run(string(strategy), func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id, turns := l.work(r)
			l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 10\n", "a ten\n", 1))
			l.run(l.repo, "add", "a.txt")
			l.write(l.repo, "a.txt", strings.NewReplacer("a 10\n", "a ten\n", "a 20\n", "a twenty").Replace(lines("a", 20)))
			l.write(l.repo, "b.txt", "mine\n")
			staged, edited := l.run(l.repo, "diff", "--cached", "-U0"), l.run(l.repo, "diff", "-U0")
			landing, err := r.Prepare(t.Context(), id, specOf(strategy, turns...))
			noError(t, err)
			noError(t, r.Check(t.Context(), landing))
			noError(t, r.Apply(t.Context(), landing))
			check(t, "a.txt", l.read(l.repo, "a.txt"), strings.NewReplacer("a 1\n", "a one\n", "a 10\n", "a ten\n", "a 20\n", "a twenty").Replace(lines("a", 20)))
			check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), "MM a.txt\n M b.txt")
			check(t, "staged", withoutIndex(l.run(l.repo, "diff", "--cached", "-U0")), withoutIndex(staged))
			check(t, "edited", withoutIndex(l.run(l.repo, "diff", "-U0")), withoutIndex(edited))
			check(t, "kept", l.run(l.repo, "show", "refs/nodwyn/s1/before-landing:a.txt"), strings.NewReplacer("a 10\n", "a ten\n", "a 20\n", "a twenty").Replace(lines("a", 20)))
			check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
		})
	}
}

// withoutIndex drops the lines of a diff that name blobs.
func withoutIndex(diff string) string {
	var kept []string
	for line := range strings.Lines(diff) {
		if !strings.HasPrefix(line, "index ") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "")
}

func TestLandBesideTheSameChange(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "a.txt", l.read(id.Path, "a.txt"))
	l.write(l.repo, "new.txt", "new\n")
	l.land(r, id, specOf(Squash, turns...))
	check(t, "status", l.run(l.repo, "status", "--porcelain", "-uall"), "")
}

func TestLandBesideAModeOfThePersons(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	noError(t, os.Chmod(filepath.Join(l.repo, "a.txt"), 0o755))
	l.land(r, id, specOf(Squash, turns...))
	check(t, "diff", l.run(l.repo, "diff"), "diff --git a/a.txt b/a.txt\nold mode 100644\nnew mode 100755")
	check(t, "a.txt", l.read(l.repo, "a.txt"), l.read(id.Path, "a.txt"))
}

func TestConflictNamesHunksAndLines(t *testing.T) {
	edit := func(change ...string) string { return strings.NewReplacer(change...).Replace(lines("a", 20)) }
	for _, c := range []struct {
		name   string
		commit bool
		text   string
		kind   string
		lines  []ConflictLines
	}{
		{"uncommitted", false, edit("a 1\n", "mine\n", "a 10\n", "a ten\n"), "uncommitted", []ConflictLines{{1, 1}}},
		{"with more lines", false, edit("a 1\n", "", "a 15\n", "mine\nand mine\n"), "uncommitted", []ConflictLines{{1, 0}, {14, 2}}},
		{"next to it", false, edit("a 2\n", "mine\n"), "uncommitted", []ConflictLines{{2, 1}}},
		{"committed", true, edit("a 1\n", "mine\n"), "contents", []ConflictLines{{1, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			id := l.create(r, "s1")
			l.write(id.Path, "a.txt", edit("a 1\n", "a one\n", "a 15\n", "a fifteen\n"))
			tip := l.checkpoint(r, id, 1, id.BaseCommit).Commit
			diff, err := r.Diff(t.Context(), id.BaseCommit, tip, "")
			noError(t, err)
			ids := hunksOf(diff, "a.txt")
			l.write(l.repo, "a.txt", c.text)
			if c.commit {
				l.commit("by the person")
			}
			landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Squash, Tip: tip})
			if !c.commit {
				noError(t, err)
				err = r.Check(t.Context(), landing)
			}
			checkConflicts(t, err, Conflict{Path: "a.txt", Kind: c.kind})
			got := conflictsOf(t, err)[0]
			check(t, "lines", got.Lines, c.lines)
			check(t, "hunks", got.Hunks, ids[:len(c.lines)])
		})
	}
}

func conflictsOf(t *testing.T, err error) []Conflict {
	t.Helper()
	conflict, ok := err.(interface{ Unwrap() error }).Unwrap().(*ConflictError)
	if !ok {
		t.Fatalf("got error %v, want conflicts", err)
	}
	return conflict.Conflicts
}

// A file that git would not write back as it is must not be written at all.
func TestLandRefusesAFileThatDoesNotComeBack(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.txt text eol=lf\n")
	l.commit("attributes")
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 10\n", "a ten\r\n", 1))
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	before := l.look(l.repo)
	checkConflicts(t, r.Apply(t.Context(), landing), Conflict{Path: "a.txt", Kind: "uncommitted"})
	check(t, "checkout", l.look(l.repo), before)
}

func TestLandBesideEditsWithLineEnds(t *testing.T) {
	l := newLab(t)
	l.write(l.repo, ".gitattributes", "*.txt text eol=crlf\n")
	l.commit("attributes")
	for _, name := range []string{"a.txt", "b.txt", "dir/c.txt"} {
		noError(t, os.Remove(filepath.Join(l.repo, name)))
	}
	l.run(l.repo, "checkout", "-q", ".")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	crlf := strings.ReplaceAll(lines("a", 20), "\n", "\r\n")
	l.write(id.Path, "a.txt", strings.Replace(crlf, "a 1\r\n", "a one\r\n", 1))
	tip := l.checkpoint(r, id, 1, id.BaseCommit).Commit
	l.write(l.repo, "a.txt", strings.Replace(crlf, "a 20\r\n", "a twenty\r\n", 1))
	l.land(r, id, LandSpec{Strategy: Squash, Tip: tip})
	check(t, "a.txt", l.read(l.repo, "a.txt"), strings.NewReplacer("a 1\r\n", "a one\r\n", "a 20\r\n", "a twenty\r\n").Replace(crlf))
}

func TestCheckChangesNothing(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 20\n", "mine\n", 1))
	landing, err := r.Prepare(t.Context(), id, specOf(Squash, turns...))
	noError(t, err)
	before := l.look(l.repo)
	noError(t, r.Check(t.Context(), landing))
	check(t, "checkout", l.look(l.repo), before)
	l.run(l.repo, "update-index", "--assume-unchanged", "b.txt", "a.txt")
	before = l.look(l.repo)
	checkConflicts(t, r.Check(t.Context(), landing), Conflict{Path: "a.txt", Kind: "uncommitted"})
	check(t, "checkout", l.look(l.repo), before)
	l.write(l.repo, "b.txt", "x\n")
	l.run(l.repo, "update-index", "--no-assume-unchanged", "a.txt", "b.txt")
	l.commit("by the person")
	checkConflicts(t, r.Check(t.Context(), landing), Conflict{Path: "main", Kind: "moved"})
}
