package worktree

import "testing"

func TestConflictSaysWhatToDo(t *testing.T) {
	six := []Conflict{{Path: "a", Kind: "contents"}, {Path: "b", Kind: "contents"}, {Path: "c", Kind: "contents"}, {Path: "d", Kind: "contents"}, {Path: "e", Kind: "contents"}, {Path: "f", Kind: "contents"}}
	for _, c := range []struct {
		name string
		err  ConflictError
		want string
	}{
		{"uncommitted and untracked", ConflictError{Conflicts: []Conflict{{Path: "a.txt", Kind: "uncommitted"}, {Path: "new.txt", Kind: "untracked"}}},
			`the checkout has files that nobody committed: in the way: "a.txt" (uncommitted), "new.txt" (untracked); commit them, stash them or move them away, then land again`},
		{"in a linked worktree", ConflictError{Conflicts: []Conflict{{Path: "a.txt", Kind: "uncommitted"}}, Checkout: "/w/other"},
			`the branch is checked out at "/w/other", which has files that nobody committed: in the way: "a.txt" (uncommitted); commit them, stash them or move them away, then land again`},
		{"both changed it", ConflictError{Conflicts: []Conflict{{Path: "a.txt", Kind: "contents"}}, Branch: "nodwyn/s1"},
			`the branch and the session changed the same places: in the way: "a.txt" (contents); sync the session in an editor and land again, merge branch "nodwyn/s1" by hand, or land into another branch`},
		{"at lines", ConflictError{Conflicts: []Conflict{{Path: "a.txt", Kind: "uncommitted", Lines: []ConflictLines{{3, 1}, {7, 4}, {20, 0}, {30, 1}}}}},
			`the checkout has files that nobody committed: in the way: "a.txt" (uncommitted) at line 3, 7-10, 20, …; commit them, stash them or move them away, then land again`},
		{"of a turn", ConflictError{Conflicts: []Conflict{{Path: "a.txt", Kind: "contents"}}, Branch: "nodwyn/s1", Turn: TurnCommit{Subject: "fix it"}},
			`the branch and turn "fix it" changed the same places: in the way: "a.txt" (contents); land everything as one commit (squash), or land into another branch`},
		{"taken back", ConflictError{Conflicts: []Conflict{{Path: "main", Kind: "moved"}}, Undo: true},
			`others built on the landing: in the way: "main" (moved); undo it by a commit (git revert)`},
		{"many", ConflictError{Conflicts: six},
			`the branch and the session changed the same places: in the way: "a" (contents), "b" (contents), "c" (contents), "d" (contents), "e" (contents), and 1 more; merge the session's branch by hand, or land into another branch`},
		{"moved", ConflictError{Conflicts: []Conflict{{Path: "main", Kind: "moved"}}},
			`the branch moved meanwhile: in the way: "main" (moved); land again`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, "message", c.err.Error(), c.want) })
	}
}
