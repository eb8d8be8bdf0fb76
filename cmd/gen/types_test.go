package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSourceBecomesTypes follows one struct into both languages of the editors.
func TestSourceBecomesTypes(t *testing.T) {
	for _, c := range []struct {
		name, text, lua, typescript string
	}{
		{"fields", "// Thing is one.\ntype Thing struct {\n\t// Name is what it is called.\n\tName string `json:\"name\"`\n\t// Counts are its counts.\n\tCounts []int64 `json:\"counts,omitempty\"`\n}\n",
			"--- One.\n---@class nodwyn.Thing\n---@field name string What it is called.\n---@field counts? integer[] Its counts.\n\n",
			"/** One. */\nexport interface Thing {\n  /** What it is called. */\n  name: string;\n  /** Its counts. */\n  counts?: number[];\n}\n\n"},
		{"null", "// Thing is one.\ntype Thing struct {\n\t// N may be null.\n\tN *int `json:\"n\"`\n\t// M may be absent.\n\tM *int `json:\"m,omitzero\"`\n}\n",
			"--- One.\n---@class nodwyn.Thing\n---@field n? integer May be null.\n---@field m? integer May be absent.\n\n",
			"/** One. */\nexport interface Thing {\n  /** May be null. */\n  n: number | null;\n  /** May be absent. */\n  m?: number;\n}\n\n"},
		{"other types", "// Thing is one.\ntype Thing struct {\n\t// W is a word.\n\tW Word `json:\"w\"`\n\t// P is a part.\n\tP []Part `json:\"p\"`\n\t// J is open.\n\tJ jsontext.Value `json:\"j\"`\n}\n// Part is a part.\ntype Part struct{}\n// Word is a word.\ntype Word string\n// A is the first.\nconst A Word = \"a\"\n",
			"--- One.\n---@class nodwyn.Thing\n---@field w nodwyn.Word A word.\n---@field p nodwyn.Part[] A part.\n---@field j any Open.\n\n",
			"/** One. */\nexport interface Thing {\n  /** A word. */\n  w: Word;\n  /** A part. */\n  p: Part[];\n  /** Open. */\n  j: unknown;\n}\n\n"},
		{"nothing", "// Thing is empty.\ntype Thing struct{}\n",
			"--- Empty.\n---@class nodwyn.Thing\n\n",
			"/** Empty. */\nexport type Thing = Record<string, never>;\n\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := thingWire(t, c.text)
			var lua, typescript strings.Builder
			w.luaClass(&lua, "Thing")
			w.typescriptInterface(&typescript, "Thing")
			check(t, "Lua", lua.String(), c.lua)
			check(t, "TypeScript", typescript.String(), c.typescript)
		})
	}
}

// TestWordsBecomeTypes: the words of a type are all there is to it, each with what it means.
func TestWordsBecomeTypes(t *testing.T) {
	w := thingWire(t, "// Thing is one.\ntype Thing struct {\n\t// W is a word.\n\tW Word `json:\"w\"`\n}\n// Word is a word.\ntype Word string\n// The words.\nconst (\n\t// A is the first.\n\tA Word = \"a\"\n\tB Word = \"b\"\n)\n")
	var lua, typescript strings.Builder
	w.luaWords(&lua, "Word")
	w.typescriptWords(&typescript, "Word")
	check(t, "Lua", lua.String(), "--- A word.\n---@alias nodwyn.Word\n---| \"a\" # The first.\n---| \"b\"\n\n")
	check(t, "TypeScript", typescript.String(), "/** A word. */\nexport type Word =\n  /** The first. */\n  | \"a\"\n  | \"b\";\n\n")
}

// TestEveryStructIsReached: a type that a message holds and the editors do not have would leave them guessing.
func TestEveryStructIsReached(t *testing.T) {
	w, err := loadWire(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range w.structs {
		for _, f := range w.src.all(name) {
			item := strings.TrimLeft(f.typ, "[]")
			if _, ours := w.src.structs[item]; ours && !slices.Contains(w.structs, item) {
				t.Errorf("%s.%s: the type %s was not reached", name, f.name, item)
			}
		}
	}
	if len(w.structs) == 0 || len(w.words) == 0 {
		t.Errorf("reached: got %d structs and %d words, want some of each", len(w.structs), len(w.words))
	}
}

func thingWire(t *testing.T, text string) *wire {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package a\n\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	src, err := load(dir)
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{src: src}
	w.mention("Thing")
	return w
}
