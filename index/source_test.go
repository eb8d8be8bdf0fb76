package index

import (
	"context"
	"io/fs"
	"sync"
	"testing"
	"time"
)

// tree is a Source in memory that remembers what was read.
type tree struct {
	mu sync.Mutex
	// files are the contents by path; a change of content sets a new time.
	files map[string]entry
	// refuse holds what Read answers instead of content.
	refuse map[string]error
	reads  []string
	clock  time.Time
}

type entry struct {
	content string
	at      time.Time
	special bool
	vanish  bool
	// listed is the size that the listing gives, when it is not that of the content.
	listed int64
}

func newTree(files map[string]string) *tree {
	t := &tree{files: map[string]entry{}, refuse: map[string]error{}, clock: time.Date(2020, 1, 1, 0, 0, 0, 1, time.UTC)}
	for path, content := range files {
		t.write(path, content)
	}
	return t
}

func (t *tree) write(path, content string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.clock = t.clock.Add(time.Minute)
	t.files[path] = entry{content: content, at: t.clock}
}

func (t *tree) Files(context.Context) ([]File, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var files []File
	for path, e := range t.files {
		size := int64(len(e.content))
		if e.listed != 0 {
			size = e.listed
		}
		files = append(files, File{Path: path, Size: size, ModTime: e.at, Regular: !e.special})
	}
	return files, nil
}

func (t *tree) Read(ctx context.Context, paths []string, yield func(string, []byte, error) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, path := range paths {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		t.reads = append(t.reads, path)
		e, err := t.files[path], t.refuse[path]
		if e.vanish {
			err = fs.ErrNotExist
		}
		if err := yield(path, []byte(e.content), err); err != nil {
			return err
		}
	}
	return nil
}

// taken returns the paths read since the last call.
func (t *tree) taken() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	reads := t.reads
	t.reads = nil
	return reads
}

func search(t *testing.T, x *Index, q Query) Result {
	t.Helper()
	r, err := x.Search(t.Context(), q)
	if err != nil {
		t.Fatalf("search %+v: %v", q, err)
	}
	return r
}
