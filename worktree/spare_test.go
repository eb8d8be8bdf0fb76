package worktree

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// spare makes the spare at a base and returns its path.
func (l *lab) spare(r *Repository, base string) string {
	l.t.Helper()
	noError(l.t, r.EnsureSpare(l.t.Context(), l.root, base))
	path, err := r.SparePath(l.root)
	noError(l.t, err)
	return path
}

// begin starts a session and reports whether it took the spare.
func (l *lab) begin(r *Repository, session string, carry CarrySpec) (id Identity, took bool, aside string) {
	l.t.Helper()
	id = l.plan(r, session)
	spec := StartSpec{Session: session, Carry: carry}
	begun, err := r.Begin(l.t.Context(), id, spec)
	noError(l.t, err)
	started, err := r.Complete(l.t.Context(), id, spec, begun)
	noError(l.t, err)
	return id, begun.Spare, started.Aside
}

func TestSpareBecomesTheSessionsTree(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	r := l.open(l.repo)
	path := l.spare(r, "")
	check(t, "listed", strings.HasSuffix(l.run(l.repo, "worktree", "list", "--porcelain"), "worktree "+path+"\nHEAD "+l.run(l.repo, "rev-parse", "HEAD")+"\ndetached\nlocked nodwyn spare\n"), true)
	l.write(l.repo, "a.txt", "second\n")
	l.write(l.repo, "dir/new.txt", "new\n")
	l.run(l.repo, "rm", "-q", "b.txt")
	l.commit("second")
	l.unfinished2()
	stands := l.standsAs(l.repo)
	before := l.look(l.repo)
	kept, err := os.Stat(filepath.Join(path, "dir/c.txt"))
	noError(t, err)
	id, took, aside := l.begin(r, "s1", everything)
	check(t, "took the spare", [2]any{took, aside}, [2]any{true, ""})
	now, err := os.Stat(filepath.Join(id.Path, "dir/c.txt"))
	noError(t, err)
	check(t, "the same file", os.SameFile(kept, now), true)
	check(t, "stands", l.standsAs(id.Path), stands)
	l.agrees(r, id)
	check(t, "worktrees", strings.Count(l.run(l.repo, "worktree", "list"), "\n"), 1)
	check(t, "spare", exists(filepath.Dir(path), ".spare"), false)
	after := l.look(l.repo)
	after.branches = before.branches
	check(t, "the person's checkout", after, before)
	_, took, _ = l.begin(r, "s2", CarrySpec{})
	check(t, "there is no second one", took, false)
}

// unfinished2 leaves uncommitted state in the lab's second commit.
func (l *lab) unfinished2() {
	l.write(l.repo, "dir/new.txt", "staged\n")
	l.run(l.repo, "add", "dir/new.txt")
	l.write(l.repo, "a.txt", "edited\n")
	l.write(l.repo, "untracked.txt", "untracked\n")
}

