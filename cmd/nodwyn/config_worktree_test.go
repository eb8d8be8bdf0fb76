package main

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/nodwyn/nodwyn/agent"
)

// readWorktree reads a person's configuration as the program does.
func readWorktree(t *testing.T, text string) (agent.WorktreeConfig, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.toml")
	if err := writeFile(path, text); err != nil {
		t.Fatal(err)
	}
	f, _, err := readConfig(path, testVault(t))
	return f.Worktree.config(), err
}

func TestWorktreeConfig(t *testing.T) {
	const all = `[worktree]
carry_uncommitted = true
copy_ignored = [".env", "!.env.example", "/local/"]
spare = true
quota = "1TiB"
setup = [
  { run = ["npm", "ci"], timeout = "90s" },
  { run = ["make", "deps"] },
]
`
	npm := agent.SetupCommand{Run: []string{"npm", "ci"}, Timeout: 90 * time.Second}
	deps := agent.SetupCommand{Run: []string{"make", "deps"}, Timeout: 10 * time.Minute}
	for _, c := range []struct {
		name, text string
		want       agent.WorktreeConfig
	}{
		{"nothing said", "", agent.WorktreeConfig{Quota: 20 << 30}},
		{"everything off", "[worktree]\ncarry_uncommitted = false\nspare = false\ncopy_ignored = []\nsetup = []\n", agent.WorktreeConfig{CopyIgnored: []string{}, Quota: 20 << 30}},
		{"everything", all, agent.WorktreeConfig{
			Carry: true, CopyIgnored: []string{".env", "!.env.example", "/local/"}, Spare: true, Quota: 1 << 40, Setup: []agent.SetupCommand{npm, deps},
		}},
		{"set-up as tables", "[[worktree.setup]]\nrun = [\"npm\", \"ci\"]\ntimeout = \"90s\"\n[[worktree.setup]]\nrun = [\"make\", \"deps\"]\n",
			agent.WorktreeConfig{Setup: []agent.SetupCommand{npm, deps}, Quota: 20 << 30}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := readWorktree(t, c.text)
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestWorktreeConfigRefused(t *testing.T) {
	for _, c := range []struct {
		name, text string
		line       int
		key, want  string
	}{
		{"key with a letter too much", "spares = true", 3, "worktree.spares", `did you mean "worktree.spare"?`},
		{"key of a command with a letter missing", `setup = [ { rn = ["make"] } ]`, 3, "worktree.setup.rn", `did you mean "worktree.setup.run"?`},
		{"key of a later version", "notes = true", 3, "worktree.notes", "does not honour it yet"},
		{"switch that is a word", `spare = "yes"`, 3, "worktree.spare", "the value has the type string; it must be of the type boolean"},
		{"list that is a word", `copy_ignored = ".env"`, 3, "worktree.copy_ignored", "it must be of the type list"},
		{"quota without a unit that is known", `quota = "20 GB"`, 3, "worktree.quota", `"20 GB" is not a size`},
		{"quota of nothing", `quota = "0GiB"`, 3, "worktree.quota", "is not a size"},
		{"quota beyond any disk", `quota = "9999999999GiB"`, 3, "worktree.quota", "is not a size"},
		{"time that is no time", `setup = [ { run = ["make"], timeout = "soon" } ]`, 3, "worktree.setup.timeout", `"soon" is not a positive duration`},
		{"command without words", `setup = [ { run = ["make"] }, { timeout = "5m" } ]`, 3, "worktree.setup", "command 2 names no program"},
		{"command with an empty program", `setup = [ { run = ["", "x"] } ]`, 3, "worktree.setup", "command 1 names no program"},
		{"command with a NUL", `setup = [ { run = ["make", "a\u0000b"] } ]`, 3, "worktree.setup", "command 1 holds a NUL"},
		{"pattern of two lines", `copy_ignored = [".env\n*"]`, 3, "worktree.copy_ignored", "more than one line"},
		{"pattern that is a comment", `copy_ignored = ["# .env"]`, 3, "worktree.copy_ignored", "matches nothing"},
		{"pattern that is empty", `copy_ignored = [".env", " "]`, 3, "worktree.copy_ignored", "matches nothing"},
		{"pattern that leads out", `copy_ignored = ["../.env"]`, 3, "worktree.copy_ignored", "leads out of the repository"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := readWorktree(t, "# mine\n[worktree]\n"+c.text+"\n")
			checkRefused(t, err, c.line, c.key, c.want)
		})
	}
}

// checkRefused holds an error of the configuration to the place and the reason that a person is told.
func checkRefused(t *testing.T, err error, line int, key, want string) {
	t.Helper()
	wrong, ok := err.(*agent.ConfigError)
	if !ok {
		t.Fatalf("got %v, want an error of the configuration", err)
	}
	if got, want := fmt.Sprint(wrong.Line, " ", wrong.Key), fmt.Sprint(line, " ", key); got != want {
		t.Errorf("place: got %s, want %s", got, want)
	}
	if !strings.Contains(wrong.Reason, want) {
		t.Errorf("reason: got %q, want %q in it", wrong.Reason, want)
	}
}

// TestWorktreeConfigOfProject: a repository brings a set-up, which waits for trust, and nothing else.
func TestWorktreeConfigOfProject(t *testing.T) {
	read := func(t *testing.T, text string) (agent.Project, error) {
		t.Helper()
		root := t.TempDir()
		if err := writeFile(filepath.Join(root, filepath.FromSlash(projectFile)), text); err != nil {
			t.Fatal(err)
		}
		person := file{Worktree: worktreeSection{Setup: []setupSection{{Run: []string{"mine"}}}}}
		return projectLoader(person)(root)
	}
	project, err := read(t, "[worktree]\nsetup = [ { run = [\"npm\", \"ci\"] } ]\n")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := project.Setup, []agent.SetupCommand{{Run: []string{"npm", "ci"}, Timeout: 10 * time.Minute}}; !reflect.DeepEqual(got, want) {
		t.Errorf("set-up: got %+v, want %+v", got, want)
	}
	for _, c := range []struct{ text, key, want string }{
		{`root = "/elsewhere"`, "worktree.root", "only narrow"},
		{`branch = "x-{id}"`, "worktree.branch", "only narrow"},
		{`carry_uncommitted = true`, "worktree.carry_uncommitted", "only narrow"},
		{`carry_uncommitted = false`, "worktree.carry_uncommitted", "only narrow"},
		{`copy_ignored = []`, "worktree.copy_ignored", "only narrow"},
		{`spare = false`, "worktree.spare", "only narrow"},
		{`quota = "1B"`, "worktree.quota", "only narrow"},
		{`setup = [ { run = [] } ]`, "worktree.setup", "command 1 names no program"},
	} {
		t.Run(c.text, func(t *testing.T) {
			_, err := read(t, "[worktree]\n"+c.text+"\n")
			checkRefused(t, err, 2, c.key, c.want)
		})
	}
}
