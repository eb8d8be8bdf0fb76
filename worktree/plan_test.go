package worktree

import (
	"os"
	"path/filepath"
	"testing"
)

func TestPlanResolvesTheBase(t *testing.T) {
	l := newLab(t)
	first := l.run(l.repo, "rev-parse", "HEAD")
	l.run(l.repo, "tag", "-a", "-m", "v1", "v1")
	l.run(l.repo, "branch", "feature")
	l.write(l.repo, "a.txt", "changed\n")
	second := l.commit("second")
	r := l.open(l.repo)
	path := filepath.Join(l.root, r.Hash(), "s1")
	before := l.look(l.repo)

	for _, c := range []struct {
		name string
		spec PlanSpec
		want Identity
	}{
		{"what is checked out", PlanSpec{}, Identity{l.repo, path, "nodwyn/s1", "main", second}},
		{"a branch", PlanSpec{Base: "feature"}, Identity{l.repo, path, "nodwyn/s1", "feature", first}},
		{"an annotated tag", PlanSpec{Base: "v1"}, Identity{l.repo, path, "nodwyn/s1", "main", first}},
		{"a short id", PlanSpec{Base: first[:8], Branch: "fix/it"}, Identity{l.repo, path, "fix/it", "main", first}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Session, c.spec.Root = "s1", l.root
			got, err := r.Plan(t.Context(), c.spec)
			noError(t, err)
			check(t, "identity", got, c.want)
		})
	}
	l.run(l.repo, "checkout", "-q", "--detach")
	got := l.plan(r, "s1")
	check(t, "base of a detached HEAD", [2]string{got.Base, got.BaseCommit}, [2]string{"", second})
	l.run(l.repo, "checkout", "-q", "main")
	check(t, "checkout", l.look(l.repo), before)
	if _, err := os.Lstat(l.root); err == nil {
		t.Error("planning made a folder")
	}
}

func TestPlanRefuses(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	l.run(l.repo, "branch", "taken")
	l.run(l.repo, "branch", "folder/below")
	l.write(l.root, r.Hash()+"/busy/file", "x\n")
	for _, c := range []struct {
		name string
		spec PlanSpec
		want Reason
	}{
		{"session id with a slash", PlanSpec{Session: "a/b"}, BadSession},
		{"no session id", PlanSpec{}, BadSession},
		{"branch name with spaces", PlanSpec{Session: "s1", Branch: "a b"}, BadBranch},
		{"branch name like a flag", PlanSpec{Session: "s1", Branch: "-f"}, BadBranch},
		{"branch shorthand", PlanSpec{Session: "s1", Branch: "@{-1}"}, BadBranch},
		{"branch exists", PlanSpec{Session: "s1", Branch: "taken"}, BranchTaken},
		{"branch below an existing one", PlanSpec{Session: "s1", Branch: "taken/x"}, BranchTaken},
		{"branch above an existing one", PlanSpec{Session: "s1", Branch: "folder"}, BranchTaken},
		{"folder exists", PlanSpec{Session: "busy"}, PathTaken},
		{"base is nothing", PlanSpec{Session: "s1", Base: "nowhere"}, BadBase},
		{"base is a file", PlanSpec{Session: "s1", Base: "HEAD:a.txt"}, BadBase},
		{"base like a flag", PlanSpec{Session: "s1", Base: "--all"}, BadBase},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.spec.Root = l.root
			_, err := r.Plan(t.Context(), c.spec)
			checkRefused(t, err, c.want)
		})
	}
}

func TestUncommittedCountsTheMainCheckout(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	l.write(l.repo, "a.txt", "edited\n")
	l.write(l.repo, "b.txt", "staged\n")
	l.run(l.repo, "add", "b.txt")
	l.run(l.repo, "mv", "dir/c.txt", "dir/renamed.txt")
	l.write(l.repo, "new/one", "1\n")
	l.write(l.repo, "new/two\nlines", "2\n")
	l.write(l.repo, "noise.log", "ignored\n")
	before := l.look(l.repo)
	got, err := r.Uncommitted(t.Context())
	noError(t, err)
	check(t, "counts", got, Counts{Uncommitted: 4, Untracked: 2})
	check(t, "checkout", l.look(l.repo), before)

	l.run(l.dir, "clone", "-q", "--bare", "repo", "bare.git")
	got, err = l.open(filepath.Join(l.dir, "bare.git")).Uncommitted(t.Context())
	noError(t, err)
	check(t, "counts of a bare repository", got, Counts{})
}

func TestParseStatusRefusesForeignRecords(t *testing.T) {
	for _, record := range []string{"x", "1 M. too short", "?", "# branch.oid"} {
		if got, err := parseStatus(record + "\x00"); err == nil {
			t.Errorf("record %q: got %v, want an error", record, got)
		}
	}
}