// A spare that is no good is not taken, or, where that shows late, gives way to files of the session's own; what somebody left in it is kept.
func TestSpareThatDoesNotFit(t *testing.T) {
	skipOnWindows(t)
	for _, c := range []struct {
		name   string
		change func(l *lab, path string)
		took   bool
		aside  string
	}{
		{"an ignored file in it", func(l *lab, path string) { l.write(path, "secret.log", "x\n") }, true, "secret.log"},
		{"a file in it", func(l *lab, path string) { l.write(path, "mine.txt", "x\n") }, true, "mine.txt"},
		{"an edit in it", func(l *lab, path string) { l.write(path, "a.txt", lines("A", 20)) }, true, "a.txt"},
		{"an empty folder in it", func(l *lab, path string) { noError(l.t, os.MkdirAll(filepath.Join(path, "e"), 0o755)) }, true, "a.txt"},
		{"a file is gone", func(l *lab, path string) { noError(l.t, os.Remove(filepath.Join(path, "b.txt"))) }, true, "a.txt"},
		{"an edit of what the base changes", func(l *lab, path string) {
			l.write(path, "a.txt", "mine\n")
			l.write(l.repo, "a.txt", "theirs\n")
			l.commit("second")
		}, true, "a.txt"},
		{"attributes of the base", func(l *lab, path string) {
			l.write(l.repo, "dir/.gitattributes", "*.txt eol=crlf\n")
			l.commit("attributes")
		}, false, ""},
		{"attributes of the repository", func(l *lab, path string) { l.write(l.repo, ".git/info/attributes", "*.txt eol=crlf\n") }, false, ""},
		{"a setting", func(l *lab, path string) { l.run(l.repo, "config", "core.autocrlf", "true") }, false, ""},
		{"a filter", func(l *lab, path string) { l.run(l.repo, "config", "filter.x.smudge", "sed s/a/b/") }, false, ""},
		{"attributes of the person", func(l *lab, path string) {
			l.write(l.dir, "attributes", "*.txt eol=crlf\n")
			l.run(l.repo, "config", "--file", l.git.config, "core.attributesFile", filepath.Join(l.dir, "attributes"))
		}, false, ""},
		{"its note is gone", func(l *lab, path string) {
			noError(l.t, os.Remove(filepath.Join(l.repo, ".git/worktrees/-spare", spareNoteName)))
		}, false, ""},
		{"its link is another", func(l *lab, path string) { l.write(path, ".git", "gitdir: /nowhere\n") }, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			l := newLab(t)
			r := l.open(l.repo)
			path := l.spare(r, "")
			c.change(l, path)
			id, took, aside := l.begin(r, "s1", CarrySpec{})
			check(t, "took it", took, c.took)
			check(t, "something aside", aside != "", c.aside != "")
			if c.aside != "" {
				check(t, c.aside+" is kept", exists(aside, c.aside), true)
			}
			l.agrees(r, id)
			fresh := filepath.Join(l.dir, "fresh")
			l.run(l.repo, "worktree", "add", "-q", "--detach", fresh, id.BaseCommit)
			check(t, "files", l.files(id.Path), l.files(fresh))
			check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall", "--ignored"), "")
			// The next one is good again.
			l.spare(r, "")
			id, took, aside = l.begin(r, "s2", CarrySpec{})
			check(t, "the next spare", [2]any{took, aside}, [2]any{true, ""})
			check(t, "its files", l.files(id.Path), l.files(fresh))
		})
	}
}

// Whatever commit a spare stands at, a session that takes it has the tree that git would have checked out.
func TestSpareIsTheTreeOfAFreshCheckout(t *testing.T) {
	skipOnWindows(t)
	for seed := range uint64(12) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 4))
			l := newLab(t)
			var commits []string
			for i := range 4 {
				l.randomCommit(random)
				commits = append(commits, l.commit(fmt.Sprint("commit ", i)))
			}
			r := l.open(l.repo)
			taken := 0
			for i := range 4 {
				l.spare(r, commits[random.IntN(len(commits))])
				if random.IntN(2) == 0 { // brought to another commit
					l.spare(r, commits[random.IntN(len(commits))])
				}
				base := commits[random.IntN(len(commits))]
				session := fmt.Sprint("s", i)
				id, err := r.Plan(t.Context(), PlanSpec{Session: session, Root: l.root, Base: base})
				noError(t, err)
				begun, err := r.Begin(t.Context(), id, StartSpec{Session: session})
				noError(t, err)
				_, err = r.Complete(t.Context(), id, StartSpec{Session: session}, begun)
				noError(t, err)
				if begun.Spare {
					taken++
				}
				fresh := filepath.Join(l.dir, "fresh-"+session)
				l.run(l.repo, "worktree", "add", "-q", "--detach", fresh, base)
				check(t, "files", l.files(id.Path), l.files(fresh))
				check(t, "index", l.run(id.Path, "ls-files", "--stage", "-v"), l.run(fresh, "ls-files", "--stage", "-v"))
				check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall", "--ignored"), "")
			}
			t.Logf("%d of 4 took the spare", taken)
		})
	}
}

