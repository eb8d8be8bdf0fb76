package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestProbeSaysWhatIsMissing finds a machine without bwrap, and one on which it is there and fails.
func TestProbeSaysWhatIsMissing(t *testing.T) {
	want := None
	if landlockVersion() >= leastLandlock {
		want = Kernel
	}
	there := t.TempDir()
	if err := os.WriteFile(filepath.Join(there, "bwrap"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	broken := func(_ context.Context, argv ...string) (string, error) {
		if argv[1] == "--version" {
			return "bubblewrap 0.0\n", nil
		}
		return "no way\n", errors.New("exit code 1")
	}
	for _, c := range []struct {
		name, path string
		note       string
	}{
		{"no bwrap", t.TempDir(), "install the package bubblewrap"},
		{"a folder that is not absolute", ".", "install the package bubblewrap"},
		{"a bwrap that fails", there, "bubblewrap 0.0 is there and does not work here: exit code 1: no way"},
	} {
		f := Probe(t.Context(), c.path, broken)
		if f.Box.Backend != want || !strings.Contains(strings.Join(f.Notes, "\n"), c.note) {
			t.Errorf("%s: got %s and %q, want %s and %q", c.name, f.Box.Backend, f.Notes, want, c.note)
		}
	}
}
