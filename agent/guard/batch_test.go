package guard

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
)

func paths(files []File) []string {
	var names []string
	for _, f := range files {
		names = append(names, f.Path)
	}
	return names
}

func TestFilesOutsideGit(t *testing.T) {
	b := setUp(t, map[string]string{"b.txt": "bb", "a/.gitignore": "*", "a/x": "", ".git2/y": ""})
	files, err := b.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkLines(t, paths(files), ".git2/y", "a/.gitignore", "a/x", "b.txt")
	check(t, files[3].Size, int64(2))
	check(t, files[3].Regular, true)
	checkLines(t, b.log())
}

func TestFilesInGit(t *testing.T) {
	b := setUp(t, map[string]string{".gitignore": "*.log\n", "x.log": "", "tracked": "", "deleted": "", "odd\nname ü": "", "data/d": ""}, func(c *Config) {
		c.Forbidden = []string{c.Root + "/data"}
	})
	for _, args := range []string{"init -q", "add tracked deleted", "rm -q -f deleted"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = b.root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v: %s", args, err, out)
		}
	}
	files, err := b.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkLines(t, paths(files), ".gitignore", "odd\nname ü", "tracked")
}

func TestReadBatch(t *testing.T) {
	b := setUp(t, map[string]string{"a": "A", "sub/b": "B", ".env": "E"}, func(c *Config) {
		c.Policy.Rules = []Rule{{Effect: Deny, Op: OpRead, Path: "**/.env"}}
	})
	var got []string
	err := b.ReadBatch(t.Context(), []string{"a", "sub/b", ".env", "none", "../a"}, func(path string, content []byte, err error) error {
		got = append(got, fmt.Sprintf("%s %q %v", path, content, err))
		return nil
	})
	check(t, err, nil)
	checkLines(t, got,
		`a "A" <nil>`, `sub/b "B" <nil>`,
		`.env "" not allowed to read ".env": the configuration denies read "**/.env"`,
		`none "" read "none": statat none: no such file or directory`,
		`../a "" not allowed to read "../a": it leads out of the session's tree, and only files inside it can be used`)
	checkLines(t, b.log(),
		"deny read .env: configured", "deny read ../a: escape",
		"allow read a: workspace", "allow read sub/b: workspace", "allow read none: workspace")
}

func TestReadBatchAsksNobody(t *testing.T) {
	b := setUp(t, map[string]string{"a": "A", "b": "B"}, func(c *Config) { c.Policy.Read = PolicyAsk })
	b.answer = says(AllowAlways)
	if _, err := b.ReadFile(t.Context(), "a", 9); err != nil {
		t.Fatal(err)
	}
	other := b.another(t)
	var got []string
	err := other.ReadBatch(t.Context(), []string{"a", "b"}, func(path string, _ []byte, err error) error {
		got = append(got, path+" "+rule(err))
		return nil
	})
	check(t, err, nil)
	checkLines(t, got, "a ", "b ask")
	check(t, b.prompts(), 1)
}

func TestReadBatchRecordsAreBounded(t *testing.T) {
	b := setUp(t, nil)
	var names []string
	for n := range 1234 {
		names = append(names, fmt.Sprintf("f%d", n))
	}
	names = append(names, "../last")
	count := 0
	err := b.ReadBatch(t.Context(), names, func(string, []byte, error) error {
		count++
		return nil
	})
	check(t, err, nil)
	check(t, count, 1235)
	log := b.log()
	check(t, len(log), 1001)
	check(t, log[0], "deny read ../last: escape")
	check(t, log[1000], "allow read .: workspace dropped 235")
}

func TestReadBatchStopsAtYieldsError(t *testing.T) {
	b := setUp(t, map[string]string{"a": "A", "b": "B"})
	count := 0
	err := b.ReadBatch(t.Context(), []string{"a", "b"}, func(string, []byte, error) error {
		count++
		return errBroken
	})
	check(t, err, errBroken)
	check(t, count, 1)
}
