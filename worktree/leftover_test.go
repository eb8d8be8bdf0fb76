package worktree

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
	"time"
)

func TestLeftOvers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("this system does not tell when a file was made")
	}
	l := newLab(t)
	r := l.open(l.repo)
	admin, err := r.adminOf(l.create(r, "s1").Path)
	noError(t, err)
	common := r.CommonDir()
	l.write(common, "nodwyn-tree-1/index", "x")
	l.write(common, journalName+"-1", "x")
	l.write(common, journalName, "it is believed")
	l.write(admin, "nodwyn-index-1", "x")
	l.write(admin, "nodwyn-index-1.lock", "x")
	l.write(admin, "nodwyn-copies", "it is read")
	// A private index has the time of the index that it was copied from.
	old := time.Now().Add(-2 * leftOverAge)
	noError(t, os.Chtimes(filepath.Join(admin, "nodwyn-index-1"), old, old))

	young, err := r.LeftOvers(time.Now())
	noError(t, err)
	check(t, "young left-overs", young, nil)
	list, err := r.LeftOvers(time.Now().Add(leftOverAge + time.Minute))
	noError(t, err)
	slices.Sort(list)
	want := []string{
		filepath.Join(common, journalName+"-1"), filepath.Join(common, "nodwyn-tree-1"),
		filepath.Join(admin, "nodwyn-index-1"), filepath.Join(admin, "nodwyn-index-1.lock"),
	}
	slices.Sort(want)
	check(t, "left-overs", list, want)
	for _, path := range list {
		noError(t, DropLeftOver(path))
	}
	list, err = r.LeftOvers(time.Now().Add(leftOverAge + time.Minute))
	noError(t, err)
	check(t, "left-overs afterwards", list, nil)
	check(t, "journal", l.read(common, journalName), "it is believed")
}
