package main_test

import (
	"fmt"
	"go/ast"
	"os"
	"slices"
	"strings"
	"testing"
)

// layers is the package table of ARCHITECTURE.md: what each package may import of ours. An arrow that is not here does not exist; adding one is a line of this map that a reviewer sees.
func layers() map[string][]string {
	return map[string][]string{
		"cmd/nodwyn":                   {anything},
		"cmd/bench":                    {anything},
		"cmd/gen":                      {"rpc/protocol", "sessionlog/event"},
		"rpc":                          {"agent", "index", "rpc/protocol", "sessionlog/event", "sessionlog/view"},
		"rpc/protocol":                 {},
		"agent":                        {"agent/cred", "agent/guard", "agent/provider", "agent/provider/anthropic", "agent/provider/ollama", "agent/provider/openai", "agent/provider/script", "agent/tool", "index", "sessionlog", "sessionlog/event", "sessionlog/redact", "sessionlog/view", "worktree"},
		"agent/cred":                   {"agent/guard"},
		"agent/tool":                   {"agent/guard", "index"},
		"agent/guard":                  {"agent/guard/internal/effect", "agent/guard/internal/sandbox", "agent/guard/plain", "sessionlog/event"},
		"agent/guard/plain":            {},
		"agent/guard/internal/effect":  {},
		"agent/guard/internal/sandbox": {},
		"agent/provider":               {"sessionlog/event", "sessionlog/view"},
		"agent/provider/anthropic":     {"agent/provider", "sessionlog/event", "sessionlog/view"},
		"agent/provider/ollama":        {"agent/provider", "sessionlog/event", "sessionlog/view"},
		"agent/provider/openai":        {"agent/provider", "sessionlog/event", "sessionlog/view"},
		"agent/provider/script":        {"agent/provider", "sessionlog/event", "sessionlog/view"},
		"worktree":                     {},
		"index":                        {},
		"sessionlog":                   {"sessionlog/event", "sessionlog/redact"},
		"sessionlog/view":              {"sessionlog/event"},
		"sessionlog/event":             {},
		"sessionlog/redact":            {},
	}
}

// anything marks the programs, which wire the packages together; they may still not import each other.
const anything = "*"

// holders lists who may import a package that reaches the world. A trailing /... covers what lies below.
func holders() map[string][]string {
	const effect, sandbox = "agent/guard/internal/effect", "agent/guard/internal/sandbox"
	return map[string][]string{
		// The benchmark measures the program from outside, as an editor would start it.
		"os/exec":                        {effect, "cmd/bench"},
		"net":                            {effect},
		"os":                             {effect, sandbox, "cmd/...", "sessionlog", "worktree", "index"},
		"os/signal":                      {effect, "cmd/..."},
		"os/user":                        {"cmd/..."},
		"syscall":                        {effect, "cmd/...", "sessionlog"},
		"golang.org/x/sys/...":           {effect, sandbox, "cmd/...", "sessionlog", "worktree"},
		"github.com/go-git/go-git/...":   {"worktree"},
		"github.com/go-git/go-billy/...": {"worktree"},
		"github.com/zalando/go-keyring":  {"agent/cred"},
		"github.com/godbus/dbus/...":     {"agent/cred"},
		"log":                            {"cmd/..."},
	}
}

// sideDoors are members of packages that anyone may import which reach the world all the same, each with the package whose holders may use it.
func sideDoors() map[string]string {
	const disk, network = "os", "net"
	return map[string]string{
		"path/filepath.Abs": disk, "path/filepath.EvalSymlinks": disk, "path/filepath.Glob": disk, "path/filepath.Walk": disk, "path/filepath.WalkDir": disk,
		"net/http.Get": network, "net/http.Head": network, "net/http.Post": network, "net/http.PostForm": network,
		"net/http.DefaultClient": network, "net/http.DefaultTransport": network, "net/http.ListenAndServe": network,
		"crypto/tls.Dial": network, "crypto/tls.DialWithDialer": network,
	}
}

