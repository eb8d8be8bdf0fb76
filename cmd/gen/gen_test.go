package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const root = "../.."

// TestPagesAreCurrent is what -check does in CI.
func TestPagesAreCurrent(t *testing.T) {
	if err := run(&bytes.Buffer{}, root, true); err != nil {
		t.Error(err)
	}
}

// TestCheckNoticesAChange: a page that differs is named, and left as it is until it is made anew.
func TestCheckNoticesAChange(t *testing.T) {
	dir := t.TempDir()
	made := page{"page.md", func(string) ([]byte, error) { return []byte("new\n"), nil }}
	file := filepath.Join(dir, made.path)
	if err := os.WriteFile(file, []byte("old\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	err := made.update(&bytes.Buffer{}, dir, true)
	if err == nil || !strings.Contains(err.Error(), "page.md") {
		t.Errorf("check of a changed page: got %v, want an error that names it", err)
	}
	check(t, "page after the check", read(t, file), "old\n")
	if err := made.update(&bytes.Buffer{}, dir, false); err != nil {
		t.Fatal(err)
	}
	check(t, "page after making it", read(t, file), "new\n")
	if err := made.update(&bytes.Buffer{}, dir, true); err != nil {
		t.Errorf("check of a current page: %v", err)
	}
}

// TestSourceBecomesAPage follows a small package through the parts of a page.
func TestSourceBecomesAPage(t *testing.T) {
	for _, c := range []struct {
		name, text, want string
	}{
		{"fields", "// Thing is one.\ntype Thing struct {\n\t// Name is what it is called.\n\tName string `json:\"name\"`\n\t// Parts are its parts.\n\tParts []Part `json:\"parts,omitempty\"`\n}\n// Part is a part.\ntype Part struct {\n\t// N counts.\n\tN *int `json:\"n,omitzero\"`\n}\n",
			"### Thing\n\nOne.\n\n| field | type | | what it says |\n|---|---|---|---|\n| `name` | string | required | What it is called. |\n| `parts` | array of [Part](#part) | optional | Its parts. |\n\n### Part\n\nA part.\n\n| field | type | | what it says |\n|---|---|---|---|\n| `n` | integer | optional | Counts. |\n"},
		{"embedded", "// Thing is one.\ntype Thing struct {\n\tPart `json:\",inline\"`\n}\n// Part is a part.\ntype Part struct {\n\t// N counts.\n\tN int `json:\"n\"`\n}\n",
			"### Thing\n\nOne.\n\n| field | type | | what it says |\n|---|---|---|---|\n| `n` | integer | required | Counts. |\n"},
		{"field without a comment", "// Thing is one.\ntype Thing struct {\n\tA string `json:\"a\"`\n\t// B is said.\n\tB string `json:\"b\"`\n}\n", "error: no comment on Thing.a"},
		{"type without a comment", "type Thing struct{}\n", "error: no comment on Thing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n"+c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			check(t, "page", thingPage(t, dir), c.want)
		})
	}
}

func thingPage(t *testing.T, dir string) string {
	t.Helper()
	src, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriter(src)
	w.section("###", "Thing")
	w.rest("###")
	out, err := w.bytes()
	if err != nil {
		return "error: " + err.Error()
	}
	return string(out)
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func check(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s\n got %q\nwant %q", what, got, want)
	}
}
