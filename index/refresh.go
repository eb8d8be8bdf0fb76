package index

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"
)

// maxRefused bounds the refused paths that an Update names.
const maxRefused = 100

// Skipped counts the files that an index leaves out, by reason.
type Skipped struct {
	// NotRegular counts links, sockets and the like.
	NotRegular int
	// TooLarge counts files over Options.MaxFile.
	TooLarge int
	// Binary counts files that hold a NUL byte.
	Binary int
	// Protected counts files that no reader may have.
	Protected int
}

// Update says what a refresh found and did.
type Update struct {
	// Root is the tree's absolute path.
	Root string
	// Files counts the files held.
	Files int
	// Read counts the files whose content was read, those read again for a search included.
	Read int
	// Removed counts the files that were held and are gone.
	Removed int
	// Skipped counts what was left out.
	Skipped Skipped
	// Refused are the first hundred paths that may not be read, in order.
	Refused []string
	// Left counts files that could not be read now. The next refresh tries them again.
	Left int
	// Capped says that the tree has more files than Options.MaxFiles.
	Capped bool
	// Wall is the time it took.
	Wall time.Duration
}

// Refresh brings the index up to date with the tree. Only files whose size or time of change differ are read.
func (x *Index) Refresh(ctx context.Context) (Update, error) {
	_, update, err := x.refresh(ctx)
	return update, err
}

// refresh also returns what it found, which stays as it is while the caller searches it.
func (x *Index) refresh(ctx context.Context) (snapshot, Update, error) {
	if x.invalid != nil {
		return nil, Update{}, x.invalid
	}
	select {
	case <-x.turn:
	case <-ctx.Done():
		return nil, Update{}, context.Cause(ctx)
	}
	defer func() { x.turn <- struct{}{} }()

	started := time.Now()
	files, err := x.src.Files(ctx)
	if err != nil {
		return nil, Update{}, fmt.Errorf("list files: %w", err)
	}
	files, capped := x.choose(files)
	next, stale := x.plan(files)
	read, err := x.readInto(ctx, next, stale, x.keep-next.kept())
	// What was read before an error is kept: the next refresh goes on from there.
	previous := x.last
	x.last = slices.DeleteFunc(next, func(d doc) bool { return d.state == gone })
	if err != nil {
		return nil, Update{}, fmt.Errorf("read changed files: %w", err)
	}
	update := x.last.count()
	update.Root, update.Read, update.Capped = x.options.Root, read, capped
	update.Removed = previous.lost(x.last)
	update.Wall = time.Since(started)
	return x.last, update, nil
}

// choose returns the files that belong to the index, by path, and whether there were more than it holds.
func (x *Index) choose(files []File) ([]File, bool) {
	kept := slices.DeleteFunc(slices.Clone(files), func(f File) bool { return x.exclude.match(f.Path) })
	slices.SortFunc(kept, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	kept = slices.CompactFunc(kept, func(a, b File) bool { return a.Path == b.Path })
	if len(kept) > x.options.MaxFiles {
		return kept[:x.options.MaxFiles], true
	}
	return kept, false
}

// plan makes the next snapshot from a listing, with what is still good of the last one, and says which docs must be read.
func (x *Index) plan(files []File) (next snapshot, stale []int) {
	next = make(snapshot, len(files))
	for i, f := range files {
		next[i] = doc{File: f, state: left}
		old, known := x.last.find(f.Path)
		switch {
		case !f.Regular:
			next[i].state = notRegular
		case f.Size > x.options.MaxFile:
			next[i].state = tooLarge
		case known && old.describes(f):
			next[i] = old
		default:
			stale = append(stale, i)
		}
	}
	return next, stale
}

// readInto fills the docs at the given places, keeping text while there is room, and counts the contents that came.
func (x *Index) readInto(ctx context.Context, docs snapshot, at []int, room int64) (read int, err error) {
	if len(at) == 0 {
		return 0, nil
	}
	paths := make([]string, len(at))
	for i, n := range at {
		paths[i] = docs[n].Path
	}
	done := 0
	err = x.src.Read(ctx, paths, func(path string, content []byte, failure error) error {
		if done == len(at) || docs[at[done]].Path != path {
			return fmt.Errorf("source gave %q out of order", path)
		}
		d := &docs[at[done]]
		done++
		d.readAt = time.Now()
		if d.state = stateOf(failure); d.state != held {
			return nil
		}
		read++
		room -= d.fill(content, x.options.MaxFile, room)
		return nil
	})
	return read, err
}

// stateOf says what a failed read means for a doc.
func stateOf(failure error) state {
	switch {
	case failure == nil:
		return held
	case errors.Is(failure, ErrProtected):
		return protected
	case errors.Is(failure, ErrRefused):
		return refused
	case errors.Is(failure, ErrTooLarge):
		return tooLarge
	case errors.Is(failure, fs.ErrNotExist):
		return gone
	}
	return left
}
