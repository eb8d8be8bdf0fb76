package effect

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMountInsideIsRefused(t *testing.T) {
	tree, dir, outside := world(t)
	point := filepath.Join(dir, "mounted")
	if err := os.Mkdir(point, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount(outside, point, "", unix.MS_BIND, ""); err != nil {
		t.Skipf("this user cannot mount: %v", err)
	}
	t.Cleanup(func() { _ = unix.Unmount(point, unix.MNT_DETACH) })
	if _, err := tree.Resolve("mounted/secret"); !errors.Is(err, ErrEscape) {
		t.Errorf("got error %v, want %v", err, ErrEscape)
	}
}
