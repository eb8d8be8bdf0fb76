package index

import (
	"slices"
	"strings"
	"time"
)

// state is what an index knows of one file.
type state uint8

const (
	// left files could not be read and are tried again.
	left state = iota
	held
	notRegular
	tooLarge
	binaryFile
	protected
	refused
	// gone files vanished between listing and reading; no finished snapshot has one.
	gone
)

// doc is one file of a snapshot.
type doc struct {
	File
	state state
	// readAt is when the content was asked for.
	readAt time.Time
	// text is what searches look at. A held doc without kept has none and is read again.
	text []byte
	kept bool
}

// fill takes the content of a held doc and returns how many bytes it keeps of the room there is.
func (d *doc) fill(content []byte, limit, room int64) int64 {
	if int64(len(content)) > limit {
		d.state = tooLarge
		return 0
	}
	text, ok := searchable(content)
	if !ok {
		d.state = binaryFile
		return 0
	}
	if int64(len(text)) > room {
		return 0
	}
	d.text, d.kept = text, true
	return int64(len(text))
}

// describes reports whether the doc still stands for f, so that f need not be read.
func (d doc) describes(f File) bool {
	if d.state == left || d.Size != f.Size || !d.ModTime.Equal(f.ModTime) || d.Regular != f.Regular {
		return false
	}
	return d.readAt.Sub(d.ModTime) > tick(d.ModTime)
}

// tick is how far apart two changes of a file must be for their times to differ. A file that was read within one tick of its change may have changed again since, unseen. A time without a fraction is taken for a file system that counts whole seconds.
func tick(t time.Time) time.Duration {
	if t.Nanosecond() == 0 {
		return 2 * time.Second
	}
	return 20 * time.Millisecond
}

// snapshot is the docs of a tree, by path.
type snapshot []doc

func (s snapshot) find(path string) (doc, bool) {
	i, ok := slices.BinarySearchFunc(s, path, func(d doc, p string) int { return strings.Compare(d.Path, p) })
	if !ok {
		return doc{}, false
	}
	return s[i], true
}

// kept returns the bytes of text that are in memory.
func (s snapshot) kept() int64 {
	var sum int64
	for _, d := range s {
		sum += int64(len(d.text))
	}
	return sum
}

// lost counts the docs held here that next does not list.
func (s snapshot) lost(next snapshot) int {
	n := 0
	for _, d := range s {
		if _, ok := next.find(d.Path); !ok && d.state == held {
			n++
		}
	}
	return n
}

// count returns the figures of an update that a snapshot alone gives.
func (s snapshot) count() Update {
	var u Update
	for _, d := range s {
		switch d.state {
		case held:
			u.Files++
		case notRegular:
			u.Skipped.NotRegular++
		case tooLarge:
			u.Skipped.TooLarge++
		case binaryFile:
			u.Skipped.Binary++
		case protected:
			u.Skipped.Protected++
		case refused:
			if len(u.Refused) < maxRefused {
				u.Refused = append(u.Refused, d.Path)
			}
		case left:
			u.Left++
		}
	}
	return u
}