func TestLayering(t *testing.T) {
	all := sources(t)
	seen := map[string]bool{}
	for _, s := range all {
		seen[s.pkg] = true
		report(t, arrows(layers(), s))
		report(t, bans(s))
		report(t, printing(s))
	}
	for pkg := range layers() {
		if !seen[pkg] {
			t.Errorf("package %s: it has a row in the table and no files: take the row out with the package", pkg)
		}
	}
}

func TestTopLevelFolders(t *testing.T) {
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	report(t, folders(names))
}

// TestLayeringRulesCanFail shows each rule a sample that breaks it and one that does not: a rule that never fires would pass every tree.
func TestLayeringRulesCanFail(t *testing.T) {
	ownArrows := func(s source) []string { return arrows(layers(), s) }
	for _, c := range []struct {
		name, pkg, file, text string
		rule                  func(source) []string
		want                  int
	}{
		{"arrow that points up", "sessionlog", "a.go", `import _ "` + module + `agent"`, ownArrows, 1},
		{"arrow to an unlisted neighbour", "worktree", "a.go", `import _ "` + module + `index"`, ownArrows, 1},
		{"package without a row", "helpers", "a.go", ``, ownArrows, 1},
		{"program that imports a program", "cmd/bench", "a.go", `import _ "` + module + `cmd/gen"`, ownArrows, 1},
		{"arrow in the table", "sessionlog/view", "a.go", `import _ "` + module + `sessionlog/event"`, ownArrows, 0},
		{"program that imports a package", "cmd/nodwyn", "a.go", `import _ "` + module + `rpc"`, ownArrows, 0},
		{"test that imports what it needs", "sessionlog", "a_test.go", `import _ "` + module + `agent"`, ownArrows, 0},

		{"os/exec outside effect", "worktree", "a.go", `import "os/exec"; var _ exec.Cmd`, bans, 1},
		{"net outside effect", "agent/provider", "a.go", `import _ "net"`, bans, 1},
		{"os outside its holders", "agent/guard", "a.go", `import "os"; var _ os.File`, bans, 1},
		{"system calls in a tool", "agent/tool", "a.go", `import _ "golang.org/x/sys/unix"`, bans, 1},
		{"dot import", "sessionlog", "a.go", `import . "os"`, bans, 1},
		{"client that is not the guard's", "agent/provider/openai", "a.go", `import "net/http"; var _ = http.DefaultClient`, bans, 1},
		{"dialling by a side door where os is allowed", "sessionlog", "a.go", `import "net/http"; var _ = http.Get`, bans, 1},
		{"walk of the disk behind the guard", "agent/guard", "a.go", `import fp "path/filepath"; var _ = fp.WalkDir`, bans, 1},
		{"os/exec in effect", "agent/guard/internal/effect", "a.go", `import "os/exec"; var _ exec.Cmd`, bans, 0},
		{"os in a holder", "sessionlog", "a.go", `import "os"; var _ os.File`, bans, 0},
		{"os below a holder that does not share", "sessionlog/view", "a.go", `import "os"; var _ os.File`, bans, 1},
		{"net/http with a client passed in", "agent/provider/openai", "a.go", `import "net/http"; var _ http.Client`, bans, 0},
		{"os/exec in a test", "worktree", "a_test.go", `import "os/exec"; var _ exec.Cmd`, bans, 0},

		{"fmt.Println in a package", "rpc", "a.go", `import "fmt"; func f() { fmt.Println() }`, printing, 1},
		{"fmt.Printf under another name", "rpc", "a.go", `import out "fmt"; func f() { out.Printf("") }`, printing, 1},
		{"os.Stdout passed on", "sessionlog", "a.go", `import "os"; var _ = os.Stdout`, printing, 1},
		{"the builtin println", "rpc", "a.go", `func f() { println() }`, printing, 1},
		{"a method that is called Println", "rpc", "a.go", `type w struct{}; func (w) Println() {}; func f() { var fmt w; fmt.Println() }`, printing, 0},
		{"fmt.Sprint", "rpc", "a.go", `import "fmt"; var _ = fmt.Sprint()`, printing, 0},
		{"printing in a program", "cmd/nodwyn", "a.go", `import "fmt"; func f() { fmt.Println() }`, printing, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := parse(t, c.pkg, c.file, []byte("package p\n"+c.text))
			if got := c.rule(s); len(got) != c.want {
				t.Errorf("findings: got %q, want %d", got, c.want)
			}
		})
	}
}

