package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// figures returns an update without the time it took.
func figures(u Update) Update {
	u.Wall = 0
	return u
}

func checkUpdate(t *testing.T, x *Index, want Update) {
	t.Helper()
	got, err := x.Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(figures(got), want) {
		t.Errorf("update\n got %+v\nwant %+v", figures(got), want)
	}
}

func checkReads(t *testing.T, src *tree, want ...string) {
	t.Helper()
	if got := src.taken(); !reflect.DeepEqual(got, want) {
		t.Errorf("read %q, want %q", got, want)
	}
}

func TestRefreshReadsOnlyWhatChanged(t *testing.T) {
	src := newTree(map[string]string{"b.txt": "two", "a.txt": "one", "c/d.txt": "three"})
	x := New(src, Options{Root: "/tree"})

	checkUpdate(t, x, Update{Root: "/tree", Files: 3, Read: 3})
	checkReads(t, src, "a.txt", "b.txt", "c/d.txt")

	checkUpdate(t, x, Update{Root: "/tree", Files: 3})
	checkReads(t, src)

	src.write("b.txt", "2wo")
	src.write("e.txt", "new")
	delete(src.files, "a.txt")
	checkUpdate(t, x, Update{Root: "/tree", Files: 3, Read: 2, Removed: 1})
	checkReads(t, src, "b.txt", "e.txt")
}

func TestRefreshCountsWhatItLeavesOut(t *testing.T) {
	src := newTree(map[string]string{
		"big": strings.Repeat("x", 101), "bin": "a\x00b", "fine": "fine", "gone": "", "hidden": "h", "link": "",
		"locked": "l", "secret": "s", "grown": "g", "skip/me": "", "skip/deep/er": "",
	})
	src.files["link"] = entry{special: true}
	src.files["growing"] = entry{content: strings.Repeat("x", 101), listed: 1}
	src.files["gone"] = entry{vanish: true, at: src.clock}
	src.refuse["hidden"] = fmt.Errorf("read: %w", ErrProtected)
	src.refuse["secret"] = fmt.Errorf("read: %w", ErrRefused)
	src.refuse["grown"] = ErrTooLarge
	src.refuse["locked"] = errors.New("input/output error")
	x := New(src, Options{MaxFile: 100, Exclude: []string{"skip/**"}})

	want := Update{Files: 1, Read: 3, Skipped: Skipped{NotRegular: 1, TooLarge: 3, Binary: 1, Protected: 1}, Refused: []string{"secret"}, Left: 1}
	checkUpdate(t, x, want)
	checkReads(t, src, "bin", "fine", "gone", "growing", "grown", "hidden", "locked", "secret")

	want.Read = 0
	checkUpdate(t, x, want)
	checkReads(t, src, "gone", "locked")
}

func TestOnlyWhatWasHeldCountsAsRemoved(t *testing.T) {
	src := newTree(map[string]string{"text": "x", "binary": "\x00"})
	x := New(src, Options{})
	checkUpdate(t, x, Update{Files: 1, Read: 2, Skipped: Skipped{Binary: 1}})
	clear(src.files)
	checkUpdate(t, x, Update{Removed: 1})
}

func TestAFileThatIsListedTwiceIsHeldOnce(t *testing.T) {
	checkUpdate(t, New(doubled{newTree(map[string]string{"a": "1"})}, Options{}), Update{Files: 1, Read: 1})
}

// doubled lists each file twice, as git does for one in conflict.
type doubled struct{ *tree }

func (d doubled) Files(ctx context.Context) ([]File, error) {
	files, err := d.tree.Files(ctx)
	return append(files, files...), err
}

func TestASourceThatLosesItsPlaceIsAnError(t *testing.T) {
	_, err := New(reversed{newTree(map[string]string{"a": "1", "b": "2"})}, Options{}).Refresh(t.Context())
	if err == nil || !strings.Contains(err.Error(), `source gave "b" out of order`) {
		t.Errorf("got %v", err)
	}
}

// reversed reads from the end.
type reversed struct{ *tree }

