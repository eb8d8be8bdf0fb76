package worktree

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestDiffListsEveryKindOfChange(t *testing.T) {
	skipOnWindows(t)
	l := newLab(t)
	r := l.open(l.repo)
	id := l.create(r, "s1")
	l.write(id.Path, "a.txt", strings.Replace(lines("a", 20), "a 2\n", "a two\n", 1))
	noError(t, os.Remove(filepath.Join(id.Path, "b.txt")))
	noError(t, os.Symlink("a.txt", filepath.Join(id.Path, "b.txt")))
	l.run(id.Path, "mv", "dir/c.txt", "dir/d.txt")
	l.write(id.Path, "new\ndiff --git a/x b/x\n@@ -1 +1 @@", "new\n")
	l.write(id.Path, "picture", "\x00\x01")
	noError(t, os.Chmod(filepath.Join(id.Path, ".gitignore"), 0o755))
	point := l.checkpoint(r, id, 1, id.BaseCommit)

	files, err := r.Diff(t.Context(), id.BaseCommit, point.Commit, "")
	noError(t, err)
	check(t, "files", withoutIDs(files), []FileDiff{
		{Path: ".gitignore", Status: "M"},
		{Path: "a.txt", Status: "M", Insertions: 1, Deletions: 1, Hunks: []Hunk{
			{Header: "@@ -1,5 +1,5 @@", Text: " a 1\n-a 2\n+a two\n a 3\n a 4\n a 5\n"},
		}},
		{Path: "b.txt", Status: "T", Insertions: 1, Deletions: 20, Hunks: []Hunk{
			{Header: "@@ -1,20 +0,0 @@", Text: "-" + strings.TrimSuffix(strings.ReplaceAll(lines("b", 20), "\n", "\n-"), "-")},
			{Header: "@@ -0,0 +1 @@", Text: "+a.txt\n\\ No newline at end of file\n"},
		}},
		{Path: "dir/d.txt", OldPath: "dir/c.txt", Status: "R"},
		{Path: "new\ndiff --git a/x b/x\n@@ -1 +1 @@", Status: "A", Insertions: 1, Hunks: []Hunk{{Header: "@@ -0,0 +1 @@", Text: "+new\n"}}},
		{Path: "picture", Status: "A", Binary: true},
	})
	for path, want := range map[string][]string{
		"dir":       {"dir/d.txt"},
		"dir/":      {"dir/d.txt"},
		"dir/c.txt": {"dir/d.txt"},
		"a.txt":     {"a.txt"},
		"b.txt":     {"b.txt"},
		"a":         nil,
		"*.txt":     nil,
	} {
		files, err := r.Diff(t.Context(), id.BaseCommit, point.Tree, path)
		noError(t, err)
		var got []string
		for _, file := range files {
			got = append(got, file.Path)
		}
		check(t, "files of "+path, got, want)
	}
}

func withoutIDs(files []FileDiff) []FileDiff {
	for i := range files {
		for j := range files[i].Hunks {
			files[i].Hunks[j].ID = ""
		}
	}
	return files
}

func TestDiffNamesHunksByContent(t *testing.T) {
	l := newLab(t)
	const block = "k\nl\nm\nold\nn\no\np\n"
	text := lines("top", 9) + block + lines("middle", 9) + block + lines("end", 9)
	l.write(l.repo, "a.txt", text)
	l.commit("twice the same block")
	r := l.open(l.repo)
	id := l.create(r, "s1")
	edited := strings.ReplaceAll(text, "old\n", "new\n")
	l.write(id.Path, "a.txt", edited)
	first, err := r.Diff(t.Context(), id.BaseCommit, l.checkpoint(r, id, 1, id.BaseCommit).Commit, "a.txt")
	noError(t, err)
	l.write(id.Path, "a.txt", "added\n"+edited)
	second, err := r.Diff(t.Context(), id.BaseCommit, l.checkpoint(r, id, 2, id.BaseCommit).Commit, "a.txt")
	noError(t, err)

	before, after := first[0].Hunks, second[0].Hunks
	if len(before) != 2 || len(after) != 3 {
		t.Fatalf("got %d and %d hunks, want 2 and 3", len(before), len(after))
	}
	if before[0].ID == before[1].ID || len(before[0].ID) != 12 {
		t.Errorf("ids of equal hunks: got %q and %q, want two of 12 digits", before[0].ID, before[1].ID)
	}
	check(t, "ids after an edit above", [2]string{after[1].ID, after[2].ID}, [2]string{before[0].ID, before[1].ID})
}

func TestDiffOfUnknownRevisions(t *testing.T) {
	l := newLab(t)
	r := l.open(l.repo)
	for _, c := range [][2]string{{"nowhere", "HEAD"}, {"HEAD", strings.Repeat("1", 40)}, {"--output=x", "HEAD"}, {"", "HEAD"}} {
		if got, err := r.Diff(t.Context(), c[0], c[1], ""); err == nil {
			t.Errorf("diff %q: got %v, want an error", c, got)
		}
	}
	got, err := r.Diff(t.Context(), "HEAD", "main", "")
	noError(t, err)
	check(t, "diff of the same", got, nil)
}

func FuzzParseChanges(f *testing.F) {
	f.Add(":100644 120000 de98 63d8 T\x00a\x00:100644 100644 587b 587b R100\x00d/x\x00d/y\x001\t3\ta\x000\t0\t\x00d/x\x00d/y\x00")
	f.Add(":000000 160000 0 1 A\x00n\x00-\t-\tn\x00")
	f.Add(":")
	f.Fuzz(func(t *testing.T, out string) {
		changes, err := parseChanges(out)
		if err == nil && len(changes) == 0 && out != "" {
			t.Errorf("%q was read as nothing", out)
		}
		for _, c := range changes {
			if c.Status == "" || c.Insertions < 0 && !strings.Contains(out, "-") {
				t.Errorf("%q gave %+v", out, c)
			}
		}
	})
}

func FuzzParsePatch(f *testing.F) {
	f.Add("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@ f\n-x\n+y\n\\ No newline at end of file\n")
	f.Add("@@ -1 +1 @@\n+lost\ndiff --git\n+not in a hunk\n")
	f.Fuzz(func(t *testing.T, patch string) {
		for _, section := range splitPatch(patch) {
			for _, hunk := range section {
				if !strings.Contains(patch, hunk.Header+"\n"+hunk.Text) && !strings.HasSuffix(patch, hunk.Header) {
					t.Errorf("%q gave a hunk that is not in it: %+v", patch, hunk)
				}
			}
		}
	})
}

func FuzzParseConflicts(f *testing.F) {
	f.Add("tree\x00100644 1 2\ta\x00100644 2 3\ta\x00\x001\x00a\x00CONFLICT (contents)\x00CONFLICT (contents): Merge conflict in a\n\x00")
	f.Add("tree\x00\x0099999999\x00")
	f.Fuzz(func(t *testing.T, out string) {
		_, conflicts, err := parseConflicts(out)
		if err == nil && len(conflicts) == 0 {
			t.Errorf("%q was read as no conflict", out)
		}
	})
}
