//go:build unix

package guard

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// perilous is a tree in which each kind of way out is laid.
func perilous(t *testing.T) (b *bench, outside string) {
	t.Helper()
	base := t.TempDir()
	outside = filepath.Join(base, "tree-of-another")
	put(t, filepath.Join(outside, "secret"), "secret")
	b = setUp(t, map[string]string{"a.txt": "a", "dir/b.txt": "b", ".git/config": "c", "data/log": "d"}, func(c *Config) {
		c.Root = filepath.Join(base, "tree")
		c.Worktree, c.Forbidden = true, []string{filepath.Join(base, "tree", "data"), base}
	})
	if err := os.Rename(b.root, filepath.Join(base, "tree")); err != nil {
		t.Fatal(err)
	}
	b.root = filepath.Join(base, "tree")
	for name, target := range map[string]string{"out": outside, "rel": "../tree-of-another", "file": filepath.Join(outside, "secret"), "git": ".git", "in": "dir", "deep": "rel/secret"} {
		if err := os.Symlink(target, filepath.Join(b.root, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(filepath.Join(outside, "secret"), filepath.Join(b.root, "hard")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(b.root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	return b, outside
}

func TestWaysOutAreDenied(t *testing.T) {
	b, outside := perilous(t)
	b.answer = says(AllowOnce) // even a person's yes opens none of them
	for _, tc := range []struct {
		name, path  string
		read, write string // rules; "" for allowed
	}{
		{"inside", "a.txt", "", ""},
		{"absolute inside", filepath.Join(b.root, "dir/b.txt"), "", ""},
		{"link inside", "in/b.txt", "", ""},
		{"dots", "../tree-of-another/secret", "escape", "escape"},
		{"dots behind a folder", "dir/../../tree-of-another/secret", "escape", "escape"},
		{"absolute outside", filepath.Join(outside, "secret"), "escape", "escape"},
		{"absolute that begins alike", b.root + "-of-another/secret", "escape", "escape"},
		{"absolute with dots", b.root + "/../tree-of-another/secret", "escape", "escape"},
		{"absolute link", "out/secret", "escape", "escape"},
		{"relative link", "rel/new", "escape", "escape"},
		{"link to a file", "file", "escape", "escape"},
		{"link through a link", "deep", "escape", "escape"},
		{"empty", "", "escape", "escape"},
		{"NUL", "a.txt\x00b", "escape", "escape"},
		{"hard link", "hard", "", "hard-link"},
		{"FIFO", "fifo", "not-regular", "not-regular"},
		{"folder", "dir", "not-regular", "not-regular"},
		{"the tree", ".", "not-regular", "not-regular"},
		{"git", ".git/config", "", "protected"},
		{"git through a link", "git/config", "", "protected"},
		{"git not there yet", "dir/.GIT/hooks/post-commit", "not found", "protected"},
		{"forbidden", "data/log", "forbidden", "forbidden"},
		{"forbidden in another case", "DATA/log", "forbidden", "forbidden"},
		{"below a file", "a.txt/b", "not found", "not-a-folder"},
		{"name that is too long", strings.Repeat("x", 300), "system", "system"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := b.ReadFile(t.Context(), tc.path, 99)
			got := rule(err)
			if errors.Is(err, fs.ErrNotExist) {
				got = "not found"
			}
			check(t, got, tc.read)
			check(t, rule(write(b.Guard, t.Context(), tc.path, []byte("mine"))), tc.write)
		})
	}
	if got, err := os.ReadFile(filepath.Join(outside, "secret")); string(got) != "secret" {
		t.Errorf("the file outside holds %q (%v)", got, err)
	}
	check(t, b.content(t, ".git/config"), "c")
	check(t, b.content(t, "data/log"), "d")
}

func TestEscapeIsOnRecordAndExplained(t *testing.T) {
	b := setUp(t, nil)
	_, err := b.ReadFile(t.Context(), "../x", 9)
	checkLines(t, b.log(), "deny read ../x: escape")
	check(t, err.Error(), `not allowed to read "../x": it leads out of the session's tree, and only files inside it can be used; paths are relative to `+b.root)
	check(t, b.prompts(), 0)
}

func TestForbiddenFolderAroundAWorktreeSaysNothingAboutIt(t *testing.T) {
	b := setUp(t, map[string]string{"a.txt": "a"}, func(c *Config) { c.Worktree, c.Forbidden = true, []string{filepath.Dir(c.Root), c.Root} })
	_, err := b.ReadFile(t.Context(), "a.txt", 9)
	check(t, err, nil)
}

func TestForbiddenFolderByAnotherName(t *testing.T) {
	b := setUp(t, map[string]string{"real/a.txt": "a"})
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(b.root, "real"), link); err != nil {
		t.Fatal(err)
	}
	b.cfg.Forbidden = []string{link}
	_, err := b.another(t).ReadFile(t.Context(), "real/a.txt", 9)
	check(t, rule(err), "forbidden")
}

func TestStaleWriteIsRefused(t *testing.T) {
	for _, tc := range []struct{ name, path, theirs string }{
		{"replaced meanwhile", "a.txt", "theirs"},
		{"created meanwhile", "new.txt", "theirs"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, map[string]string{"a.txt": "old"})
			b.answer = func(context.Context, Prompt) (Answer, error) {
				put(t, filepath.Join(b.root, tc.path), tc.theirs)
				return Answer{Option: AllowOnce, Actor: "ann"}, nil
			}
			err := write(b.Guard, t.Context(), tc.path, []byte("mine"))
			check(t, rule(err), "stale")
			check(t, b.content(t, tc.path), tc.theirs)
		})
	}
}

// TestWriteRefusesWhatItsCallerHasNotSeen changes the file between the caller's read and its write, when nobody is asked.
func TestWriteRefusesWhatItsCallerHasNotSeen(t *testing.T) {
	for _, tc := range []struct {
		name, path string
		seen       Seen
		rule       string
		want       string
	}{
		{"as it was read", "a.txt", Seen{true, []byte("now")}, "", "mine"},
		{"changed", "a.txt", Seen{true, []byte("old")}, "stale", "now"},
		{"created", "a.txt", Seen{}, "stale", "now"},
		{"gone", "b.txt", Seen{true, []byte("old")}, "stale", "-"},
		{"gone, and empty before", "b.txt", Seen{Exists: true}, "stale", "-"},
		{"not there before, either", "b.txt", Seen{}, "", "mine"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			b := setUp(t, map[string]string{"a.txt": "now"}, func(c *Config) { c.Worktree, c.Policy.Write = true, PolicySessionWorktree })
			err := b.WriteFile(t.Context(), tc.path, tc.seen, []byte("mine"))
			check(t, rule(err), tc.rule)
			check(t, b.content(t, tc.path), tc.want)
			decision := "allow write " + tc.path + ": session-worktree"
			if tc.rule != "" {
				decision = "deny write " + tc.path + ": stale"
			}
			checkLines(t, b.log(), decision)
		})
	}
}

