package worktree

import "testing"

func TestConflictSaysWhatToDo(t *testing.T) {
	six := []Conflict{{"a", "contents"}, {"b", "contents"}, {"c", "contents"}, {"d", "contents"}, {"e", "contents"}, {"f", "contents"}}
	for _, c := range []struct {
		name string
		err  ConflictError
		want string
	}{
		{"uncommitted and untracked", ConflictError{Conflicts: []Conflict{{"a.txt", "uncommitted"}, {"new.txt", "untracked"}}},
			`the checkout has files that nobody committed: in the way: "a.txt" (uncommitted), "new.txt" (untracked); commit them, stash them or move them away, then land again`},
		{"both changed it", ConflictError{Conflicts: []Conflict{{"a.txt", "contents"}}, Branch: "nodwyn/s1"},
			`the branch and the session changed the same places: in the way: "a.txt" (contents); merge branch "nodwyn/s1" by hand, or land into another branch`},
		{"many", ConflictError{Conflicts: six},
			`the branch and the session changed the same places: in the way: "a" (contents), "b" (contents), "c" (contents), "d" (contents), "e" (contents), and 1 more; merge the session's branch by hand, or land into another branch`},
		{"moved", ConflictError{Conflicts: []Conflict{{"main", "moved"}}},
			`the branch moved meanwhile: in the way: "main" (moved); land again`},
	} {
		t.Run(c.name, func(t *testing.T) { check(t, "message", c.err.Error(), c.want) })
	}
}
