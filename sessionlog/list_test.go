package sessionlog

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestListHoldsLogsAndNothingElse(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.jsonl", "a-b.jsonl", "B.jsonl", "a.torn-1", "a.jsonl.bak", ".jsonl"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o600))
		must(t, os.Chtimes(filepath.Join(dir, name), noon, noon))
	}
	must(t, os.Mkdir(filepath.Join(dir, "folder.jsonl"), 0o700))
	got, err := List(dir)
	must(t, err)
	for i := range got {
		got[i].ModTime = got[i].ModTime.UTC()
	}
	check(t, "logs", got, []Entry{
		{Session: "a", Path: filepath.Join(dir, "a.jsonl"), Size: 7, ModTime: noon},
		{Session: "a-b", Path: filepath.Join(dir, "a-b.jsonl"), Size: 9, ModTime: noon},
	})
}

func TestListOfNoFolderIsEmpty(t *testing.T) {
	got, err := List(filepath.Join(t.TempDir(), "none"))
	must(t, err)
	check(t, "logs", got, []Entry(nil))
}

func TestNewIDs(t *testing.T) {
	var ids []string
	for n := range 2000 {
		ids = append(ids, NewID(noon.Add(time.Duration(n)*time.Millisecond)), NewID(noon.In(time.FixedZone("west", -3600)).Add(time.Duration(n)*time.Millisecond)))
	}
	for i, id := range ids {
		check(t, "valid "+id, ValidID(id), true)
		check(t, "short "+id, len(id) <= 32, true)
		if i >= 2 && ids[i-2] >= id {
			t.Errorf("%s does not sort behind %s", id, ids[i-2])
		}
	}
	slices.Sort(ids)
	check(t, "unique", len(slices.Compact(ids)), 4000)
}

func TestValidID(t *testing.T) {
	tests := map[string]bool{
		"a": true, "0-z": true, strings.Repeat("a", 64): true,
		"": false, strings.Repeat("a", 65): false, "A": false, "a/b": false, "..": false, "a.b": false, "a b": false, "a\n": false, "ä": false,
	}
	for id, want := range tests {
		check(t, id, ValidID(id), want)
	}
}
