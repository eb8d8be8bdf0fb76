package worktree

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// unfinished leaves every kind of uncommitted state in a checkout.
func (l *lab) unfinished(dir string) {
	l.t.Helper()
	l.write(dir, "staged", "staged\n")
	l.write(dir, "a.txt", strings.Replace(lines("a", 20), "a 3\n", "a staged\n", 1))
	l.run(dir, "add", "staged", "a.txt")
	l.write(dir, "a.txt", strings.Replace(l.read(dir, "a.txt"), "a 18\n", "a edited again\n", 1))
	l.run(dir, "mv", "dir/c.txt", "dir/moved.txt")
	l.write(dir, "dir/moved.txt", lines("c", 21))
	noError(l.t, os.Remove(filepath.Join(dir, "b.txt")))
	noError(l.t, os.Chmod(filepath.Join(dir, ".gitignore"), 0o755))
	noError(l.t, os.Symlink("a.txt", filepath.Join(dir, "link")))
	l.write(dir, "-odd \"name\"\nof grüße", "untracked\n")
	l.write(dir, "sub/untracked", "untracked\n")
	l.write(dir, "secret.log", "ignored\n")
}

// standsAs is what git says of a checkout against its HEAD.
func (l *lab) standsAs(dir string) [3]string {
	l.t.Helper()
	return [3]string{l.run(dir, "status", "--porcelain=v2", "-uall"), l.run(dir, "diff"), l.run(dir, "diff", "--cached")}
}

func (l *lab) start(r *Repository, session string, spec CarrySpec) (Identity, Carry) {
	l.t.Helper()
	id, err := r.Plan(l.t.Context(), PlanSpec{Session: session, Root: l.root, From: spec.From})
	noError(l.t, err)
	started, err := r.Start(l.t.Context(), id, StartSpec{Session: session, Carry: spec})
	noError(l.t, err)
	check(l.t, "set aside", started.Aside, "")
	return id, started.Carry
}

// began is the list of landings of a session that carried state.
func began(c Carry) []Landing { return []Landing{{Strategy: Carried, Base: c.Commit}} }

var everything = CarrySpec{Uncommitted: true, Untracked: true}

func TestCarryBringsTheWholeState(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.unfinished(l.repo)
	r := l.open(l.repo)
	before, stands := l.look(l.repo), l.standsAs(l.repo)
	id, c := l.start(r, "s1", everything)

	check(t, "the tree stands as the person's", l.standsAs(id.Path), stands)
	files := l.files(l.repo)
	delete(files, "secret.log")
	check(t, "files", l.files(id.Path), files)
	check(t, "what was carried", c, Carry{Commit: l.run(l.repo, "rev-parse", "refs/nodwyn/s1/0000"), Files: 8})
	after := l.look(l.repo)
	after.branches = before.branches // the session's branch is new
	check(t, "the person's checkout", after, before)
	point, err := r.Checkpoint(t.Context(), id, CheckpointSpec{Session: "s1", Turn: 1, Previous: c.Commit, Subject: "x"})
	noError(t, err)
	check(t, "checkpoint of nothing", point, nil)
	check(t, "fsck", l.run(l.repo, "fsck", "--strict", "--no-dangling"), "")
}

func TestCarryBringsWhatWasAsked(t *testing.T) {
	for _, c := range []struct {
		name string
		spec CarrySpec
		want Counts
		has  []string
		not  []string
	}{
		{"nothing", CarrySpec{}, Counts{}, nil, []string{"new", "staged"}},
		{"uncommitted", CarrySpec{Uncommitted: true}, Counts{Untracked: 2}, []string{"staged"}, []string{"new"}},
		{"untracked", CarrySpec{Untracked: true}, Counts{Uncommitted: 1, Untracked: 1}, []string{"new"}, []string{"staged", "nested"}},
		{"both", everything, Counts{Untracked: 1}, []string{"new", "staged"}, []string{"nested"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t)
			l.write(l.repo, "staged", "staged\n")
			l.run(l.repo, "add", "staged")
			l.write(l.repo, "new", "new\n")
			l.run(l.repo, "init", "-q", "nested")
			l.write(l.repo, "nested/file", "x\n")
			l.run(filepath.Join(l.repo, "nested"), "add", "-A")
			l.run(filepath.Join(l.repo, "nested"), "commit", "-q", "-m", "x")
			r := l.open(l.repo)
			id, carry := l.start(r, "s1", c.spec)
			check(t, "left", carry.Left, c.want)
			for _, name := range c.has {
				check(t, name, exists(id.Path, name), true)
			}
			for _, name := range c.not {
				_, err := os.Lstat(filepath.Join(id.Path, name))
				check(t, name+" is missing", os.IsNotExist(err), true)
			}
			if c.spec.Untracked {
				check(t, "left out", carry.LeftOut, []string{`"nested/" is a repository of its own`})
			}
		})
	}
}

