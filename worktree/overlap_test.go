package worktree

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// countingGit counts what it is asked.
type countingGit struct {
	realGit
	calls *int
}

func (g countingGit) Run(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	*g.calls++
	return g.realGit.Run(ctx, dir, env, stdin, args...)
}

func TestOverlapsNameFilesAndLines(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	calls := 0
	r, err := Open(t.Context(), countingGit{l.git, &calls}, l.repo)
	noError(t, err)
	var work []Work
	for session, edit := range map[string]func(dir string){
		"s1": func(dir string) {
			l.edit(dir, "a.txt", "a 3\na 4\na 5\n", "x\ny\n")
			l.edit(dir, "a.txt", "a 12\n", "")
			l.edit(dir, "b.txt", "b 2\n", "b two\n")
			l.run(dir, "mv", "dir/c.txt", "dir/d.txt")
			l.write(dir, "new.txt", "one\n")
			l.write(dir, "only.txt", "one\n")
		},
		"s2": func(dir string) {
			l.edit(dir, "a.txt", "a 5\na 6\n", "z\n")
			l.edit(dir, "a.txt", "a 12\na 13\n", "w\n")
			l.edit(dir, "b.txt", "b 18\n", "b eighteen\n")
			l.edit(dir, "dir/c.txt", "c 1\n", "c one\n")
			l.write(dir, "new.txt", "two\n")
		},
		"s3": func(string) {},
	} {
		id := l.create(r, session)
		edit(id.Path)
		tree, err := r.Tree(t.Context(), id)
		noError(t, err)
		work = append(work, Work{Session: session, Base: id.BaseCommit, Tip: tree})
	}
	sortWork(work)
	radar := r.NewRadar()
	want := []Overlap{
		{One: "s1", Other: "s2", Path: "a.txt", Lines: []ConflictLines{{First: 5, Count: 1}, {First: 12, Count: 1}}},
		{One: "s1", Other: "s2", Path: "b.txt"},
		{One: "s1", Other: "s2", Path: "dir/c.txt", Whole: true},
		{One: "s1", Other: "s2", Path: "new.txt", Whole: true},
	}
	found, err := radar.Overlaps(t.Context(), work)
	noError(t, err)
	check(t, "overlaps", found, want)
	calls = 0
	found, err = radar.Overlaps(t.Context(), work)
	noError(t, err)
	check(t, "overlaps again", found, want)
	check(t, "calls of git for what is known", calls, 0)
}

func sortWork(work []Work) {
	for i := range work {
		for j := range i {
			if work[i].Session < work[j].Session {
				work[i], work[j] = work[j], work[i]
			}
		}
	}
}

// Two sessions that started from different commits are compared in the lines of the first one's.
func TestOverlapsOfDifferentBases(t *testing.T) {
	for _, c := range []struct {
		name          string
		between       func(text string) string // what the person commits between the two starts
		first, second [2]string
		want          []ConflictLines
	}{
		{"lines added above", func(text string) string { return "new\nnew\n" + text }, [2]string{"a 10\n", "x\n"}, [2]string{"a 10\n", "y\n"}, []ConflictLines{{10, 1}}},
		{"lines removed above", func(text string) string { return strings.Replace(text, "a 2\na 3\n", "", 1) }, [2]string{"a 10\n", "x\n"}, [2]string{"a 10\n", "y\n"}, []ConflictLines{{10, 1}}},
		{"other lines", func(text string) string { return "new\nnew\n" + text }, [2]string{"a 10\n", "x\n"}, [2]string{"a 8\n", "y\n"}, nil},
		{"lines that came between", func(text string) string { return strings.Replace(text, "a 9\na 10\n", "p\nq\nr\n", 1) }, [2]string{"a 10\n", "x\n"}, [2]string{"q\n", "y\n"}, []ConflictLines{{10, 1}}},
		{"behind lines that came between", func(text string) string { return strings.Replace(text, "a 9\na 10\n", "p\nq\nr\n", 1) }, [2]string{"a 14\n", "x\n"}, [2]string{"a 14\n", "y\n"}, []ConflictLines{{14, 1}}},
		{"directly before lines that came between", func(text string) string { return strings.Replace(text, "a 9\na 10\n", "p\nq\nr\n", 1) }, [2]string{"a 10\n", "x\n"}, [2]string{"a 8\n", "y\n"}, nil},
		{"before lines that came between", func(text string) string { return strings.Replace(text, "a 9\na 10\n", "p\nq\nr\n", 1) }, [2]string{"a 6\n", "x\n"}, [2]string{"a 6\n", "y\n"}, []ConflictLines{{6, 1}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			r := l.open(l.repo)
			one := l.create(r, "s1")
			l.edit(one.Path, "a.txt", c.first[0], c.first[1])
			l.write(l.repo, "a.txt", c.between(l.read(l.repo, "a.txt")))
			l.commit("between")
			two := l.create(r, "s2")
			l.edit(two.Path, "a.txt", c.second[0], c.second[1])
			work := make([]Work, 2)
			for i, id := range []Identity{one, two} {
				tree, err := r.Tree(t.Context(), id)
				noError(t, err)
				work[i] = Work{Session: sessionOf(id), Base: id.BaseCommit, Tip: tree}
			}
			found, err := r.NewRadar().Overlaps(t.Context(), work)
			noError(t, err)
			check(t, "overlaps", found, []Overlap{{One: "s1", Other: "s2", Path: "a.txt", Lines: c.want}})
		})
	}
}

func TestOverlapsOfAFileThatIsGone(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	one := l.create(r, "s1")
	l.edit(one.Path, "a.txt", "a 1\n", "x\n")
	two := l.create(r, "s2")
	noError(t, os.Remove(filepath.Join(two.Path, "a.txt")))
	trees := make([]string, 2)
	for i, id := range []Identity{one, two} {
		var err error
		trees[i], err = r.Tree(t.Context(), id)
		noError(t, err)
	}
	found, err := r.NewRadar().Overlaps(t.Context(), []Work{{"s1", one.BaseCommit, trees[0]}, {"s2", two.BaseCommit, trees[1]}})
	noError(t, err)
	check(t, "overlaps", found, []Overlap{{One: "s1", Other: "s2", Path: "a.txt", Whole: true}})
	if _, err := r.NewRadar().Overlaps(t.Context(), []Work{{"s1", one.BaseCommit, "0123456789012345678901234567890123456789"}}); err == nil {
		t.Error("a tip that does not exist is no error")
	}
}
