package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// nvimPatience bounds one file of cases. Each takes seconds; a Neovim that waits for a key would wait for ever.
const nvimPatience = 3 * time.Minute

// TestNeovim runs the plugin's cases in a real Neovim against the real server. Each file of editors/nvim/tests is a subtest, and each case of it is one below.
func TestNeovim(t *testing.T) {
	t.Parallel()
	nvim := findNvim(t)
	files, err := filepath.Glob(filepath.Join("..", "..", "editors", "nvim", "tests", "*_test.lua"))
	if err != nil || len(files) == 0 {
		t.Fatalf("list the cases: got %d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), "_test.lua"), func(t *testing.T) {
			t.Parallel()
			runNvim(t, nvim, file)
		})
	}
}

// nvimCase is what the runner says of one case.
type nvimCase struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok"`
	Problem string `json:"problem"`
}

// runNvim runs one file. The runner's exit code is checked too: an error outside every case is on stderr alone.
func runNvim(t *testing.T, nvim, file string) {
	ctx, stop := context.WithTimeout(t.Context(), nvimPatience)
	defer stop()
	cmd := exec.CommandContext(ctx, nvim, "-l", filepath.Join(filepath.Dir(file), "run.lua"), file)
	server, err := exec.LookPath("nodwyn")
	if err != nil {
		t.Fatal(err)
	}
	// The cases put their worlds where Neovim puts temporary files.
	cmd.Env = append(os.Environ(), "NODWYN="+server, "TMPDIR="+t.TempDir(), "HOME="+t.TempDir())
	cmd.WaitDelay = patience
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	exit := cmd.Run()
	cases, err := nvimCases(&stdout)
	if err != nil {
		t.Errorf("read what the runner says: %v", err)
	}
	passed := len(cases) > 0
	for _, c := range cases {
		passed = passed && c.OK
		t.Run(c.Name, func(t *testing.T) {
			if !c.OK {
				t.Error(c.Problem)
			}
		})
	}
	if (exit == nil) != passed || !passed && len(cases) == 0 {
		t.Errorf("%d cases, exit %v; stderr: %s", len(cases), exit, stderr.String())
	}
}

func nvimCases(out *bytes.Buffer) ([]nvimCase, error) {
	var cases []nvimCase
	for dec := jsontext.NewDecoder(out); dec.PeekKind() > 0; {
		var c nvimCase
		if err := json.UnmarshalDecode(dec, &c); err != nil {
			return cases, fmt.Errorf("case %d: %w", len(cases)+1, err)
		}
		cases = append(cases, c)
	}
	return cases, nil
}

// findNvim returns the Neovim to test with: the one that is named, else the one that get-nvim.sh unpacked.
func findNvim(t *testing.T) string {
	t.Helper()
	if named := os.Getenv("NODWYN_NVIM"); named != "" {
		return named
	}
	cache := cmp.Or(os.Getenv("XDG_CACHE_HOME"), filepath.Join(os.Getenv("HOME"), ".cache"))
	found, err := exec.LookPath(filepath.Join(cache, "nodwyn-test", "nvim-forky", "usr", "bin", "nvim"))
	if err == nil {
		return found
	}
	const advice = "no Neovim to test with: run editors/nvim/get-nvim.sh, or set NODWYN_NVIM to one"
	if os.Getenv("NODWYN_EDITORS") != "" {
		t.Fatal(advice)
	}
	t.Skip(advice)
	return ""
}
