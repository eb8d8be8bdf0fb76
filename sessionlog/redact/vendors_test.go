package redact

import (
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tokensOf makes tokens of a rule at random: each of its anchors with a run that is as long as it has to be, or longer.
func tokensOf(random *rand.Rand, r rule) []string {
	var list []string
	for _, anchor := range r.anchors {
		var bytes []byte
		for b := range 128 {
			if r.run.has(byte(b)) {
				bytes = append(bytes, byte(b))
			}
		}
		run := make([]byte, r.least+random.IntN(8))
		for i := range run {
			run[i] = bytes[random.IntN(len(bytes))]
		}
		if r.digit {
			run[random.IntN(min(len(run), digitWithin))] = '7'
		}
		list = append(list, anchor+string(run))
	}
	return list
}

// TestVendorsTokensAreHidden holds the shapes of the second version to what they are for: of tokens made at random, 97 of 100 are hidden in every place where people put them.
func TestVendorsTokensAreHidden(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shapes := 0
	for _, r := range rules {
		shapes += len(r.anchors)
	}
	if shapes < 200 {
		t.Errorf("got %d shapes, want 200 or more", shapes)
	}
	red := New()
	all, missed := 0, map[string]int{}
	for range 20 {
		for _, r := range slices.Concat(vendors, more) {
			for _, token := range tokensOf(random, r) {
				for _, text := range []string{token, "export KEY=" + token + "\n", `{"key":"` + token + `"}`, "Authorization: token " + token + "\r\n", "use " + token + " here"} {
					all++
					got, _ := red.String(text)
					if strings.Contains(got, token) {
						missed[r.name]++
					}
					if again, _ := red.String(got); again != got {
						t.Fatalf("%s: %q becomes %q the second time", r.name, got, again)
					}
				}
			}
		}
	}
	total := 0
	for _, n := range missed {
		total += n
	}
	if total*100 > all*3 {
		t.Errorf("%d of %d tokens are shown: %v", total, all, missed)
	}
	t.Logf("%d of %d tokens of %d shapes are hidden; shown: %v", all-total, all, shapes, missed)
}

// TestSourceHasFewFalsePositives reads the source of the standard library, in which no key is real: at most one placeholder in ten megabytes.
func TestSourceHasFewFalsePositives(t *testing.T) {
	root := filepath.Join(goRoot(t), "src")
	if _, err := os.Stat(root); err != nil {
		t.Skip("the standard library's source is not here")
	}
	red := New()
	size, found := 0, map[string]int{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		size += len(text)
		_, counts := red.String(string(text))
		for _, c := range counts {
			found[c.Class] += c.N
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, n := range found {
		total += n
	}
	t.Logf("%d placeholders in %d MB: %v", total, size>>20, found)
	if total*10 > size>>20+9 {
		t.Errorf("%d placeholders in %d MB, want one in ten at most: %v", total, size>>20, found)
	}
}