func TestCarryOfAnOperationUnderWay(t *testing.T) {
	l := newLab(t)
	l.run(l.repo, "checkout", "-q", "-b", "side")
	l.write(l.repo, "a.txt", "side\n")
	l.commit("side")
	l.run(l.repo, "checkout", "-q", "main")
	l.write(l.repo, "a.txt", "main\n")
	l.commit("main")
	before := l.open(l.repo)
	if _, err := l.git.Run(t.Context(), l.repo, nil, nil, "merge", "side"); err == nil {
		t.Fatal("the merge was to conflict")
	}
	was := l.look(l.repo)
	id, _ := l.start(before, "s1", everything)
	check(t, "a.txt", l.read(id.Path, "a.txt"), l.read(l.repo, "a.txt"))
	check(t, "staged", l.run(id.Path, "diff", "--cached"), "")
	now := l.look(l.repo)
	now.branches = was.branches
	check(t, "the person's checkout", now, was)
}

func TestCarriedStateIsNeverTheSessions(t *testing.T) {
	skipOnWindows(t)
	for _, strategy := range []Strategy{Squash, Merge, Rebase} {
		t.Run(string(strategy), func(t *testing.T) {
			l := newLab(t)
			l.unfinished(l.repo)
			stands := l.standsAs(l.repo)
			r := l.open(l.repo)
			id, c := l.start(r, "s1", everything)
			landings := began(c)
			l.write(id.Path, "a.txt", strings.Replace(l.read(id.Path, "a.txt"), "a 10\n", "a of the agent\n", 1))
			l.write(id.Path, "agent.txt", "agent\n")
			one := l.checkpoint(r, id, 1, c.Commit)
			base, err := r.CountsFrom(t.Context(), id, landings)
			noError(t, err)
			check(t, "base", base, c.Commit)
			files, err := r.Diff(t.Context(), base, one.Commit, "")
			noError(t, err)
			check(t, "diff", namesIn(files), []string{"a.txt", "agent.txt"})
			check(t, "lines of the agent in a.txt", [2]int{files[0].Insertions, files[0].Deletions}, [2]int{1, 1})

			landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: strategy, Landings: landings, Tip: one.Commit, Turns: []TurnCommit{{one.Commit, "work"}}})
			noError(t, err)
			noError(t, r.Apply(t.Context(), landing))
			check(t, "landed files", l.run(l.repo, "diff", "--stat=200", "--name-only", id.BaseCommit, "main"), "a.txt\nagent.txt")
			check(t, "a.txt on main", l.run(l.repo, "show", "main:a.txt"), strings.TrimSuffix(strings.Replace(lines("a", 20), "a 10\n", "a of the agent\n", 1), "\n"))
			check(t, "the person's status", withoutObjects(l.standsAs(l.repo)[0]), withoutObjects(stands[0]))
			check(t, "snapshot in history", strings.Contains(l.run(l.repo, "log", "--format=%s", "main"), "had not committed"), false)

			unlanded, err := r.Unlanded(t.Context(), id, one.Commit, append(landings, landing))
			noError(t, err)
			check(t, "unlanded", unlanded, nil)
			l.write(id.Path, "a.txt", strings.Replace(l.read(id.Path, "a.txt"), "a of the agent\n", "a again\n", 1))
			two := l.checkpoint(r, id, 2, one.Commit)
			landing, err = r.Prepare(t.Context(), id, LandSpec{Strategy: strategy, Landings: append(landings, landing), Tip: two.Commit, Turns: []TurnCommit{{two.Commit, "more"}}})
			noError(t, err)
			check(t, "second landing", namesIn(landing.Files), []string{"a.txt"})
			noError(t, r.Apply(t.Context(), landing))
		})
	}
}

func namesIn(files []FileDiff) []string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return names
}

// withoutObjects keeps of a status what does not depend on HEAD.
func withoutObjects(status string) string {
	var kept strings.Builder
	for line := range strings.Lines(status) {
		parts := strings.Fields(line)
		fmt.Fprintln(&kept, parts[0], parts[1], parts[len(parts)-1])
	}
	return kept.String()
}

func TestCarryOntoAnotherBase(t *testing.T) {
	l := newLab(t)
	l.run(l.repo, "branch", "old")
	l.write(l.repo, "b.txt", "newer\n")
	l.commit("newer")
	l.write(l.repo, "a.txt", strings.Replace(lines("a", 20), "a 3\n", "a edited\n", 1))
	r := l.open(l.repo)
	id, err := r.Plan(t.Context(), PlanSpec{Session: "s1", Root: l.root, Base: "old"})
	noError(t, err)
	started, err := r.Start(t.Context(), id, StartSpec{Session: "s1", Carry: everything})
	noError(t, err)
	check(t, "status", l.run(id.Path, "status", "--porcelain"), " M a.txt")
	check(t, "b.txt", l.read(id.Path, "b.txt"), lines("b", 20))
	check(t, "carried", started.Carry.Files, 1)

	l.write(l.repo, "b.txt", "newest\n")
	id, err = r.Plan(t.Context(), PlanSpec{Session: "s2", Root: l.root, Base: "old"})
	noError(t, err)
	before := l.look(l.repo)
	refs := l.run(l.repo, "for-each-ref")
	_, err = r.Start(t.Context(), id, StartSpec{Session: "s2", Carry: everything})
	checkRefused(t, err, CarryConflict)
	check(t, "repository", l.look(l.repo), before)
	check(t, "refs", l.run(l.repo, "for-each-ref"), refs)
	l.checkGone(id)
}

