package worktree

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Counts says how much of the person's work a new worktree lacks.
type Counts struct {
	// Uncommitted counts tracked files that differ from HEAD.
	Uncommitted int
	// Untracked counts files that git does not know and does not ignore.
	Untracked int
}

// Uncommitted counts the uncommitted work in the main checkout; a repository without one has none. It takes no lock there.
func (r *Repository) Uncommitted(ctx context.Context) (Counts, error) {
	if r.bare {
		return Counts{}, nil
	}
	return r.countAt(ctx, r.mainPlace())
}

func (r *Repository) countAt(ctx context.Context, at place) (Counts, error) {
	files, err := r.statusOf(ctx, at, "--ignore-submodules=dirty") // what is edited in a submodule is no file of this repository
	return count(files), err
}

// statusAt is the status of a checkout of the person's, with what is edited in its submodules. To look for submodules takes longer than the rest where there are none.
func (r *Repository) statusAt(ctx context.Context, at place) ([]fileStatus, error) {
	if _, err := os.Lstat(filepath.Join(at.dir, ".gitmodules")); err != nil {
		return r.statusOf(ctx, at, "--ignore-submodules=dirty")
	}
	return r.statusOf(ctx, at)
}

func (r *Repository) statusOf(ctx context.Context, at place, args ...string) ([]fileStatus, error) {
	files, err := r.status(ctx, at, args...)
	if refusal := filterRefusal(err); refusal != err {
		return nil, refusal
	}
	if exitCode(err) >= 1 {
		return nil, refuseRepository(at.dir, err)
	}
	if err != nil {
		return nil, fmt.Errorf("count uncommitted files of %q: %w", at.dir, err)
	}
	return files, nil
}

func count(files []fileStatus) (c Counts) {
	for _, file := range files {
		if file.kind == untracked {
			c.Untracked++
			continue
		}
		c.Uncommitted++
	}
	return c
}

// The kinds of a file's status, which are also kinds of a Conflict.
const (
	uncommitted = "uncommitted"
	untracked   = "untracked"
	ignored     = "ignored"
)

// moved is the kind of a Conflict about a target that has other commits than when the landing was prepared.
const moved = "moved"

// edited is the kind of a Conflict about a file of the session's own tree.
const edited = "edited"

type fileStatus struct {
	path string
	kind string
	// staged is set when the index differs from HEAD, unstaged when the file differs from the index.
	staged, unstaged bool
	// submodule is set for the entry of one, unmerged for a file of a merge that is not resolved.
	submodule, unmerged bool
	// index is what the index has for the file.
	index entry
}

func (r *Repository) status(ctx context.Context, at place, args ...string) ([]fileStatus, error) {
	args = append([]string{"status", "--porcelain=v2", "-z", "--untracked-files=all", "--no-renames"}, args...)
	out, err := r.ask(ctx, at, args...)
	if err != nil {
		return nil, err
	}
	return parseStatus(out)
}

// parseStatus reads porcelain v2 without renames, where each record is one NUL-ended line.
func parseStatus(out string) ([]fileStatus, error) {
	var files []fileStatus
	for record := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if record == "" {
			continue
		}
		file, err := parseStatusRecord(record)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	return files, nil
}

func parseStatusRecord(record string) (fileStatus, error) {
	// How many fields stand before the path, and what the record says.
	forms := map[byte]struct {
		fields int
		kind   string
	}{'1': {8, uncommitted}, 'u': {10, uncommitted}, '?': {1, untracked}, '!': {1, ignored}}
	form, known := forms[record[0]]
	if parts := strings.SplitN(record, " ", form.fields+1); known && len(parts) == form.fields+1 {
		file := fileStatus{path: parts[form.fields], kind: form.kind}
		if form.kind == uncommitted && len(parts[1]) == 2 {
			file.staged, file.unstaged = parts[1][0] != '.', parts[1][1] != '.'
			file.submodule = parts[2][0] == 'S'
			file.unmerged = record[0] == 'u'
			if !file.unmerged {
				file.index = entry{mode: parts[4], id: parts[7], path: file.path}
			}
		}
		return file, nil
	}
	return fileStatus{}, fmt.Errorf("read git status: record %q is not of the known form", record)
}