// randomCommit changes files of every kind, and now and then how git writes them.
func (l *lab) randomCommit(random *rand.Rand) {
	for range 6 {
		name := []string{"a.txt", "b.txt", "dir/c.txt", "dir/sub/d.txt", "e.sh", "f", "f/g.txt", "x.crlf"}[random.IntN(8)]
		path := filepath.Join(l.repo, filepath.FromSlash(name))
		for up := filepath.Dir(path); up != l.repo; up = filepath.Dir(up) {
			if stat, err := os.Lstat(up); err == nil && !stat.IsDir() {
				noError(l.t, os.Remove(up))
			}
		}
		noError(l.t, os.RemoveAll(path))
		switch random.IntN(5) {
		case 0: // deleted
		case 1:
			noError(l.t, os.MkdirAll(filepath.Dir(path), 0o755))
			noError(l.t, os.Symlink([]string{"a.txt", "nowhere"}[random.IntN(2)], path))
		default:
			l.write(l.repo, name, lines(name, 1+random.IntN(5)))
			if random.IntN(3) == 0 {
				noError(l.t, os.Chmod(path, 0o755))
			}
		}
	}
	if random.IntN(4) == 0 {
		l.write(l.repo, []string{".gitattributes", "dir/.gitattributes"}[random.IntN(2)], []string{"*.txt eol=crlf\n", "*.txt -text\n", "*.crlf text eol=crlf\n"}[random.IntN(3)])
	}
	l.write(l.repo, "count.txt", fmt.Sprint(random.Uint64()))
}