func TestCarryFromALinkedWorktree(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	linked := filepath.Join(l.dir, "linked")
	l.run(l.repo, "worktree", "add", "-q", "-b", "topic", linked)
	l.write(linked, "topic.txt", "topic\n")
	l.run(linked, "add", "-A")
	l.run(linked, "commit", "-q", "-m", "topic")
	l.unfinished(linked)
	before, main, stands := l.look(linked), l.look(l.repo), l.standsAs(linked)
	r := l.open(filepath.Join(linked, "dir"))
	spec := everything
	spec.From = filepath.Join(linked, "dir")
	id, c := l.start(r, "s1", spec)
	check(t, "base", id.Base, "topic")
	check(t, "the tree stands as the person's", l.standsAs(id.Path), stands)
	check(t, "left", c.Left, Counts{})
	for dir, want := range map[string]look{linked: before, l.repo: main} {
		now := l.look(dir)
		now.branches = want.branches
		check(t, dir, now, want)
	}
	counts, err := r.UncommittedAt(t.Context(), linked)
	noError(t, err)
	check(t, "counts", counts, Counts{Uncommitted: 6, Untracked: 3})
	_, err = r.UncommittedAt(t.Context(), l.dir)
	checkRefused(t, err, NoRepository)
}

// A start that dies anywhere is made good by the next one, with the state that was taken first.
func TestStartIsMadeGood(t *testing.T) {
	skipOnWindows(t)
	random := rand.New(rand.NewPCG(1, 2))
	for calls := 1; ; calls++ {
		l := newLab(t)
		l.unfinished(l.repo)
		stands := l.standsAs(l.repo)
		r := l.open(l.repo)
		id := l.plan(r, "s1")
		survived, err := l.die(r, random, calls, false, func(r *Repository) error {
			_, err := r.Start(t.Context(), id, StartSpec{Session: "s1", Carry: everything})
			return err
		})
		noError(t, err)
		if survived {
			check(t, "calls of a start are many", calls > 8, true)
			return
		}
		r = l.again(r)
		started, err := r.Start(t.Context(), id, StartSpec{Session: "s1", Carry: everything, Again: true})
		if err != nil {
			t.Fatalf("after %d calls: %v", calls, err)
		}
		check(t, fmt.Sprintf("the tree after %d calls", calls), l.standsAs(id.Path), stands)
		check(t, "person", l.standsAs(l.repo), stands)
		check(t, "carried", started.Carry.Files, 8)
		check(t, "worktrees", strings.Count(l.run(l.repo, "worktree", "list"), "\n"), 1)
	}
}

func TestRestoreBringsWhatWasCarried(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	l.unfinished(l.repo)
	r := l.open(l.repo)
	id, _ := l.start(r, "s1", everything)
	stands := l.standsAs(id.Path)
	noError(t, os.RemoveAll(id.Path))
	l.restore(r, id, "")
	check(t, "the tree", l.standsAs(id.Path), stands)
}

func TestCarryOfSubmodules(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	for _, name := range []string{"staged", "moved", "dirty"} {
		l.run(l.repo, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", l.module("lib-"+name), name)
	}
	l.commit("submodules")
	for _, name := range []string{"staged", "moved"} {
		dir := filepath.Join(l.repo, name)
		l.write(dir, "file", "newer\n")
		l.run(dir, "commit", "-q", "-a", "-m", "newer")
	}
	l.run(l.repo, "add", "staged")
	l.write(l.repo, "dirty/file", "not committed\n")
	r := l.open(l.repo)
	before := l.look(l.repo)
	id, c := l.start(r, "s1", everything)
	check(t, "left", c.Left, Counts{Uncommitted: 2})
	check(t, "left out", c.LeftOut, []string{
		`"moved" is a submodule; that it stands at another commit stays behind until it is staged`,
		`"dirty" is a submodule; what is not committed in it stays behind`,
	})
	check(t, "filled", l.equip(r, id, EquipSpec{Submodules: true}).Submodules, []string{"dirty", "moved", "staged"})
	check(t, "submodule that is staged", l.read(id.Path, "staged/file"), "newer\n")
	check(t, "status", l.run(id.Path, "status", "--porcelain"), "M  staged")
	point, err := r.Checkpoint(t.Context(), id, CheckpointSpec{Session: "s1", Turn: 1, Previous: c.Commit, Subject: "x"})
	noError(t, err)
	check(t, "checkpoint of nothing", point, nil)
	after := l.look(l.repo)
	after.branches = before.branches
	check(t, "the person's checkout", after, before)
}
