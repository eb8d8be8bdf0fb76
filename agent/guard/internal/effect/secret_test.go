//go:build unix

package effect

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// secrets makes a private folder with a file of secrets.
func secrets(t *testing.T) (dir, file string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "cred")
	file = filepath.Join(dir, "list")
	if err := UpdateSecret(file, func([]byte) ([]byte, error) { return []byte("old"), nil }); err != nil {
		t.Fatal(err)
	}
	return dir, file
}

func TestSecretsAreTheirOwnersAlone(t *testing.T) {
	dir, file := secrets(t)
	for name, want := range map[string]string{dir: "drwx------", file: "-rw-------"} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		check(t, info.Mode().String(), want)
	}
	got, err := ReadSecret(file)
	check(t, err, nil)
	check(t, string(got), "old")
}

func TestSecretsThatAreNotThere(t *testing.T) {
	dir, _ := secrets(t)
	for _, name := range []string{filepath.Join(dir, "none"), filepath.Join(dir, "no", "folder")} {
		got, err := ReadSecret(name)
		check(t, err, nil)
		check(t, len(got), 0)
	}
}

func TestChangeThatFailsLeavesTheSecrets(t *testing.T) {
	_, file := secrets(t)
	cause := errors.New("no")
	err := UpdateSecret(file, func([]byte) ([]byte, error) { return []byte("new"), cause })
	check(t, errors.Is(err, cause), true)
	got, err := ReadSecret(file)
	check(t, err, nil)
	check(t, string(got), "old")
}

func TestExposedSecretsAreRefused(t *testing.T) {
	swap := func(name string, put func(moved string) error) error {
		return errors.Join(os.Rename(name, name+"2"), put(name+"2"))
	}
	for _, tc := range []struct {
		name   string
		expose func(dir, file string) error
		says   string
	}{
		{"file that its group can read", func(_, f string) error { return os.Chmod(f, 0o640) }, "chmod 600"},
		{"file that others can write", func(_, f string) error { return os.Chmod(f, 0o602) }, "chmod 600"},
		{"file with a second name", func(_, f string) error { return os.Link(f, f+"2") }, "hard links"},
		{"link in the file's place", func(_, f string) error {
			return swap(f, func(moved string) error { return os.Symlink(moved, f) })
		}, "not followed"},
		{"link to nothing in the file's place", func(_, f string) error {
			return swap(f, func(string) error { return os.Symlink("nothing", f) })
		}, "not followed"},
		{"FIFO in the file's place", func(_, f string) error {
			return swap(f, func(string) error { return syscall.Mkfifo(f, 0o600) })
		}, "regular"},
		{"folder that others can enter", func(d, _ string) error { return os.Chmod(d, 0o701) }, "chmod 700"},
		{"link in the folder's place", func(d, _ string) error {
			return swap(d, func(moved string) error { return os.Symlink(moved, d) })
		}, "name the folder itself"},
		{"file in the folder's place", func(d, _ string) error {
			return swap(d, func(string) error { return os.WriteFile(d, nil, 0o600) })
		}, "no folder"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			dir, file := secrets(t)
			if err := tc.expose(dir, file); err != nil {
				t.Fatal(err)
			}
			before := everything(t, filepath.Dir(dir))
			checkRefused(t, file, tc.says)
			check(t, everything(t, filepath.Dir(dir)), before)
		})
	}
}

func checkRefused(t *testing.T, file, says string) {
	t.Helper()
	_, read := ReadSecret(file)
	update := UpdateSecret(file, func([]byte) ([]byte, error) { return []byte("new"), nil })
	for _, err := range []error{read, update} {
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("got error %v, want one that says %q", err, says)
		}
	}
}

// everything lists what is below dir, with the content of its files.
func everything(t *testing.T, dir string) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		b.WriteString(name + " " + e.Type().String())
		if e.Type().IsRegular() {
			content, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			b.WriteString(" " + string(content))
		}
		b.WriteByte('\n')
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestSecretsOfAnotherUserAreRefused(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can give a file away")
	}
	for _, what := range []string{"file", "folder"} {
		t.Run(what, func(t *testing.T) {
			dir, file := secrets(t)
			given := file
			if what == "folder" {
				given = dir
			}
			if err := os.Chown(given, 12345, -1); err != nil {
				t.Fatal(err)
			}
			checkRefused(t, file, "belongs to user 12345")
		})
	}
}

func TestSecretsAreReadWhileTheyAreReplaced(t *testing.T) {
	_, file := secrets(t)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for n := range 50 {
				err := UpdateSecret(file, func([]byte) ([]byte, error) { return []byte(strconv.Itoa(n)), nil })
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 2 {
		all.Go(func() {
			for range 2000 {
				if got, err := ReadSecret(file); err != nil || len(got) == 0 {
					t.Errorf("got %q, error %v", got, err)
				}
			}
		})
	}
	all.Wait()
}
