//go:build unix

package effect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// world makes a tree and something beside it.
//
//	tree/a.txt  tree/dir/b.txt  outside/secret
func world(t *testing.T) (tree *Tree, dir, outside string) {
	t.Helper()
	base := t.TempDir()
	dir, outside = filepath.Join(base, "tree"), filepath.Join(base, "outside")
	for name, content := range map[string]string{"tree/a.txt": "a\n", "tree/dir/b.txt": "b\n", "outside/secret": "secret\n"} {
		name = filepath.Join(base, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := OpenTree(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() })
	return tree, dir, outside
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

func TestResolve(t *testing.T) {
	tree, dir, outside := world(t)
	link(t, "dir", filepath.Join(dir, "in"))
	link(t, "../a.txt", filepath.Join(dir, "dir", "up"))
	link(t, filepath.Join(dir, "dir"), filepath.Join(dir, "abs"))
	link(t, "../outside", filepath.Join(dir, "out"))
	link(t, outside, filepath.Join(dir, "absout"))
	link(t, "loop", filepath.Join(dir, "loop"))
	link(t, "out/secret", filepath.Join(dir, "chain"))
	link(t, "nowhere/new", filepath.Join(dir, "dangling"))
	for _, tc := range []struct {
		name, path, want string
		err              error
	}{
		{"plain file", "dir/b.txt", "dir/b.txt", nil},
		{"the tree itself", ".", ".", nil},
		{"superfluous parts", "./dir//../dir/b.txt", "dir/b.txt", nil},
		{"folder link", "in/b.txt", "dir/b.txt", nil},
		{"file link upwards", "dir/up", "a.txt", nil},
		{"absolute link inside", "abs/b.txt", "dir/b.txt", nil},
		{"back from a link's target", "in/../a.txt", "a.txt", nil},
		{"not there yet", "new/folder/file", "new/folder/file", nil},
		{"link to what is not there", "dangling", "nowhere/new", nil},
		{"dots out", "../outside/secret", "", ErrEscape},
		{"dots out in the middle", "dir/../../outside/secret", "", ErrEscape},
		{"link out", "out/secret", "", ErrEscape},
		{"link out, not there yet", "out/new", "", ErrEscape},
		{"absolute link out", "absout/secret", "", ErrEscape},
		{"link through a link out", "chain", "", ErrEscape},
		{"link to itself", "loop", "", ErrEscape},
		{"file as folder", "a.txt/x", "", fs.ErrNotExist},
		{"back from what is not there", "new/../a.txt", "", fs.ErrNotExist},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := tree.Resolve(tc.path)
			if !errors.Is(err, tc.err) {
				t.Fatalf("got error %v, want %v", err, tc.err)
			}
			if got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}

func FuzzResolveStaysInside(f *testing.F) {
	for _, seed := range []string{"a.txt", "../outside/secret", "in/../../outside", "out/secret", "dir/./../in/b.txt", "loop/x", "/etc/passwd", "in/up/.."} {
		f.Add(seed)
	}
	base := f.TempDir()
	dir := filepath.Join(base, "tree")
	for _, d := range []string{"tree/dir", "outside"} {
		if err := os.MkdirAll(filepath.Join(base, d), 0o700); err != nil {
			f.Fatal(err)
		}
	}
	for name, target := range map[string]string{"in": "dir", "out": "../outside", "loop": "loop", "dir/up": "..", "dir/upup": "../.."} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			f.Fatal(err)
		}
	}
	tree, err := OpenTree(dir)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if strings.ContainsRune(name, 0) {
			return
		}
		got, err := tree.Resolve(name)
		if err != nil {
			return
		}
		if !filepath.IsLocal(got) || filepath.Clean(got) != got {
			t.Fatalf("%q resolves to %q, which is no clean path below the tree", name, got)
		}
		real, err := filepath.EvalSymlinks(filepath.Join(tree.Dir(), got))
		if err == nil && real != filepath.Join(tree.Dir(), got) {
			t.Fatalf("%q resolves to %q, but that still leads to %q", name, got, real)
		}
	})
}

