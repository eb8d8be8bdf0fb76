// Package index answers searches over the text of one tree. It reads through the Source it is given and, for now, scans what it holds from end to end; a later engine takes its place behind the same names.
//
// Invariant: an answer is never older than its call. Each search first compares the tree with what is held and reads what changed.
//
// Invariant: nothing here touches the disk, and no path is opened but through the Source, which may refuse.
package index

import (
	"context"
	"errors"
	"time"
)

// What a Source wraps when it gives no content for a path. Any other error means that the file may be readable later.
var (
	// ErrRefused marks a path that may not be read. It is asked for again only when the file changes.
	ErrRefused = errors.New("refused")
	// ErrProtected marks a path that no reader may have, whatever anybody answers.
	ErrProtected = errors.New("protected")
	// ErrTooLarge marks a file that grew over the limit between listing and reading.
	ErrTooLarge = errors.New("too large")
)

// File is one entry of a tree's listing.
type File struct {
	// Path is relative to the tree, with slashes.
	Path string
	// Size is in bytes.
	Size int64
	// ModTime tells, with Size, whether the content may have changed.
	ModTime time.Time
	// Regular is false for links, sockets, devices and the like.
	Regular bool
}

// Source is where an index gets a tree from. It is an interface because the reader is the guard, which stands above this package.
type Source interface {
	// Files lists the tree. The order does not matter.
	Files(ctx context.Context) ([]File, error)
	// Read calls yield once for each path, in the given order, with its content or with why there is none; content belongs to the index afterwards. An error of yield ends the reading and is returned.
	Read(ctx context.Context, paths []string, yield func(path string, content []byte, err error) error) error
}

// Limits that hold where Options leave a zero.
const (
	defaultMaxFile  = 1 << 20
	defaultMaxFiles = 200_000
)

// keepBytes bounds the text held in memory. What is over it is read again by each search that needs it.
const keepBytes = 64 << 20

// Options bound an index. The zero value holds the defaults.
type Options struct {
	// Root is the tree's absolute path. It names the tree; nothing is opened by it.
	Root string
	// MaxFile is the largest file that is searched, in bytes; zero means 1 MiB.
	MaxFile int64
	// MaxFiles is the most files that are held; zero means 200,000.
	MaxFiles int
	// Exclude are globs of paths that do not belong to the index at all.
	Exclude []string
}

// Index holds the searchable text of one tree. It is safe for concurrent use.
type Index struct {
	src     Source
	options Options
	exclude globs
	// invalid is what was wrong with Options.Exclude. It is told by the first refresh, for New has nobody to tell.
	invalid error
	// keep is keepBytes but for tests.
	keep int64
	// turn holds one token. Its holder may refresh and use last; a channel, for a waiter must be able to give up.
	turn chan struct{}
	// last is what the latest refresh found. A snapshot never changes once it stands here.
	last snapshot
}

// Root returns the tree's absolute path.
func (x *Index) Root() string { return x.options.Root }

// New returns an empty index of the tree behind src. The first search or refresh fills it.
func New(src Source, o Options) *Index {
	if o.MaxFile == 0 {
		o.MaxFile = defaultMaxFile
	}
	if o.MaxFiles == 0 {
		o.MaxFiles = defaultMaxFiles
	}
	x := &Index{src: src, options: o, keep: keepBytes, turn: make(chan struct{}, 1)}
	x.exclude, x.invalid = parseGlobs("exclude", o.Exclude)
	x.turn <- struct{}{}
	return x
}
