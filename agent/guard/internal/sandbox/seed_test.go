package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestCachesBeginWithDownloads looks at what a build finds, and that what it writes is its own.
func TestCachesBeginWithDownloads(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need rights there, and there is no sandbox")
	}
	dir := t.TempDir()
	home, folder := filepath.Join(dir, "home"), filepath.Join(dir, "caches")
	files := map[string]string{
		"home/.npm/_cacache/content-v2/a": "content", "home/.npm/_cacache/index-v5/b": "index", "home/.npm/_logs/l": "log",
		"home/.cargo/registry/cache/r/c.crate": "crate", "home/.cargo/registry/index/r/i": "entry", "home/.cargo/credentials.toml": "secret",
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 { // the second time, it is all there
		if _, err := Caches(&Layout{}, folder, home, nil); err != nil {
			t.Fatal(err)
		}
		for name, want := range map[string]string{
			"npm/_cacache/content-v2/a": "content", "npm/_cacache/index-v5/b": "index", "npm/_logs/l": "", "cargo/registry/cache/r/c.crate": "crate", "cargo/registry/index/r/i": "entry", "cargo/credentials.toml": "",
		} {
			got, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(name)))
			if string(got) != want || (err != nil) != (want == "") {
				t.Errorf("%s: got %q, %v, want %q", name, got, err, want)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(folder, "npm", "_cacache", "index-v5", "b"), []byte("other"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(filepath.Join(home, ".npm", "_cacache", "index-v5", "b")); string(got) != "index" || err != nil {
		t.Errorf("the person's own: got %q, %v, want it as it was", got, err)
	}
}