func TestReadRefusesWhatIsNoPlainFile(t *testing.T) {
	tree, dir, outside := world(t)
	link(t, filepath.Join(outside, "secret"), filepath.Join(dir, "link"))
	link(t, outside, filepath.Join(dir, "linkdir"))
	if err := syscall.Mkfifo(filepath.Join(dir, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name, path string
		limit      int64
		err        error
	}{
		{"file of just the limit", "a.txt", 2, nil},
		{"file over the limit", "a.txt", 1, ErrTooLarge},
		{"folder", "dir", 9, ErrNotRegular},
		{"the tree itself", ".", 9, ErrNotRegular},
		{"FIFO without a writer", "fifo", 9, ErrNotRegular},
		{"link that was put in place after resolving", "link", 9, ErrNotRegular},
		{"folder link that was put in place after resolving", "linkdir/secret", 9, fs.ErrNotExist},
		{"nothing", "none", 9, fs.ErrNotExist},
	} {
		t.Run(tc.name, func(t *testing.T) {
			c := tree.Cursor()
			defer c.Close()
			_, err := c.Read(tc.path, tc.limit)
			if !errors.Is(err, tc.err) {
				t.Errorf("got error %v, want %v", err, tc.err)
			}
		})
	}
}

func TestReplace(t *testing.T) {
	tree, dir, _ := world(t)
	c := tree.Cursor()
	defer c.Close()
	if err := os.Chmod(filepath.Join(dir, "a.txt"), 0o751); err != nil {
		t.Fatal(err)
	}
	replace(t, c, "a.txt", "new\n")
	checkFile(t, filepath.Join(dir, "a.txt"), "new\n", 0o751)
	replace(t, c, "made/on/the/way.txt", "x")
	checkFile(t, filepath.Join(dir, "made/on/the/way.txt"), "x", ordinary(t))
	files, err := tree.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check(t, strings.Join(files, " "), "a.txt dir/b.txt made/on/the/way.txt")
}

func replace(t *testing.T, c *Cursor, name, content string) {
	t.Helper()
	was, err := c.Current(name, 1<<10)
	if err == nil {
		err = c.Replace(name, was, []byte(content))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func checkFile(t *testing.T, name, want string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s holds %q, want %q", name, got, want)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	check(t, info.Mode().Perm(), mode)
}

// ordinary is the mode of a file that any program makes here.
func ordinary(t *testing.T) fs.FileMode {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

func TestReplaceRefusesAnotherVersion(t *testing.T) {
	for _, tc := range []struct {
		name   string
		path   string
		change func(file string) error
		err    error
	}{
		{"changed, same size", "a.txt", func(f string) error { return os.WriteFile(f, []byte("b\n"), 0o600) }, ErrStale},
		{"grown", "a.txt", func(f string) error { return os.WriteFile(f, []byte("a\nb\n"), 0o600) }, ErrStale},
		{"removed", "a.txt", os.Remove, ErrStale},
		{"created", "c.txt", func(f string) error { return os.WriteFile(f, nil, 0o600) }, ErrStale},
		{"now a link", "a.txt", func(f string) error { return errors.Join(os.Remove(f), os.Symlink("dir/b.txt", f)) }, ErrNotRegular},
		{"now a folder", "c.txt", func(f string) error { return os.Mkdir(f, 0o700) }, ErrNotRegular},
		{"now hard-linked", "a.txt", func(f string) error { return os.Link(f, f+"2") }, ErrHardLink},
		{"its folder now a link", "dir/b.txt", func(f string) error {
			d := filepath.Dir(f)
			return errors.Join(os.Rename(d, d+"2"), os.Symlink("../outside", d))
		}, ErrStale},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tree, dir, outside := world(t)
			c := tree.Cursor()
			defer c.Close()
			was, err := c.Current(tc.path, 1<<10)
			if err != nil {
				t.Fatal(err)
			}
			if err := tc.change(filepath.Join(dir, tc.path)); err != nil {
				t.Fatal(err)
			}
			fresh := tree.Cursor() // the guard's cursor may have left the folder meanwhile
			defer fresh.Close()
			if err := fresh.Replace(tc.path, was, []byte("mine")); !errors.Is(err, tc.err) {
				t.Errorf("got error %v, want %v", err, tc.err)
			}
			for _, d := range []string{dir, outside} {
				if left, _ := filepath.Glob(filepath.Join(d, ".nodwyn-*")); len(left) > 0 {
					t.Errorf("left behind: %v", left)
				}
			}
			if _, err := os.Stat(filepath.Join(outside, "b.txt")); err == nil {
				t.Error("written outside the tree")
			}
		})
	}
}

func TestHardLinkedFileIsNotReplaced(t *testing.T) {
	tree, dir, outside := world(t)
	if err := os.Link(filepath.Join(outside, "secret"), filepath.Join(dir, "hard")); err != nil {
		t.Fatal(err)
	}
	c := tree.Cursor()
	defer c.Close()
	if _, err := c.Current("hard", 1<<10); !errors.Is(err, ErrHardLink) {
		t.Errorf("got error %v, want %v", err, ErrHardLink)
	}
}

func TestListSkipsGitAndLinks(t *testing.T) {
	tree, dir, outside := world(t)
	link(t, outside, filepath.Join(dir, "out"))
	if err := os.MkdirAll(filepath.Join(dir, "dir", ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "dir", ".git", "config"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := tree.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := "a.txt dir/b.txt out"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