func TestSpareIsTakenOnce(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	l.spare(r, "")
	var ids []Identity
	for i := range 6 {
		ids = append(ids, l.plan(r, fmt.Sprint("s", i)))
	}
	took := make([]bool, len(ids))
	var group sync.WaitGroup
	for i, id := range ids {
		own := l.again(r) // as another process has it
		group.Go(func() {
			spec := StartSpec{Session: sessionOf(id)}
			begun, err := own.Begin(t.Context(), id, spec)
			if err == nil {
				_, err = own.Complete(t.Context(), id, spec, begun)
			}
			if took[i] = begun.Spare; err != nil {
				t.Error(err)
			}
		})
		group.Go(func() {
			if err := own.EnsureSpare(t.Context(), l.root, ""); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for i, id := range ids {
		l.agrees(r, id)
		check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall", "--ignored"), "")
		check(t, "file", l.read(id.Path, "a.txt"), lines("a", 20))
		l.write(id.Path, "a.txt", fmt.Sprint(i)) // nobody else has this file
	}
	for i, id := range ids {
		check(t, "own file", l.read(id.Path, "a.txt"), fmt.Sprint(i))
	}
	check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
}

func TestSpareIsNotTouchedWhileAnotherProcessIsAtIt(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	r := l.open(l.repo)
	path := l.spare(r, "")
	noError(t, r.withSpare(path, func() error {
		noError(t, r.EnsureSpare(t.Context(), l.root, ""))
		if err := r.DropSpare(t.Context(), l.root); err == nil || !strings.Contains(err.Error(), "another process is at it") {
			t.Errorf("drop: got %v, want an error that says who is at it", err)
		}
		_, took, _ := l.begin(r, "s1", CarrySpec{})
		check(t, "took it", took, false)
		return nil
	}))
	_, took, _ := l.begin(r, "s2", CarrySpec{})
	check(t, "took it afterwards", took, true)
}

func TestDropSpare(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	noError(t, r.DropSpare(t.Context(), l.root))
	check(t, "root without a spare", exists(l.dir, "worktrees"), false)
	for _, dirty := range []bool{false, true} {
		path := l.spare(r, "")
		if dirty {
			l.write(path, "mine.log", "mine\n")
		}
		noError(t, r.DropSpare(t.Context(), l.root))
		check(t, "worktrees", strings.Count(l.run(l.repo, "worktree", "list"), "\n"), 0)
		entries, err := os.ReadDir(filepath.Dir(path))
		noError(t, err)
		check(t, "folders", len(entries), 1) // the lock
		kept, err := ListTrash(l.root)
		noError(t, err)
		check(t, "kept", len(kept), map[bool]int{true: 1}[dirty])
	}
}

// A process that dies at any call of a start that takes the spare, or of one that makes it, leaves no session that is broken and no spare that is wrong.
func TestSpareAtEveryStep(t *testing.T) {
	skipOnWindows(t)
	random := rand.New(rand.NewPCG(3, 4))
	start := func(id Identity, again bool) func(*Repository) error {
		return func(r *Repository) error {
			_, err := r.Start(t.Context(), id, StartSpec{Session: "s1", Carry: everything, Again: again})
			return err
		}
	}
	for calls := 1; ; calls++ {
		l := newLab(t)
		r := l.open(l.repo)
		l.spare(r, "")
		l.unfinished(l.repo)
		stands := l.standsAs(l.repo)
		id := l.plan(r, "s1")
		survived, err := l.die(r, random, calls, calls%2 == 0, start(id, false))
		noError(t, err)
		r = l.again(r)
		l.released(id.Path)
		if !survived {
			noError(t, start(id, true)(r))
		}
		check(t, fmt.Sprintf("the tree after %d calls", calls), l.standsAs(id.Path), stands)
		check(t, "person", l.standsAs(l.repo), stands)
		l.soundSpare(r)
		if survived {
			return
		}
	}
}

func TestMakingASpareAtEveryStep(t *testing.T) {
	skipOnWindows(t)
	random := rand.New(rand.NewPCG(5, 6))
	for _, there := range []bool{false, true} {
		for calls := 1; ; calls++ {
			l := newLab(t)
			r := l.open(l.repo)
			if there { // the other base is that which it is brought to
				l.spare(r, "")
				l.write(l.repo, "a.txt", "second\n")
				l.commit("second")
			}
			survived, err := l.die(r, random, calls, calls%2 == 0, func(r *Repository) error { return r.EnsureSpare(t.Context(), l.root, "") })
			noError(t, err)
			r = l.again(r)
			path, err := r.SparePath(l.root)
			noError(t, err)
			l.released(path)
			id, _, _ := l.begin(r, "s1", CarrySpec{})
			l.agrees(r, id)
			check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall", "--ignored"), "")
			l.soundSpare(r)
			if survived {
				break
			}
		}
	}
}

// released gives the lock of the spare back that a process has which is only as good as dead: the lock's file is another one then.
func (l *lab) released(path string) {
	l.t.Helper()
	lock := filepath.Join(filepath.Dir(path), ".spare.lock")
	if err := os.Remove(lock); err != nil && !os.IsNotExist(err) {
		l.t.Fatal(err)
	}
}

// soundSpare makes the spare again after a death, and takes it.
func (l *lab) soundSpare(r *Repository) {
	l.t.Helper()
	l.spare(r, "")
	id, took, aside := l.begin(r, "sound", CarrySpec{})
	check(l.t, "the next spare is taken", [2]any{took, aside}, [2]any{true, ""})
	l.agrees(r, id)
	check(l.t, "its status", l.run(id.Path, "status", "--porcelain", "-uall", "--ignored"), "")
	check(l.t, "spares", strings.Contains(l.run(l.repo, "worktree", "list", "--porcelain"), "locked nodwyn spare"), false)
	noError(l.t, r.DropSpare(l.t.Context(), l.root))
}

// The files move by steps that no call of git divides.
func TestSpareWhoseMoveIsCutOff(t *testing.T) {
	skipOnWindows(t)
	for step := range 5 {
		l := newLab(t)
		r := l.open(l.repo)
		path := l.spare(r, "")
		id := l.plan(r, "s1")
		noError(t, r.add(t.Context(), id, "s1", id.BaseCommit))
		tree, err := r.find(id.Path)
		noError(t, err)
		s, found := r.findSpare(path)
		check(t, "spare", found, true)
		link := l.read(id.Path, ".git")
		for _, do := range []func() error{
			func() error { return os.Remove(filepath.Join(id.Path, ".git")) },
			func() error { return os.Remove(id.Path) },
			func() error { return os.Rename(path, id.Path) },
			func() error { return os.WriteFile(filepath.Join(id.Path, ".git"), []byte(link), 0o644) },
			func() error {
				return os.Rename(filepath.Join(s.tree.admin, "index"), filepath.Join(tree.admin, "index"))
			},
		}[:step+1] {
			noError(t, do())
		}
		_, err = r.Start(context.WithoutCancel(t.Context()), id, StartSpec{Session: "s1", Again: true})
		noError(t, err)
		l.agrees(r, id)
		check(t, "status", l.run(id.Path, "status", "--porcelain", "-uall", "--ignored"), "")
		l.soundSpare(r)
	}
}

// The commit that a spare stands at is kept by its HEAD, whatever becomes of the branches.
func TestSpareFollowsItsBase(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	path := l.spare(r, "")
	l.write(l.repo, "a.txt", "second\n")
	second := l.commit("second")
	before, err := os.Stat(filepath.Join(path, "b.txt"))
	noError(t, err)
	l.spare(r, second)
	after, err := os.Stat(filepath.Join(path, "b.txt"))
	noError(t, err)
	check(t, "the same file", os.SameFile(before, after), true)
	check(t, "HEAD", l.run(path, "rev-parse", "HEAD"), second)
	check(t, "status", l.run(path, "status", "--porcelain", "--ignored"), "")
}