func TestFolderRuleCanFail(t *testing.T) {
	good := append(topLevel(), ".git", "bin")
	if got := folders(good); got != nil {
		t.Errorf("findings in a good tree: got %q, want none", got)
	}
	if got := folders(append(good, "util")); len(got) != 1 {
		t.Errorf("findings with a folder too many: got %q, want 1", got)
	}
	if got := folders(topLevel()[1:]); len(got) != 1 {
		t.Errorf("findings with a folder missing: got %q, want 1", got)
	}
}

// arrows finds imports of ours that the table does not allow. Tests may import what they need.
func arrows(table map[string][]string, s source) []string {
	may, ok := table[s.pkg]
	if !ok {
		return []string{fmt.Sprintf("%s: package %s has no row in the table of layering_test.go", s.path, s.pkg)}
	}
	if s.test {
		return nil
	}
	var found []string
	for path := range s.imports() {
		target, ours := strings.CutPrefix(path, module)
		wired := slices.Contains(may, anything) && !strings.HasPrefix(target, "cmd/")
		if ours && !wired && !slices.Contains(may, target) {
			found = append(found, fmt.Sprintf("%s: %s may not import %s", s.path, s.pkg, target))
		}
	}
	return found
}

// bans finds ways to the world that are not the guard's.
func bans(s source) []string {
	if s.test {
		return nil
	}
	var found []string
	for path, name := range s.imports() {
		if name == "." {
			found = append(found, fmt.Sprintf("%s: a dot import of %q hides where names come from", s.path, path))
		}
		for banned, who := range holders() {
			if covers(banned, path) && !coversAny(who, s.pkg) {
				found = append(found, fmt.Sprintf("%s: %s may not import %q", s.path, s.pkg, path))
			}
		}
	}
	s.mentions(func(member string, n ast.Node) {
		if like, ok := sideDoors()[member]; ok && !coversAny(holders()[like], s.pkg) {
			found = append(found, fmt.Sprintf("%s: %s may not use %s, which is %s by a side door", s.at(n), s.pkg, member, like))
		}
	})
	return found
}

// printing finds writes to stdout outside the programs: stdout is the wire, and one stray byte ends a connection.
func printing(s source) []string {
	if s.test || strings.HasPrefix(s.pkg, "cmd/") {
		return nil
	}
	var found []string
	s.mentions(func(member string, n ast.Node) {
		switch member {
		case "os.Stdout", "fmt.Print", "fmt.Printf", "fmt.Println":
			found = append(found, fmt.Sprintf("%s: %s: stdout is the wire", s.at(n), member))
		}
	})
	ast.Inspect(s.syntax, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if f, ok := call.Fun.(*ast.Ident); ok && f.Obj == nil && (f.Name == "print" || f.Name == "println") {
			found = append(found, fmt.Sprintf("%s: the builtin %s", s.at(n), f.Name))
		}
		return true
	})
	return found
}

// topLevel lists the folders of the repository's root.
func topLevel() []string {
	return []string{".ci", "adr", "agent", "cmd", "editors", "index", "rpc", "sessionlog", "worktree"}
}

// folders compares the root's folders with the list, apart from git's own and the two that the Makefile makes.
func folders(names []string) []string {
	var found []string
	for _, name := range names {
		if !slices.Contains(append(topLevel(), ".git", "bin", "dist"), name) {
			found = append(found, fmt.Sprintf("folder %s: not in the list of layering_test.go", name))
		}
	}
	for _, name := range topLevel() {
		if !slices.Contains(names, name) {
			found = append(found, fmt.Sprintf("folder %s: in the list and not in the tree", name))
		}
	}
	return found
}

func covers(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return pattern == path
}

func coversAny(patterns []string, path string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return covers(p, path) })
}