func (r reversed) Read(ctx context.Context, paths []string, yield func(string, []byte, error) error) error {
	paths = slices.Clone(paths)
	slices.Reverse(paths)
	return r.tree.Read(ctx, paths, yield)
}

func TestRefreshStopsAtItsCap(t *testing.T) {
	x := New(newTree(map[string]string{"a": "1", "b": "2", "c": "3"}), Options{MaxFiles: 2})
	checkUpdate(t, x, Update{Files: 2, Read: 2, Capped: true})
}

func TestRefusedPathsAreBounded(t *testing.T) {
	src := newTree(nil)
	for i := range 2 * maxRefused {
		path := fmt.Sprintf("f%03d", i)
		src.write(path, "x")
		src.refuse[path] = ErrRefused
	}
	u, err := New(src, Options{}).Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Refused) != maxRefused || u.Refused[0] != "f000" {
		t.Errorf("got %d refused from %q, want %d from f000", len(u.Refused), u.Refused[0], maxRefused)
	}
}

// A file that was read in the same instant in which it changed may change again without a trace.
func TestAFreshlyChangedFileIsReadAgain(t *testing.T) {
	for name, c := range map[string]struct {
		at   time.Time
		want []string
	}{
		"this instant":               {time.Now(), []string{"a"}},
		"a second ago, whole second": {time.Now().Add(-time.Second).Truncate(time.Second), []string{"a"}},
		"long ago":                   {time.Now().Add(-time.Hour), nil},
	} {
		t.Run(name, func(t *testing.T) {
			src := newTree(map[string]string{"a": "x"})
			src.files["a"] = entry{content: "x", at: c.at}
			x := New(src, Options{})
			checkUpdate(t, x, Update{Files: 1, Read: 1})
			src.taken()
			checkUpdate(t, x, Update{Files: 1, Read: len(c.want)})
			checkReads(t, src, c.want...)
		})
	}
}

func TestARefreshThatEndsEarlyKeepsWhatItRead(t *testing.T) {
	src := newTree(map[string]string{"a": "1", "b": "2", "c": "3"})
	x := New(stopping{src, "b"}, Options{})
	if _, err := x.Refresh(t.Context()); !errors.Is(err, errStopped) {
		t.Fatalf("got %v, want %v", err, errStopped)
	}
	src.taken()
	x.src = src
	checkUpdate(t, x, Update{Files: 3, Read: 2})
	checkReads(t, src, "b", "c")
}

var errStopped = errors.New("stopped")

// stopping is a tree whose reading ends before one path.
type stopping struct {
	*tree
	before string
}

func (s stopping) Read(ctx context.Context, paths []string, yield func(string, []byte, error) error) error {
	for i, p := range paths {
		if p == s.before {
			return errors.Join(s.tree.Read(ctx, paths[:i], yield), errStopped)
		}
	}
	return s.tree.Read(ctx, paths, yield)
}

func TestACancelledWaiterGivesUp(t *testing.T) {
	x := New(newTree(nil), Options{})
	<-x.turn
	cause := errors.New("the person cancelled")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if _, err := x.Refresh(ctx); !errors.Is(err, cause) {
		t.Errorf("got %v, want %v", err, cause)
	}
}

func TestABadExcludeIsToldByTheRefresh(t *testing.T) {
	_, err := New(newTree(nil), Options{Exclude: []string{"a[", "b"}}).Refresh(t.Context())
	if q, ok := errors.AsType[*QueryError](err); !ok || q.Field != "exclude" || q.Value != "a[" {
		t.Errorf("got %v, want a QueryError about the exclude a[", err)
	}
}

func TestAListingThatFailsIsAnError(t *testing.T) {
	_, err := New(unlistable{newTree(nil)}, Options{}).Refresh(t.Context())
	if !errors.Is(err, fs.ErrPermission) {
		t.Errorf("got %v, want %v", err, fs.ErrPermission)
	}
}

type unlistable struct{ *tree }

func (unlistable) Files(context.Context) ([]File, error) { return nil, fs.ErrPermission }
