package agent

import (
	"fmt"
	"slices"
	"testing"
)

func TestCursorCommands(t *testing.T) {
	files := map[string]string{".cursor/up.sh": "#!/bin/bash\nmake\n"}
	read := func(name string) (string, error) { return files[name], nil }
	for _, c := range []struct {
		name, text, system string
		want               []string
		err                string
	}{
		{"a list", `{"setup-worktree": ["npm ci", "make"]}`, "linux", []string{"npm ci", "make"}, ""},
		{"that of the system", `{"setup-worktree": ["a"], "setup-worktree-unix": ["b"], "setup-worktree-windows": ["c"]}`, "darwin", []string{"b"}, ""},
		{"that of Windows", `{"setup-worktree-unix": ["b"], "setup-worktree-windows": ["c"]}`, "windows", []string{"c"}, ""},
		{"a script", `{"setup-worktree": "up.sh"}`, "linux", []string{"#!/bin/bash\nmake\n"}, ""},
		{"none for this system", `{"setup-worktree-windows": ["c"]}`, "linux", nil, ""},
		{"an empty list", `{"setup-worktree": []}`, "linux", nil, ""},
		{"a script elsewhere", `{"setup-worktree": "../up.sh"}`, "linux", nil, `setup-worktree: script "../up.sh" lies outside of .cursor`},
		{"a script that is not there", `{"setup-worktree": "no.sh"}`, "linux", nil, `setup-worktree: script "no.sh" is empty or not there`},
		{"no text", `{"setup-worktree": ["a", 1]}`, "linux", nil, "setup-worktree: command 2 is no text"},
		{"another form", `{"setup-worktree": 1}`, "linux", nil, "setup-worktree is neither a list of commands nor a script"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := cursorCommands([]byte(c.text), c.system, read)
			if fmt.Sprint(err) != c.err && (err != nil || c.err != "") {
				t.Fatalf("got error %v, want %q", err, c.err)
			}
			if err == nil && !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
