package worktree

import (
	"path/filepath"
	"testing"
)

func TestBranchIsMadeAndMoved(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	l.write(l.repo, "a.txt", "in conflict with the session\n")
	l.commit("by the person")
	before := l.look(l.repo)
	spec := specOf(Branch, turns...)
	spec.Into, spec.Message = "topic/one", "Do it"
	first := l.land(r, id, spec)
	check(t, "previous", first.Previous, "")
	check(t, "history", l.run(l.repo, "log", "--format=%s %an", "topic/one"), "Do it Pat Person\nfirst Pat Person")
	check(t, "content", l.run(l.repo, "rev-parse", "topic/one^{tree}"), l.run(l.repo, "rev-parse", turns[1].Commit+"^{tree}"))
	after := l.look(l.repo)
	after.branches = before.branches
	check(t, "checkout", after, before)

	l.write(id.Path, "a.txt", "again\n")
	three := l.checkpoint(r, id, 3, turns[1].Commit)
	spec = specOf(Branch, TurnCommit{three.Commit, "again"})
	spec.Into, spec.Landings = "topic/one", []Landing{first}
	second := l.land(r, id, spec)
	check(t, "previous", second.Previous, first.Commit)
	check(t, "history again", l.run(l.repo, "log", "--format=%s", "topic/one"), "again\nDo it\nfirst")
	removed, unlanded := l.remove(r, id, RemoveSpec{Landings: []Landing{first, second}, Tip: three.Commit})
	check(t, "removed", removed, true)
	check(t, "unlanded", unlanded, nil)
}

// After a landing on the base branch the session counts from a snapshot, which must not enter the new branch.
func TestBranchAfterALanding(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	first := l.land(r, id, specOf(Squash, turns...))
	l.write(id.Path, "b.txt", "more\n")
	three := l.checkpoint(r, id, 3, turns[1].Commit)
	spec := specOf(Branch, TurnCommit{three.Commit, "more"})
	spec.Into, spec.Landings = "topic", []Landing{first}
	l.land(r, id, spec)
	check(t, "history", l.run(l.repo, "log", "--format=%s %an", "topic"), "more Pat Person\nchange a Pat Person\nfirst Pat Person")
}

func TestBranchIsRefused(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	id, turns := l.work(r)
	for name, want := range map[string]Reason{"no..way": BadBranch, "main/below": BranchTaken, "@{-1}": BadBranch, "": NothingToLand} {
		spec := specOf(Branch, turns...)
		spec.Into = name
		if name == "" { // the base branch, which has everything
			l.land(r, id, specOf(Squash, turns...))
		}
		if name != "" {
			_, err := r.Prepare(t.Context(), id, spec)
			checkRefused(t, err, want)
		}
	}
}

// A branch that is landed from another session's tip stands on the person's commits alone.
func TestBranchFromASnapshot(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	first := l.create(r, "first")
	l.write(first.Path, "first.txt", "x\n")
	snapshot := l.checkpoint(r, first, 1, first.BaseCommit).Commit
	id, err := r.Plan(t.Context(), PlanSpec{Session: "second", Root: l.root, Base: snapshot})
	noError(t, err)
	noError(t, r.Create(t.Context(), id, "second"))
	l.write(id.Path, "second.txt", "x\n")
	tip := l.checkpoint(r, id, 1, id.BaseCommit).Commit
	landing, err := r.Prepare(t.Context(), id, LandSpec{Strategy: Branch, Into: "topic", Message: "second", Tip: tip})
	noError(t, err)
	noError(t, r.Apply(t.Context(), landing))
	check(t, "history", l.run(l.repo, "log", "--format=%ce", "topic"), "pat@example.invalid\npat@example.invalid")
	check(t, "files", l.run(l.repo, "show", "--name-only", "--format=", "topic"), "second.txt")
}

func TestPushing(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	_, err := r.Pushing(t.Context(), "main", "")
	checkRefused(t, err, NoRemote)
	l.run(l.dir, "clone", "-q", "--bare", "repo", "one.git")
	l.run(l.repo, "remote", "add", "one", "../one.git")
	l.run(l.repo, "branch", "topic")
	push, err := r.Pushing(t.Context(), "topic", "")
	noError(t, err)
	check(t, "push", push, Push{Remote: "one", URL: "../one.git", Dir: l.repo, Argv: []string{
		"git", "push", "--porcelain", "--no-recurse-submodules", "--", "one", "refs/heads/topic:refs/heads/topic",
	}})
	l.run(push.Dir, push.Argv[1:]...)
	check(t, "pushed", l.run(filepath.Join(l.dir, "one.git"), "rev-parse", "topic"), l.run(l.repo, "rev-parse", "topic"))

	l.run(l.repo, "remote", "add", "two", "../two.git")
	_, err = r.Pushing(t.Context(), "topic", "")
	checkRefused(t, err, NoRemote)
	l.run(l.repo, "config", "remote.pushDefault", "two")
	push, err = r.Pushing(t.Context(), "topic", "")
	noError(t, err)
	check(t, "default", push.Remote, "two")
	l.run(l.repo, "config", "branch.topic.pushRemote", "one")
	push, err = r.Pushing(t.Context(), "topic", "")
	noError(t, err)
	check(t, "of the branch", push.Remote, "one")
	_, err = r.Pushing(t.Context(), "topic", "three")
	checkRefused(t, err, NoRemote)
	push, err = r.Pushing(t.Context(), "yet-to-be-made", "")
	noError(t, err)
	check(t, "of a branch that is not there", push.Remote, "two")
}
