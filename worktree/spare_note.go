package worktree

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json"
)

// spareNote says what a whole spare holds.
type spareNote struct {
	// Commit is what is checked out.
	Commit string `json:"commit"`
	// Settings stands for everything outside of the commit that decides what git writes into files.
	Settings string `json:"settings"`
}

// spareNoteName is the file's name in the spare's administrative folder.
const spareNoteName = "nodwyn-spare"

func readSpareNote(admin string) (note spareNote, err error) {
	text, err := os.ReadFile(filepath.Join(admin, spareNoteName))
	if err == nil {
		err = json.Unmarshal(text, &note)
	}
	return note, err
}

// write puts the note into place in one step.
func (n spareNote) write(admin string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return fmt.Errorf("note the spare: %w", err)
	}
	name := filepath.Join(admin, spareNoteName)
	if err = os.WriteFile(name+".new", text, 0o600); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return fmt.Errorf("note the spare: %w", err)
	}
	return nil
}

// checkoutSettings sums up what else decides how git writes files: the version, the configuration, and the attributes and the sparse patterns that lie outside of commits. What a filter makes of the same content at another time is not seen.
func (r *Repository) checkoutSettings(ctx context.Context) (string, error) {
	out, err := r.ask(ctx, r.mainPlace(), "config", "--list", "--includes", "-z")
	if err != nil {
		return "", fmt.Errorf("read the configuration: %w", err)
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%s\x00", r.version)
	files := []string{filepath.Join(r.common, "info", "attributes"), filepath.Join(r.common, "info", "sparse-checkout"), "/etc/gitattributes"}
	attributes := userAttributes()
	for in := (&fields{out}); in.rest != ""; {
		line := in.next()
		key, value, _ := strings.Cut(line, "\n")
		switch section, _, _ := strings.Cut(key, "."); section {
		case "core", "filter", "lfs", "extensions", "feature":
			fmt.Fprintf(sum, "%s\x00", line)
		}
		if key == "core.attributesfile" {
			attributes = expand(value)
		}
	}
	for _, name := range append(files, attributes) {
		if err := sumFile(sum, name); err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// userAttributes is where git looks when no setting names a file.
func userAttributes() string {
	if folder := os.Getenv("XDG_CONFIG_HOME"); folder != "" {
		return filepath.Join(folder, "git", "attributes")
	}
	return expand("~/.config/git/attributes")
}

// expand reads a path as git's configuration writes it, as far as attributes are likely to be named so.
func expand(name string) string {
	if below, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, filepath.FromSlash(below))
		}
	}
	return name
}

func sumFile(sum hash.Hash, name string) error {
	text, err := os.ReadFile(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
		return fmt.Errorf("read the attributes: %w", err)
	}
	fmt.Fprintf(sum, "%d\x00", len(text))
	sum.Write(text)
	return nil
}