// TestReadOfNoFileIsOnRecordAsRefused covers what a read is allowed of by the policy but has no content.
func TestReadOfNoFileIsOnRecordAsRefused(t *testing.T) {
	b := setUp(t, map[string]string{"dir/b.txt": "b"})
	if err := syscall.Mkfifo(filepath.Join(b.root, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dir", "fifo", "."} {
		_, err := b.ReadFile(t.Context(), name, 9)
		check(t, rule(err), "not-regular")
		checkLines(t, b.log(), "deny read "+name+": not-regular")
	}
}

func TestLinkPutInPlaceWhileAskedIsNotFollowed(t *testing.T) {
	outside := t.TempDir()
	put(t, filepath.Join(outside, "b.txt"), "b")
	b := setUp(t, map[string]string{"dir/b.txt": "b"})
	b.answer = func(context.Context, Prompt) (Answer, error) {
		dir := filepath.Join(b.root, "dir")
		if err := errors.Join(os.Rename(dir, dir+"2"), os.Symlink(outside, dir)); err != nil {
			t.Error(err)
		}
		return Answer{Option: AllowOnce, Actor: "ann"}, nil
	}
	check(t, rule(write(b.Guard, t.Context(), "dir/b.txt", []byte("mine"))), "stale")
	check(t, b.content(t, "dir2/b.txt"), "b")
	got, err := os.ReadFile(filepath.Join(outside, "b.txt"))
	check(t, string(got), "b")
	check(t, err, nil)
}

func TestReadFileSaysWhatIsWrong(t *testing.T) {
	b := setUp(t, map[string]string{"a.txt": "12345"})
	_, err := b.ReadFile(t.Context(), "a.txt", 4)
	big, ok := errors.AsType[*TooLargeError](err)
	check(t, ok, true)
	check(t, *big, TooLargeError{Path: "a.txt", Limit: 4})
	_, err = b.ReadFile(t.Context(), "none.txt", 4)
	check(t, errors.Is(err, fs.ErrNotExist), true)
	got, err := b.ReadFile(t.Context(), "a.txt", 5)
	check(t, string(got), "12345")
	check(t, err, nil)
}

func TestMissingTreeIsAnError(t *testing.T) {
	b := setUp(t, nil, func(c *Config) { c.Root = filepath.Join(c.Root, "gone") })
	_, err := b.ReadFile(t.Context(), "a.txt", 4)
	if err == nil || !strings.Contains(err.Error(), "open tree") {
		t.Errorf("got error %v", err)
	}
}

func TestNewRefusesABadConfiguration(t *testing.T) {
	b := setUp(t, nil)
	for name, change := range map[string]func(*Config){
		"relative root":      func(c *Config) { c.Root = "tree" },
		"no asker":           func(c *Config) { c.Asker = nil },
		"no recorder":        func(c *Config) { c.Recorder = nil },
		"bad policy":         func(c *Config) { c.Policy.Write = "yes" },
		"relative forbidden": func(c *Config) { c.Forbidden = []string{"data"} },
	} {
		cfg := b.cfg
		change(&cfg)
		if _, err := New(cfg); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestPathOfTheCheckoutIsThatOfTheTree(t *testing.T) {
	checkout := t.TempDir()
	put(t, filepath.Join(checkout, "a.txt"), "the person's")
	put(t, filepath.Join(checkout, "only there"), "the person's")
	b := setUp(t, map[string]string{"a.txt": "ours", "dir/b.txt": "b"}, func(c *Config) { c.Worktree, c.Checkout = true, checkout })
	got, err := b.ReadFile(t.Context(), filepath.Join(checkout, "a.txt"), 9)
	check(t, err, nil)
	check(t, string(got), "ours")
	_, err = b.ReadFile(t.Context(), filepath.Join(checkout, "only there"), 9)
	check(t, errors.Is(err, fs.ErrNotExist), true)
	_, err = b.ReadFile(t.Context(), checkout+"-other/a.txt", 9)
	check(t, rule(err), "escape")
	_, err = b.ReadFile(t.Context(), filepath.Join(checkout, "..", "a.txt"), 9)
	check(t, rule(err), "escape")
	b.answer = func(context.Context, Prompt) (Answer, error) { return Answer{Option: AllowOnce, Actor: "ann"}, nil }
	check(t, write(b.Guard, t.Context(), filepath.Join(checkout, "new.txt"), []byte("new")), nil)
	check(t, b.content(t, "new.txt"), "new")
	if _, err := os.Lstat(filepath.Join(checkout, "new.txt")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the checkout got a file (%v)", err)
	}
}
